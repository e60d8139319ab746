from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from peerorder.core import Profile
from peerorder.rules.posterior.grid import (
    ASSORTATIVITY,
    LARGE_CLASS,
    LEVELS,
    POPULATION_WEIGHT,
    UTILITIES,
    grid,
    grid_for,
)

GRID = grid(6)


def test_the_normalising_constant_is_the_sum_over_all_rankings():
    for size in range(6):
        wrong = [sum(a > b for a, b in combinations(r, 2)) for r in permutations(range(size))]
        sums = [np.sum(np.exp(float(log_phi)) ** np.array(wrong)) for log_phi in GRID.log_phi]
        assert np.exp(GRID.log_norm[:, size]) == pytest.approx(sums, rel=1e-4)


def test_there_is_one_random_kind_and_it_is_no_better_than_chance():
    assert GRID.log_phi[GRID.random] == 0
    assert GRID.reliability[GRID.random] == 0.5
    assert not GRID.backwards[GRID.random]


def test_reliability_is_the_chance_to_order_two_papers_drawn_at_random():
    # The gap of two standard normal numbers has variance 2; sharpness 2 is the fifth of the picking types.
    at = len(GRID.log_phi) + 4
    exact = 2 * quad(lambda gap: expit(2 * gap) * norm.pdf(gap, scale=np.sqrt(2)), 0, 30)[0]
    assert GRID.reliability[at] == pytest.approx(exact, abs=2e-3)
    assert GRID.reliability[at] == GRID.reliability[at + GRID.best.shape[1]]


def test_types_that_are_wrong_more_often_than_right_are_marked_and_improbable():
    assert np.array_equal(GRID.backwards, GRID.reliability < 0.5)
    assert (GRID.populations[:, GRID.backwards].max(axis=1) < GRID.populations[:, ~GRID.backwards].min(axis=1)).all()
    assert GRID.backwards.any()
    assert GRID.most_backwards < 0.5


def test_most_graders_of_a_population_are_equally_sharp_and_none_begins_at_the_worst_beforehand():
    populations = GRID.populations[:-1]
    assert populations.sum(axis=1) == pytest.approx(np.full(20, POPULATION_WEIGHT))
    assert (populations > 0).all()
    mallows, picks = len(GRID.log_phi), GRID.best.shape[1]
    best, worst = populations[:, mallows : mallows + picks], populations[:, mallows + picks :]
    assert np.argmax(best, axis=1).tolist() == 2 * list(range(10))
    assert (best.sum(axis=1)[:10] > 0.9 * POPULATION_WEIGHT).all()
    assert best[10:] == pytest.approx(worst[10:])


def test_the_last_population_is_a_mixed_class_which_is_improbable_and_the_only_one_of_large_classes():
    assert len(set(GRID.populations[-1, ~GRID.backwards])) == 1
    assert GRID.log_populations.argmin() == 20
    assert len(set(GRID.log_populations[:-1])) == 1
    few, many = (Profile.from_ballots([[0, 1]] * n, 2) for n in (LARGE_CLASS - 1, LARGE_CLASS))
    assert len(grid_for(few).populations) == 21
    assert np.array_equal(grid_for(many).populations, GRID.populations[-1:])
    # A grader who compares nothing makes no class larger.
    silent = Profile.from_ballots([*[[0, 1]] * (LARGE_CLASS - 1), [0], [[0, 1]]], 2)
    assert np.array_equal(grid_for(silent).populations, grid_for(few).populations)


def test_tables_are_symmetric_about_the_middle_paper():
    assert LEVELS % UTILITIES == 0
    assert GRID.utility == pytest.approx(-GRID.utility[::-1], abs=1e-6)
    assert GRID.best == pytest.approx(GRID.worst[::-1], rel=1e-3)
    assert np.isfinite(GRID.best).all()
    assert (GRID.best > 0).all()


def test_bundles_are_handed_out_at_random_for_sure_or_probably():
    assert GRID.assortativity.tolist() == [0]
    assert GRID.log_assortativity.tolist() == [0]
    adaptive = grid(2, assortativity=ASSORTATIVITY)
    assert adaptive.assortativity[0] == 0
    assert np.exp(adaptive.log_assortativity).sum() == pytest.approx(1)
    assert np.argmax(adaptive.log_assortativity) == 0
