"""Weights of ballots: whole ones are repeated ballots, and rules that do not know weights refuse them."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import InputError, Profile, child
from peerorder.rules import RULES

from .profiles import any_profiles

WEIGHTED = [rule for rule in RULES.values() if rule.weighted]
ANY_WEIGHTED = pytest.mark.parametrize("rule", WEIGHTED, ids=lambda rule: rule.name)


def with_weights(profile, weights):
    return Profile(profile.papers, profile.start, profile.n_papers, levels=profile.tie_levels, weights=weights)


def test_four_rules_take_weights():
    assert {rule.name for rule in WEIGHTED} == {"borda", "bradley-terry", "plackett-luce", "thurstone"}


@ANY_WEIGHTED
@given(profile=any_profiles(), data=st.data())
def test_a_ballot_with_a_whole_weight_counts_as_that_many_ballots(rule, profile, data):
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(profile), max_size=len(profile)))
    alone = with_weights(profile, None)
    weighted = rule.aggregate(with_weights(profile, times)).scores
    repeated = rule.aggregate(alone.reweighted(times) if len(profile) else alone).scores
    assert weighted == pytest.approx(repeated, rel=1e-7)


@ANY_WEIGHTED
def test_weights_of_one_change_no_bit(rule):
    profile = Profile.from_ballots([[0, 1, 2], [(2, 1), 0], [3, 0]], 4)
    ones = with_weights(profile, np.ones(3))
    assert rule.aggregate(ones, child(0)) == rule.aggregate(profile, child(0))


@ANY_WEIGHTED
def test_heavier_ballots_move_the_order(rule):
    ballots = [[0, 1], [1, 0]]
    for weights in ([1.5, 0.7], [0.7, 1.5]):
        outcome = rule.aggregate(Profile.from_ballots(ballots, 2, weights=weights))
        assert outcome.order[0] == np.argmax(weights)


@pytest.mark.parametrize("rule", [rule for rule in RULES.values() if not rule.weighted], ids=lambda rule: rule.name)
def test_other_rules_refuse_weights(rule):
    profile = Profile.from_ballots([[0, 1], [1, 0]], 2, weights=[1, 2])
    with pytest.raises(InputError, match=f"{rule.name} does not take weights .* borda, plackett-luce, bradley-terry"):
        rule.aggregate(profile)
