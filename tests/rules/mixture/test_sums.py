"""The pass over the ballots against the model written down literally, and against differences."""

from functools import partial
from math import lgamma

import numpy as np
import pytest
from hypothesis import given, settings

from peerorder.core import Profile, child
from peerorder.rules.mixture import ballots as passes
from peerorder.rules.mixture.ballots import ballots_of
from peerorder.rules.mixture.model import LANE_OF, RANDOM_TYPE, TYPES, lanes_of
from peerorder.rules.mixture.sums import UNIT
from peerorder.rules.plackett_luce import loss_of

from ..profiles import any_profiles, noisy
from ..utilities import drawn
from .literal import ballots_by_grader, bend, shares, slope, value


def lanes_at(seed=0, log_variance=-2.0):
    """Types with shares drawn at random."""
    return lanes_of(np.concatenate([child(seed, "logits").normal(0, 1, TYPES), [log_variance]]))


def only(grader_type, log_variance=-20.0):
    """Everybody is of one type, and the handicaps are 1."""
    lanes = lanes_at(0, log_variance)
    weight = np.zeros(len(lanes.weight))
    weight[LANE_OF[grader_type]] = 1.0
    return lanes._replace(weight=weight, handicap=np.ones(len(weight)))


def total(profile, x, lanes):
    sums = ballots_of(profile).sums(x, lanes)
    return sums._replace(by_paper=UNIT * sums.by_paper, by_type=UNIT * sums.by_type)


@settings(max_examples=40)
@given(any_profiles())
def test_the_kernel_computes_the_literal_value_and_its_derivatives(profile):
    x, lanes = drawn(profile.n_papers, 1.0), lanes_at()
    sums = total(profile, x, lanes)
    assert sums.value == pytest.approx(value(profile, x, lanes), abs=1e-11)
    assert sums.by_paper[:, 0] == pytest.approx(slope(lambda there: value(profile, there, lanes), x), abs=1e-6)


@settings(max_examples=20)
@given(any_profiles(most=5))
def test_curvatures_are_those_of_known_types_less_the_variance_of_derivatives(profile):
    x, lanes = drawn(profile.n_papers, 1.0), lanes_at()
    known, doubt = np.zeros(profile.n_papers), np.zeros(profile.n_papers)
    for ballots in ballots_by_grader(profile).values():
        share = shares(ballots, x, lanes)
        for ballot in ballots:
            alone = Profile.from_ballots([ballot], profile.n_papers)
            each = [partial(value, alone, lanes=lanes._replace(weight=only(t).weight)) for t in range(TYPES)]
            slopes = np.array([slope(loss, x) for loss in each])
            known += share @ np.array([bend(loss, x) for loss in each])
            doubt += share @ slopes**2 - (share @ slopes) ** 2
    sums = total(profile, x, lanes)
    assert sums.by_paper[:, 1] == pytest.approx(known, abs=1e-4, rel=1e-4)
    assert sums.by_paper[:, 2] == pytest.approx(doubt, abs=1e-4, rel=1e-4)


def test_with_one_ballot_a_grader_that_is_the_curvature_of_the_value():
    profile, lanes = noisy(8, 4, 50)[0], lanes_at()
    x = drawn(8, 1.0)
    sums = total(profile, x, lanes)
    curvature = bend(lambda there: value(profile, there, lanes), x)
    assert sums.by_paper[:, 1] - sums.by_paper[:, 2] == pytest.approx(curvature, abs=1e-4, rel=1e-4)


@settings(max_examples=40)
@given(any_profiles())
def test_sums_over_types_are_those_of_responsibilities(profile):
    x, lanes = drawn(profile.n_papers, 1.0), lanes_at()
    by_grader = {g: shares(ballots, x, lanes) for g, ballots in ballots_by_grader(profile).items()}
    sums = total(profile, x, lanes)
    found = np.array([*by_grader.values()]).reshape(-1, TYPES)
    assert sums.by_type[LANE_OF, 0] == pytest.approx(found.sum(axis=0), abs=1e-8)
    assert sums.by_type[LANE_OF, 2] == pytest.approx((found**2).sum(axis=0), abs=1e-8)
    listed = ballots_of(profile).grader_types(x, lanes, profile.n_graders)
    for grader in range(profile.n_graders):
        assert listed[grader] == pytest.approx(by_grader.get(grader, lanes.weight[LANE_OF]), abs=1e-6)


