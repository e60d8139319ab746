import numpy as np
import pytest

from peerorder.core import child
from peerorder.rules.mixture.intervals import place_intervals

MANY = np.full(60, 10**6)


def test_utilities_that_are_certain_have_their_place():
    utility = child(0, "utilities").permutation(60) / 10
    places = 60 - np.argsort(np.argsort(utility))
    assert place_intervals(utility, np.full(60, 1e-6), MANY) == pytest.approx(np.stack([places, places], axis=1), abs=1)


def test_ends_are_the_mean_places_of_the_ends_of_utilities():
    rng = child(0, "utilities")
    utility, error = rng.normal(0, 1, 60), rng.uniform(0.1, 0.5, 60)
    others = utility + error * rng.normal(0, 1, (4000, 60))
    for paper, (low, high) in enumerate(place_intervals(utility, error, MANY)):
        ends = utility[paper] + 1.645 * error[paper] * np.array([1, -1])
        beaten_by = [np.mean(np.sum(np.delete(others, paper, axis=1) > end, axis=1)) for end in ends]
        assert [low, high] == pytest.approx([1 + each for each in beaten_by], abs=1.1)


def test_few_ballots_widen_an_interval():
    utility = np.linspace(-2, 2, 60)
    few, many = (np.diff(place_intervals(utility, np.full(60, 0.3), np.full(60, count))).sum() for count in (3, 30))
    assert few > 1.1 * many


def test_papers_of_which_nothing_is_known_may_be_anywhere():
    assert place_intervals(np.zeros(20), np.ones(20), np.zeros(20, np.int64)).tolist() == [[1, 20]] * 20
    assert place_intervals(np.zeros(0), np.zeros(0), np.zeros(0, np.int64)).shape == (0, 2)
