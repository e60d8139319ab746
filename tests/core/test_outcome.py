import json
import pickle
from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import peerorder
from peerorder.core import InputError, Outcome, Profile, RuleResult, Samples, child
from peerorder.core.outcome import order_by_score
from peerorder.core.randomness import state_of


def outcome_of(scores, seed=0):
    rng = child(seed)
    state = state_of(rng)
    profile = Profile.from_ballots([list(range(len(scores)))], len(scores))
    scores = np.array(scores, float)
    order = order_by_score(scores, rng)
    return Outcome(order, RuleResult(scores), rule="test", options={"k": 1}, profile=profile, generator=state)


@given(st.lists(st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0]), max_size=30), st.integers(0, 9))
def test_scores_fall_along_the_order(scores, seed):
    order = order_by_score(np.array(scores, float), child(seed))
    assert sorted(order.tolist()) == list(range(len(scores)))
    ordered = [scores[paper] for paper in order]
    assert ordered == sorted(scores, reverse=True)


def test_every_order_of_ties_comes_up_equally_often(rng):
    scores = np.array([1.0, 0.0, 1.0, 2.0, 1.0])
    seen = Counter(tuple(order_by_score(scores, rng).tolist()) for _ in range(3000))
    assert set(seen) == {(3, *middle, 1) for middle in permutations([0, 2, 4])}
    # 500 each; the standard deviation is 20.
    assert all(abs(many - 500) < 100 for many in seen.values())


def test_ties_do_not_go_by_position(rng):
    places = np.array([np.argsort(order_by_score(np.zeros(20), rng)) for _ in range(2000)])
    # The mean place of every paper is 9.5; the standard deviation of each mean is 0.13.
    assert np.abs(places.mean(axis=0) - 9.5).max() < 0.6


def test_same_generator_same_order():
    scores = np.zeros(50)
    first, again, other = (order_by_score(scores, child(seed)).tolist() for seed in (4, 4, 5))
    assert first == again != other


def test_order_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        order_by_score(np.zeros(2), child(0))[0] = 1


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_places_are_the_inverse_of_the_order(scores):
    outcome = outcome_of(scores)
    assert outcome.places[outcome.order].tolist() == list(range(len(scores)))
    assert outcome.order[outcome.places].tolist() == list(range(len(scores)))


def test_outcome_tells_what_it_was_given():
    outcome = outcome_of([0.1, 0.9, 0.5])
    assert outcome.order.tolist() == [1, 2, 0]
    assert outcome.places.tolist() == [2, 0, 1]
    assert outcome.scores.tolist() == [0.1, 0.9, 0.5]
    assert outcome.pairwise_accuracy([2, 0, 1]) == 1
    assert outcome.pairwise_accuracy([0, 2, 1]) == 0
    assert outcome.pairwise_accuracy([0, 1, 2]) == pytest.approx(1 / 3)


def test_provenance_survives_json():
    outcome = outcome_of([0.1, 0.9, 0.5], seed=3)
    provenance = json.loads(json.dumps(outcome.provenance))
    assert provenance == {
        "rule": "test",
        "options": {"k": 1},
        "generator": state_of(child(3)),
        "version": peerorder.__version__,
        "profile": outcome.profile.digest,
    }


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20))
def test_papers_with_the_same_score_share_the_best_of_their_ranks(scores):
    found = outcome_of(scores)
    assert found.ranks.tolist() == [1 + sum(other > score for other in scores) for score in scores]
    assert found.shared_by.tolist() == [scores.count(score) for score in scores]
    assert (found.ranks <= found.places + 1).all()


def test_outcomes_that_say_the_same_are_equal():
    one, same, other = outcome_of([0.1, 0.9]), outcome_of([0.1, 0.9]), outcome_of([0.9, 0.1])
    assert one == same == pickle.loads(pickle.dumps(one))
    assert hash(one) == hash(same)
    assert one != other
    assert one != outcome_of([0.1, 0.9], seed=1)
    assert one != "an outcome"


def test_the_repr_is_one_short_line():
    plain = outcome_of([0.1, 0.9, 0.5])
    assert repr(plain) == "<Outcome: 3 papers by test>"
    samples = Samples(np.tile(np.arange(3, dtype=np.uint16), (8, 1)), np.zeros((8, 1), np.float32), 4)
    found = RuleResult(plain.scores, intervals=samples.intervals(0.9), samples=samples)
    assert repr(replace(plain, result=found)) == "<Outcome: 3 papers by test, 8 draws, 90% intervals 1 rank wide>"
    assert repr(found) == "<RuleResult: scores, intervals, samples of 3 papers>"


def test_tau_is_that_of_the_ranks():
    outcome = outcome_of([0.1, 0.9, 0.5, 0.5])
    assert outcome.kendall_tau([4, 1, 2, 2]) == 1
    assert outcome.kendall_tau([1, 4, 2, 2]) == -1


@pytest.mark.parametrize("method", ["pairwise_accuracy", "kendall_tau"])
def test_utilities_are_not_ranks(method):
    outcome = outcome_of([0.1, 0.9, 0.5])
    for truth in ([0.13, 2.2, 0.7], [1, 2, 90], [-1, 0, 1]):
        with pytest.raises(InputError, match="which is not a rank from 1 to 3"):
            getattr(outcome, method)(truth)
    assert outcome.pairwise_accuracy([2.5, 1.0, 2.5]) == 1