@settings(max_examples=20)
@given(any_profiles())
def test_picks_missed_are_the_derivative_by_the_log_of_handicaps(profile):
    x, lanes = drawn(profile.n_papers, 1.0), lanes_at()

    def at(logs):
        handicap = lanes.handicap.copy()
        handicap[LANE_OF] = np.exp(logs)
        return value(profile, x, lanes._replace(handicap=handicap))

    missed = total(profile, x, lanes).by_type[LANE_OF, 1]
    assert missed == pytest.approx(slope(at, np.log(lanes.handicap[LANE_OF])), abs=1e-6)


@given(any_profiles())
def test_if_everybody_picks_the_best_first_at_sharpness_one_it_is_plackett_luce(profile):
    x = drawn(profile.n_papers)
    sums, local = total(profile, x, only(0)), loss_of(profile)(x)
    assert sums.value == pytest.approx(local.value, abs=1e-10)
    assert sums.by_paper[:, 0] == pytest.approx(local.gradient, abs=1e-8)
    assert sums.by_paper[:, 1] == pytest.approx(local.diagonal, abs=1e-8)


# Tied papers are picked from the level they are on, which is another one from the other end.
@given(any_profiles(ties=False))
def test_reversed_ballots_and_utilities_change_nothing_where_both_ends_have_the_same_shares(profile):
    x, lanes = drawn(profile.n_papers), lanes_at()
    half = len(lanes.weight[LANE_OF]) // 2
    weight = lanes.weight.copy()
    weight[LANE_OF[half + 1 :]] = weight[LANE_OF[:half]]
    lanes = lanes._replace(weight=weight)
    upright, upside_down = total(profile, x, lanes), total(profile.reversed(), -x, lanes)
    assert upright.value == pytest.approx(upside_down.value, abs=1e-10)
    assert upright.by_paper[:, 0] == pytest.approx(-upside_down.by_paper[:, 0], abs=1e-8)


@pytest.mark.parametrize("ties", [False, True])
def test_long_ballots_do_not_underflow(ties):
    n = 400
    order = child(0, "long").permutation(n)
    ranking = [tuple(order[i : i + 2]) for i in range(0, n, 2)] if ties else order.tolist()
    profile = Profile.from_ballots([ranking, ranking[::-1]], n, grader=[0, 0])
    x = np.zeros(n)
    sums = total(profile, x, lanes_at(log_variance=-30.0))
    # Without utilities every type ranks at random.
    strict = 2 * lgamma(n + 1)
    tied = 2 * sum(2 * np.log(left) for left in range(2, n + 1, 2))
    assert sums.value == pytest.approx(tied if ties else strict, rel=1e-12)
    x[order] = np.linspace(3, -3, n)
    sums = total(profile, x, lanes_at())
    # Each ballot contradicts the other, so that is what the grader does: rank at random.
    assert sums.by_type[LANE_OF[RANDOM_TYPE], 0] == pytest.approx(1)
    assert np.isfinite(sums.by_paper).all()


def test_utilities_far_apart_overflow_nothing():
    profile = Profile.from_ballots([[0, 1, 2, 3], [3, (1, 2), 0], [(0, 3)], [2, 0]], 4)
    sums = total(profile, 2000 * np.array([1.0, -1.0, 0.5, 0.0]), lanes_at())
    assert np.isfinite(sums.value)
    assert np.isfinite(sums.by_paper).all()


def test_parts_and_the_order_of_graders_change_no_bit(monkeypatch):
    profile, _ = noisy(300, 5, 30)
    shuffled = Profile.from_matrix(profile.papers.reshape(300, 5)[child(0, "shuffle").permutation(300)], 300)
    x, lanes = drawn(300, 1.0), lanes_at()
    whole = total(profile, x, lanes)
    monkeypatch.setattr(passes, "MANY", 1)
    for ballots in (profile, shuffled):
        parts = total(ballots, x, lanes)
        assert parts.value == pytest.approx(whole.value, rel=1e-12)
        assert np.array_equal(parts.by_paper, whole.by_paper)
        assert np.array_equal(parts.by_type, whole.by_type)


def test_parts_end_between_graders(monkeypatch):
    monkeypatch.setattr(passes, "MANY", 1)
    profile = Profile.from_ballots([[0, 1], [1, 2], [2, 0], [0, 2], [1, 0]], 3, grader=[1, 0, 1, 1, 1])
    x, lanes = drawn(3), lanes_at()
    assert total(profile, x, lanes).value == pytest.approx(value(profile, x, lanes), abs=1e-12)
