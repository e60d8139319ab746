from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import Profile, child
from peerorder.rules import RULES
from peerorder.rules.borda import add_strict, add_tied, borda_sums
from peerorder.schemes import SCHEMES

from .profiles import any_profiles, groups_of, in_order, noisy

BORDA = RULES["borda"]


def by_definition(profile):
    """2 wins + ties, and comparisons, of every paper: pair by pair, ballot by ballot."""
    sums = [[0, 0] for _ in range(profile.n_papers)]
    for ballot in groups_of(profile):
        ranked = [(paper, level) for level, group in enumerate(ballot) for paper in group]
        for paper, level in ranked:
            for other, its_level in ranked:
                if other != paper:
                    sums[paper][0] += 2 if level < its_level else level == its_level
                    sums[paper][1] += 1
    return sums


def points(profile, k):
    """The paper's points: k for the first of a ballot, k - 1 for the second, and so on down."""
    total = np.zeros(profile.n_papers, int)
    for b in range(len(profile)):
        total[profile[b]] += np.arange(k, 0, -1)
    return total


@given(any_profiles(), st.booleans())
def test_sums_and_scores_are_those_of_the_definition(profile, loaded):
    sums = by_definition(profile)
    expected = [float(Fraction(won, 2 * compared)) if compared else 0.5 for won, compared in sums]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("peerorder.rules.borda.is_loaded", lambda: loaded)
        assert borda_sums(profile).tolist() == sums
        assert borda_sums(profile).dtype == np.int64
        assert BORDA.aggregate(profile, child(0)).scores.tolist() == expected


@given(any_profiles(ties=False))
def test_both_kernels_agree_where_there_are_no_ties(profile):
    strict, tied = np.zeros((2, profile.n_papers), np.int64)
    add_strict(profile.papers, profile.start, strict)
    add_tied(profile.papers, profile.start, profile.tie_levels, tied)
    assert np.array_equal(strict, tied)


def test_ties_in_one_ballot_leave_the_others_as_they_were():
    strict, tied = [[0, 1, 2], [2, 0]], [[1, (0, 2)]]
    whole, parts = Profile.from_ballots(strict + tied, 3), (Profile.from_ballots(each, 3) for each in (strict, tied))
    assert np.array_equal(borda_sums(whole), sum(map(borda_sums, parts)))
    # Paper 0: wins over 1, 2; loses to 2, 1; ties with 2. Paper 1: loses to 0; wins over 2, 0, 2.
    assert borda_sums(whole).tolist() == [[5, 5], [6, 4], [3, 5]]


@given(any_profiles(), st.data())
def test_sums_over_parts_add_up_to_the_whole(profile, data):
    part = np.array([data.draw(st.integers(0, 2)) for _ in range(len(profile))], int)
    parts = [borda_sums(in_order(profile, np.flatnonzero(part == p))) for p in range(3)]
    assert np.array_equal(sum(parts), borda_sums(profile))


@pytest.mark.parametrize(("n", "k", "level"), [(30, 1, 50), (30, 2, 50), (30, 4, 30), (101, 8, 0), (101, 8, 100)])
def test_the_papers_points_order_the_same_where_every_ballot_and_every_paper_has_k(n, k, level):
    profile, _ = noisy(n, k, level)
    scores, total = BORDA.aggregate(profile, child(0)).scores, points(profile, k)
    # A point for each of the k ballots is for being there; every point beyond is a comparison won.
    assert np.array_equal(borda_sums(profile)[:, 0], 2 * (total - k))
    assert np.array_equal(np.sign(scores[:, None] - scores), np.sign(total[:, None] - total))


@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_lemma_1_planes_and_perfect_graders_reveal_the_order(k):
    n = k * (k - 1) + 1
    bundles = SCHEMES["order-revealing"].build(n, k, child(0, "plane", k))
    truth = child(0, "truth", k).permutation(n)
    profile = Profile.from_ballots([sorted(row, key=truth.__getitem__) for row in bundles], n)
    outcome = BORDA.aggregate(profile, child(0))
    assert outcome.places.tolist() == truth.tolist()
    # Every other paper is met exactly once, so the score is the share of papers below.
    assert outcome.scores == pytest.approx(1 - truth / (n - 1), abs=1e-15)


def test_scores_of_unequal_ballots():
    # Paper 0 wins 3 of 3, paper 1 loses, ties and wins once, paper 4 is on a ballot of its own, nobody ranked 5.
    profile = Profile.from_ballots([[0, (1, 2), 3], [4]], 6)
    assert BORDA.aggregate(profile, child(0)).scores.tolist() == [1, 0.5, 0.5, 0, 0.5, 0.5]
