from itertools import permutations
from math import exp, inf, prod

import numpy as np
import pytest
from scipy.stats import norm

from peerorder.core import InputError, Profile
from peerorder.core.preferences import Preferences
from peerorder.rules import RULES
from peerorder.rules.mixture.model import SHARPNESS

UTILITY = np.array([[0.3, -1.0, 0.9]])


def logistic(x):
    return 1 / (1 + exp(-x))


def test_a_pair_under_plackett_luce_is_what_all_orders_add_up_to():
    weight = np.exp(UTILITY[0])
    orders = {
        order: prod(weight[paper] / weight[list(order[i:])].sum() for i, paper in enumerate(order))
        for order in permutations(range(3))
    }
    expected = sum(chance for order, chance in orders.items() if order.index(0) < order.index(1))
    assert Preferences(UTILITY).probability([0], [1]) == pytest.approx([expected])


def test_types_are_weighted_in_every_draw():
    utilities = np.array([[1.0, 0.0], [-2.0, 0.0]])
    shares = np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]])
    preferences = Preferences(utilities, shares, sharpness=(2.0, inf, -1.0), quality=(1.0, 0.8, 1.0))
    one = 0.5 * logistic(2) + 0.3 * 0.8 + 0.2 * logistic(-1)
    two = 0.1 * logistic(-4) + 0.6 * 0.2 + 0.3 * logistic(2)
    assert preferences.probability([0, 1], [1, 0]) == pytest.approx([(one + two) / 2, 1 - (one + two) / 2])


def test_one_row_of_shares_is_for_all_draws():
    preferences = Preferences(np.array([[1.0, 0.0], [3.0, 0.0]]), ((0.5, 0.5),), (1.0, 0.0), (1.0, 1.0))
    assert preferences.probability([0], [1]) == pytest.approx([(logistic(1) + logistic(3)) / 4 + 0.25])


def test_equal_papers_are_even():
    preferences = Preferences(np.zeros((3, 2)), ((0.5, 0.5),), (4.0, inf), (1.0, 0.9))
    assert preferences.probability([0, 0], [1, 0]).tolist() == [0.5, 0.5]


def test_improbable_ones_stay_above_zero():
    assert 0 < Preferences(np.array([[-90.0, 0.0]])).probability([0], [1])[0] < 1e-38


def test_many_draws_go_through_in_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    preferences = Preferences(rng.normal(size=(7, 20)))
    first, second = rng.integers(20, size=(2, 50))
    whole = preferences.probability(first, second)
    monkeypatch.setattr("peerorder.core.preferences.CHUNK", 21)
    assert preferences.probability(first, second).tolist() == whole.tolist()


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([0, 1], [1], "first has 2 papers and second 1"),
        ([3], [0], r"first\[0\] is 3"),
        ([0], [-1], r"second\[0\] is -1"),
    ],
)
def test_bad_papers(first, second, message):
    with pytest.raises(InputError, match=message):
        Preferences(UTILITY).probability(first, second)


PROFILE = Profile.from_ballots([[0, 1, 2], [0, 2, 1], [1, 0, 2], [0, 1, 2]], 4)


@pytest.mark.parametrize(
    ("rule", "link"), [("plackett-luce", logistic), ("bradley-terry", logistic), ("thurstone", norm.cdf)]
)
def test_likelihood_rules_predict_by_the_difference_of_utilities(rule, link):
    outcome = RULES.parse(rule).aggregate(PROFILE)
    utility = np.log(outcome.scores)
    assert outcome.preference([0, 2], [1, 3]) == pytest.approx([link(utility[0] - utility[1]), link(utility[2])])
    assert "preferences" in repr(outcome.result)


def test_two_papers_and_a_weak_prior_give_the_share_of_wins():
    profile = Profile.from_ballots([[0, 1]] * 300 + [[1, 0]] * 100, 2)
    for rule in ("plackett-luce:prior=0.001", "bradley-terry:prior=0.001", "thurstone:prior=0.001"):
        assert RULES.parse(rule).aggregate(profile).preference([0], [1]) == pytest.approx([0.75], abs=1e-4)


def test_a_mixture_weighs_its_types():
    outcome = RULES.parse("mixture").aggregate(PROFILE)
    preferences = outcome.result.preferences
    assert preferences.shares.sum() == pytest.approx(1)
    gap = np.log(outcome.scores[0] / outcome.scores[1])
    expected = sum(share * logistic(a * gap) for share, a in zip(preferences.shares[0], SHARPNESS, strict=True))
    assert outcome.preference([0], [1]) == pytest.approx([expected])
    assert expected > 0.5


def test_a_mixture_of_many_comparisons_predicts_about_their_share():
    profile = Profile.from_ballots([[0, 1]] * 300 + [[1, 0]] * 100, 2)
    assert RULES.parse("mixture").aggregate(profile).preference([0], [1]) == pytest.approx([0.75], abs=0.03)


def test_pairs_that_occur_often_get_the_same_probability_in_any_order():
    preferences = RULES.parse("posterior").aggregate(PROFILE).result.preferences
    first, second = np.array([0, 1, 0, 2, 0]), np.array([1, 0, 1, 1, 2])
    chances = preferences.probability(first, second)
    alone = [preferences.probability([a], [b])[0] for a, b in zip(first, second, strict=True)]
    assert chances == pytest.approx(alone)
    assert chances[0] == chances[2] == pytest.approx(1 - chances[1])


def test_utilities_may_be_positions_in_a_table():
    table = np.array([-1.0, 0.5, 2.0])
    positions = np.array([[0, 1, 2], [2, 2, 0]], np.uint16)
    chances = Preferences(positions, table=table).probability([2, 1], [0, 2])
    assert chances == pytest.approx(Preferences(table[positions]).probability([2, 1], [0, 2]))


def test_other_rules_say_that_they_have_none():
    with pytest.raises(InputError, match="borda does not predict preferences"):
        RULES.parse("borda").aggregate(PROFILE).preference([0], [1])
