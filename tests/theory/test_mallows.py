from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad_vec

from peerorder.core import InputError
from peerorder.theory import displacement, mean_displacement, uniform_qualities

QUALITY = st.floats(0, 1)


def slow_displacement(k, quality):
    """All rankings, each with weight q^(right pairs) (1-q)^(wrong pairs): a Condorcet grader given no cycle."""
    law = np.zeros((k, k))
    for ranking in permutations(range(k)):
        wrong = sum(ranking[i] > ranking[j] for i in range(k) for j in range(i + 1, k))
        weight = (1 - quality) ** wrong * quality ** (k * (k - 1) // 2 - wrong)
        for position, rank in enumerate(ranking):
            law[rank, position] += weight
    return law / law[0].sum()


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("quality", [0.0, 0.1, 0.5, 0.6, 0.93, 1.0])
def test_displacement_is_the_sum_over_all_rankings(k, quality):
    assert displacement(k, quality) == pytest.approx(slow_displacement(k, quality), abs=1e-14)


@given(st.integers(1, 20), QUALITY)
def test_rows_and_columns_sum_to_1(k, quality):
    law = displacement(k, quality)
    assert np.all(law >= 0)
    assert law.sum(axis=0) == pytest.approx(np.ones(k), abs=1e-12)
    assert law.sum(axis=1) == pytest.approx(np.ones(k), abs=1e-12)


@given(st.integers(1, 12), QUALITY)
def test_reversing_the_truth_reverses_the_ranking(k, quality):
    law = displacement(k, quality)
    assert law == pytest.approx(law[::-1, ::-1], abs=1e-12)
    assert law == pytest.approx(displacement(k, 1 - quality)[:, ::-1], abs=1e-12)


def test_the_perfect_the_random_and_the_reversed_grader():
    assert np.array_equal(displacement(5, 1.0), np.eye(5))
    assert displacement(5, 0.5) == pytest.approx(np.full((5, 5), 0.2), abs=1e-15)
    assert np.array_equal(displacement(5, 0.0), np.eye(5)[::-1])


def test_an_array_of_qualities_gives_a_matrix_each():
    qualities = np.array([[0.2, 0.5, 0.7], [1.0, 0.0, 0.9]])
    laws = displacement(4, qualities)
    assert laws.shape == (2, 3, 4, 4)
    for at in np.ndindex(2, 3):
        assert np.array_equal(laws[at], displacement(4, qualities[at]))


@pytest.mark.parametrize("noise", [0.1, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("k", [3, 25])
def test_uniform_qualities_integrate_exactly(noise, k):
    mean = mean_displacement(k, *uniform_qualities(noise))
    exact, _ = quad_vec(lambda q: displacement(k, q) / noise, 1 - noise, 1, epsabs=1e-12, points=[0.5])
    assert mean == pytest.approx(exact, abs=1e-11)


def test_uniform_qualities_lie_in_their_stretch():
    for noise in (0.0, 0.3, 0.7, 1.0):
        qualities, weights = uniform_qualities(noise)
        assert weights.sum() == pytest.approx(1)
        assert qualities @ weights == pytest.approx(1 - noise / 2)
        assert 1 - noise <= qualities.min() <= qualities.max() <= 1


def test_mean_displacement_weighs_graders():
    mixed = 0.25 * np.eye(3) + 0.75 * displacement(3, 0.6)
    assert mean_displacement(3, [1, 0.6], [1, 3]) == pytest.approx(mixed, abs=1e-15)
    assert mean_displacement(3, [1, 0.6, 0.6, 0.6]) == pytest.approx(mixed, abs=1e-15)
    assert np.array_equal(mean_displacement(3, 1.0), np.eye(3))


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="bundle size"):
        displacement(0, 0.5)
    for quality in (-0.1, 1.1, float("nan"), [0.5, 2]):
        with pytest.raises(InputError, match="from 0 to 1"):
            displacement(3, quality)
    for noise in (-0.1, 1.5, 30, float("nan")):
        with pytest.raises(InputError, match="share"):
            uniform_qualities(noise)
    for qualities, weights in (([], []), ([0.5], [1, 1]), ([[0.5]], [[1]])):
        with pytest.raises(InputError, match="same length"):
            mean_displacement(3, qualities, weights)
    for weights in ([0, 0], [-1, 2], [float("inf"), 1], [float("nan"), 1]):
        with pytest.raises(InputError, match="weights"):
            mean_displacement(3, [0.5, 1], weights)
