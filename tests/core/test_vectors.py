"""What is written by hand for all lanes does what its Python says."""

import numba
import numpy as np
import pytest

from peerorder.core import vectors
from peerorder.core.randomness import child
from peerorder.core.vectors import LANES


def both(intrinsic, *arguments):
    """The arrays after the function in a kernel, and after its Python."""
    results = []
    for function in (numba.njit(lambda *given: intrinsic(*given), error_model="numpy"), intrinsic):
        given = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
        function(*given)
        results.append([each for each in given if isinstance(each, np.ndarray)])
    return zip(*results, strict=True)


@pytest.mark.parametrize(("bound", "base", "step"), [(40, -10, 7), (-50, -10, 7), (10**6, 0, 1), (11, 10, 1)])
def test_add_beyond(bound, base, step):
    sums = child(0, "beyond").random(LANES).astype(np.float32)
    for found, expected in both(vectors.add_beyond, sums, np.float32(1.5), bound, base, step):
        assert np.array_equal(found, expected)


def test_products_and_quotients():
    products, terms, strengths = (child(0, "products", i).random(LANES) + 0.1 for i in range(3))
    table, chances = np.stack([strengths, terms]).astype(np.float32), np.stack([products, terms, strengths])
    for given in (
        (vectors.multiply_by_sum, products, terms, 0.3),
        (vectors.divide_by, products * 1e-200, terms * 1e50, np.zeros(LANES, np.float32)),
        (vectors.pick_each, chances, table, 1),
    ):
        for found, expected in both(*given):
            assert found == pytest.approx(expected, rel=1e-12 if found.dtype == np.float64 else 1e-6)


def test_a_quotient_is_its_fraction_times_its_power_of_two():
    chances, stages, logs = np.geomspace(1e-150, 1e150, LANES), np.geomspace(1e20, 1e-90, LANES), np.ones(LANES)
    exact = np.log(chances) - np.log(stages) + 1
    vectors.divide_by(chances, stages, logs)
    assert np.log(chances) + logs == pytest.approx(exact)
    assert ((chances >= 1) & (chances < 2)).all()
    assert (stages == 1).all()


def test_exponentials():
    for begin in np.arange(-30, 31, 5):
        points = np.linspace(begin, begin + 5, LANES, dtype=np.float32)
        exact = np.exp(np.clip(points.astype(float) - 1, -25, 25))
        for found, expected in both(vectors.exponentiate, points, np.float32(1)):
            assert found == pytest.approx(expected, rel=2e-4)
            assert found == pytest.approx(exact, rel=6e-3)
