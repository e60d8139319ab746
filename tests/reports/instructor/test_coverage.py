import re

import networkx as nx
import numpy as np
from hypothesis import given, strategies as st

from peerorder import Profile
from peerorder.reports.instructor.coverage import covered, section
from tests.reports.instructor.rounds import from_rows


@given(
    st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.lists(st.integers(0, n - 1), unique=True))))
)
def test_groups_are_those_that_networkx_finds(drawn):
    n, rows = drawn
    found = covered(Profile.from_ballots(rows, n))
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    for row in rows:
        nx.add_path(graph, row)
    parts = sorted((sorted(part) for part in nx.connected_components(graph) if len(part) > 1), key=len, reverse=True)
    assert sorted(sorted(group.tolist()) for group in found.groups) == sorted(parts)
    assert [len(group) for group in found.groups] == [len(part) for part in parts]
    assert found.uncompared.tolist() == sorted(nx.isolates(graph))
    counts = np.array([sum(paper in row for row in rows) for paper in range(n)])
    assert found.unread.tolist() == np.flatnonzero(counts == 0).tolist()
    assert found.thin.tolist() == np.flatnonzero((counts == 1) | (counts == 2)).tolist()


def text(found):
    return section(found.round, covered(found.round.profile))


def test_a_round_that_hangs_together(tmp_path):
    rows = "\n".join(f"g{at} x {at}\ng{at} y 2" for at in (1, 3, 4))
    said = text(from_rows(tmp_path, rows))
    assert "All papers are linked" in said
    assert "Every paper was ranked by 3 graders" in said
    assert "ranked by nobody" not in said


def test_a_round_in_pieces(tmp_path):
    said = text(from_rows(tmp_path, "a x 1\na y 2\nb u 1\nb v 2\nb w 3"))
    assert "fall into 2 groups" in said
    assert "u, v, w" in said
    assert "5 papers have only one or two rankings" in said


def test_papers_that_nobody_ranked(tmp_path):
    said = text(from_rows(tmp_path, "a x 1\na y 2", roster="student,paper\na,\nb,x\nc,y\nd,z\n"))
    assert "1 paper was ranked by nobody" in said
    assert "look at it yourself: z." in said
    assert "All the others are linked" in said


def test_many_numbers_of_rankings_share_bars(tmp_path):
    rows = [f"g{at} p{paper} {paper - at + 1}" for paper in range(60) for at in range(paper + 1)]
    said = text(from_rows(tmp_path, "\n".join(rows)))
    assert "3 with 1 to 3, 3 with 4 to 6" in said
    assert re.search(r'd="([^"]*)" class="bars"', said)[1].count("Z") == 20


def test_ballots_that_tie_all_of_their_papers_link_nothing(tmp_path):
    said = text(from_rows(tmp_path, "a x 1\na y 2\nb y 1\nb z 1"))
    assert "1 paper was compared with no other paper" in said
    assert "All papers are linked" not in said
