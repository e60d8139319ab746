from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder import Profile
from peerorder.reports.instructor.people import add_agreements, by_reliability, looked_at, section
from tests.reports.instructor.rounds import from_rows, graded


@st.composite
def ballots(draw):
    n = draw(st.integers(2, 7))
    order = st.permutations(range(n)).flatmap(
        lambda papers: st.lists(st.integers(0, n - 1), max_size=n).map(lambda cuts: tied(papers, cuts))
    )
    return draw(st.lists(order, min_size=1, max_size=5)), n


def tied(papers, cuts):
    edges = sorted({0, len(papers), *cuts})
    return [tuple(papers[a:b]) for a, b in zip(edges, edges[1:], strict=False)]


@given(ballots(), st.randoms(use_true_random=False))
def test_agreement_counts_the_pairs_that_are_no_ties(drawn, random):
    rows, n = drawn
    graders = [random.randrange(3) for _ in rows]
    profile = Profile.from_ballots(rows, n, grader=graders, authored=[-1] * 3)
    places = np.array(random.sample(range(n), n))
    right, pairs = np.zeros(3, np.int64), np.zeros(3, np.int64)
    add_agreements(profile.papers, profile.start, profile.tie_levels, profile.grader, places, right, pairs)
    for who in range(3):
        said = [
            places[a] < places[b]
            for row, grader in zip(rows, graders, strict=True)
            if grader == who
            for at, level in enumerate(row)
            for a in level
            for later in row[at + 1 :]
            for b in later
        ]
        assert (right[who], pairs[who]) == (sum(said), len(said))


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    return graded(tmp_path_factory.mktemp("crowd"), n=40, k=6)


def test_flags_silence_and_reliability_are_those_of_the_outcome(crowd):
    people, found = looked_at(crowd), crowd.outcome.result
    assert sorted(people.flagged) == [at for at, flag in enumerate(found.flags) if flag]
    assert len(people.flagged)
    assert sorted(people.silent) == np.flatnonzero(crowd.round.judged == 0).tolist()
    assert len(people.silent) == 4
    assert not set(people.doubtful) & {*people.flagged, *people.silent}
    assert (found.reliability[people.doubtful] < 0.6).all()
    assert (np.diff(found.reliability[people.doubtful]) >= 0).all()
    for who in (0, 7, 41):
        own = crowd.round.profile.authored[who]
        if own >= 0 and crowd.round.judged[who]:
            assert people.gain[who] == pytest.approx(crowd.outcome.influence(who))
        else:
            assert people.gain[who] == 0


def test_the_page_names_them(crowd):
    people, text = looked_at(crowd), section(crowd, looked_at(crowd))
    for who in (*people.flagged, *people.silent):
        assert crowd.round.graders[who] in text
    assert "<h3>Flagged</h3>" in text
    assert "Student 8" in text


def test_a_command_is_named_only_where_a_round_was_read_from_files(crowd):
    people = replace(looked_at(crowd), gained=np.array([0]))
    assert "--explain" in section(crowd, people)
    text = section(replace(crowd, round=replace(crowd.round, inputs={})), people)
    assert "Moved their own paper" in text
    assert "--" not in text


def test_rules_that_take_all_alike_are_helped_out_by_who_contradicts_the_order(tmp_path):
    rows = [f"g{at} p{paper} {paper + 1}" for at in range(5) for paper in range(4)]
    rows += [f"contrary p{paper} {4 - paper}" for paper in range(4)]
    found = from_rows(tmp_path, "\n".join(rows))
    people = looked_at(found)
    assert [found.round.graders[at] for at in people.doubtful] == ["contrary"]
    assert people.agreement[people.doubtful].tolist() == [0]
    assert people.gain is None
    text = section(found, people)
    assert "Contrary to the others" in text
    assert "Flag</th>" not in text
    assert "the rule posterior does" in text


def test_partly_done_needs_a_hand_out(tmp_path):
    found = graded(tmp_path, rule="borda", n=12, k=4, noise="perfect", staff=0)
    assert not len(looked_at(found).partly)
    path = tmp_path / "rankings.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    from peerorder.files.rounds import read_round
    from peerorder.rounds.grading import grade
    from peerorder.rounds.settings import GradeSettings

    given_out = grade(read_round(path, handout=tmp_path / "handout.csv"), GradeSettings("borda"))
    assert len(looked_at(given_out).partly) == 1
    assert "not all" in section(given_out, looked_at(given_out))
    assert not len(looked_at(grade(read_round(path), GradeSettings("borda"))).partly)


def test_nobody_to_look_at(tmp_path):
    found = from_rows(tmp_path, "ann x 1\nann y 2\nben x 1\nben y 2")
    assert "Nobody stands out" in section(found, looked_at(found))


def test_long_lists_are_cut(tmp_path):
    roster = "student,paper\n" + "".join(f"s{at},{'' if at else 'p'}\n" for at in range(100)) + "t,q\n"
    found = from_rows(tmp_path, "s1 p 1\ns1 q 2", roster=roster)
    text = section(found, looked_at(found))
    assert "100 graders handed in nothing" in text
    assert "and 40 more" in text


def test_everybody_who_compared_papers_is_listed_the_least_reliable_first(crowd):
    who = by_reliability(crowd, looked_at(crowd))
    reliability = crowd.outcome.result.reliability[who]
    assert reliability.tolist() == sorted(reliability.tolist())
    assert set(who.tolist()) == set(crowd.round.profile.grader.tolist())
