from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import Profile, child
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES

from .profiles import any_profiles, groups_of, joined, noisy


def scores_of(profile, rule="copeland"):
    return RULES[rule].aggregate(profile, child(0)).scores


def duels(profile):
    """For every paper, 1, 1/2 or 0 for each opponent that it met: beaten, even, or beaten by."""
    ballots = [{p: at for at, group in enumerate(ballot) for p in group} for ballot in groups_of(profile)]
    found = [[] for _ in range(profile.n_papers)]
    for a, b in permutations(range(profile.n_papers), 2):
        both = [ballot for ballot in ballots if a in ballot and b in ballot]
        if both:
            lead = sum((x[a] < x[b]) - (x[a] > x[b]) for x in both)
            found[a].append(Fraction(1 + (lead > 0) - (lead < 0), 2))
    return found


@given(any_profiles())
def test_the_score_is_the_share_of_duels_won(profile):
    expected = [float(sum(won) / len(won)) if won else 0.5 for won in duels(profile)]
    assert scores_of(profile).tolist() == expected


@given(st.lists(st.permutations(range(5)), min_size=1, max_size=7))
def test_with_complete_ballots_the_order_is_copelands(ballots):
    profile = Profile.from_ballots(ballots, 5)
    # Opponents beaten less opponents that beat it, of four.
    lead = np.array([sum(2 * won - 1 for won in row) for row in duels(profile)], float)
    assert scores_of(profile) == pytest.approx((lead + 4) / 8, abs=1e-15)


@given(any_profiles())
def test_reversed_ballots_reverse_the_scores(profile):
    assert scores_of(profile.reversed()) == pytest.approx(1 - scores_of(profile), abs=1e-15)


@given(any_profiles(least=2))
def test_one_more_comparison_won_never_lowers_a_paper_that_met_its_opponent_before(profile):
    met = joined(profile, Profile.from_ballots([[(0, 1)]], profile.n_papers))
    before, after = scores_of(met), scores_of(joined(met, Profile.from_ballots([[0, 1]], profile.n_papers)))
    assert after[0] >= before[0]
    assert after[1] <= before[1]
    assert np.array_equal(after[2:], before[2:])


def test_a_majority_counts_once_however_large():
    # Paper 0 beats 1 three times and loses to 2 and 3 once each: Borda has it even with 2, Copeland below.
    profile = Profile.from_ballots([[0, 1]] * 3 + [[2, 0], [3, 0], [1, 2], [2, 1]], 4)
    assert scores_of(profile).tolist() == [1 / 3, 0.25, 0.75, 1]
    assert scores_of(profile, "borda")[0] == 0.6


def test_a_condorcet_winner_has_every_point():
    ballots = [[4, 0, 1, 2, 3], [1, 4, 3, 0, 2], [2, 4, 3, 1, 0]]
    assert scores_of(Profile.from_ballots(ballots, 5))[4] == 1
    assert scores_of(Profile.from_ballots(ballots, 5), "borda")[4] < 1


@pytest.mark.parametrize("k", [3, 5])
def test_where_no_two_papers_meet_twice_it_is_borda(k):
    n = k * (k - 1) + 1
    bundles = SCHEMES["order-revealing"].build(n, k, child(0, "plane", k))
    rng = child(0, "opinions", k)
    profile = Profile.from_ballots([rng.permutation(row).tolist() for row in bundles], n)
    assert np.array_equal(scores_of(profile), scores_of(profile, "borda"))
    often = noisy(20, 5, 50)[0]
    assert not np.array_equal(scores_of(often), scores_of(often, "borda"))


def test_papers_that_never_met_anybody_score_a_half():
    assert scores_of(Profile.from_ballots([[0, 1], [2]], 4)).tolist() == [1, 0, 0.5, 0.5]
