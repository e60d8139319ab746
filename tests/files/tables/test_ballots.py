import numpy as np
import pyarrow as pa
from hypothesis import given, strategies as st

from peerorder.files.formats.sheets import column_of
from peerorder.files.tables.ballots import Ballots, ballots_of, grouped, levels_of, repeats


@given(st.data())
def test_ballots_by_rank_and_their_tie_levels(data):
    many = data.draw(st.integers(0, 120))
    n_ballots = data.draw(st.integers(1, 4))

    def column(most):
        return np.array(data.draw(st.lists(st.integers(0, most), min_size=many, max_size=many)), np.int32)

    of, paper, rank = column(n_ballots - 1), column(50), column(9)
    begin = Ballots(of, np.arange(n_ballots, dtype=np.int32)).begin
    papers, ranks = grouped(of, paper, rank)
    levels = levels_of(ranks, begin)
    assert (levels is not None) == any(
        len(ranks[begin[b] : begin[b + 1]]) > len(set(ranks[begin[b] : begin[b + 1]])) for b in range(n_ballots)
    )
    for b in range(n_ballots):
        entries = sorted([at for at in range(many) if of[at] == b], key=lambda at: rank[at])
        inside = slice(begin[b], begin[b + 1])
        assert papers[inside].tolist() == [paper[at] for at in entries]
        assert ranks[inside].tolist() == [rank[at] for at in entries]
        different = sorted({rank[at] for at in entries})
        assert levels is None or levels[inside].tolist() == [different.index(rank[at]) for at in entries]


def test_a_very_long_ballot_is_sorted_too(rng):
    paper = rng.permutation(100_000).astype(np.int32)
    of = np.zeros(len(paper), np.int32)
    papers, ranks = grouped(of, paper, paper)
    assert papers.tolist() == ranks.tolist() == list(range(len(paper)))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=30))
def test_repeats(entries):
    of, paper = (np.array([entry[i] for entry in entries], np.int32) for i in range(2))
    expected, last = set(), {}
    for at, entry in enumerate(entries):
        if entry in last:
            expected.add((at, last[entry]))
        last[entry] = at
    assert set(repeats(Ballots(of, np.arange(4, dtype=np.int32)), paper, 5)) == expected


def test_a_ballot_a_grader_or_several():
    grader = np.array([1, 0, 1, 1], np.int32)
    one = ballots_of(grader, 3, None)
    assert one.grader[one.of].tolist() == grader.tolist()
    assert one.begin.tolist() == [0, 1, 4, 4]
    several = ballots_of(grader, 3, column_of(pa.array(["a", "a", "b", "a"])))
    assert several.grader[several.of].tolist() == grader.tolist()
    assert several.of[0] == several.of[3] != several.of[2]
    assert len(several.grader) == 3
