"""L-BFGS finds the minimum, also where a step is too long or the start is far away."""

from dataclasses import dataclass

import numpy as np
import pytest

from peerorder.core.randomness import child
from peerorder.rules import lbfgs


@dataclass
class Quartic:
    """sum of curvature * (x - at)^2 / 2 + (x - at)^4, with a coupling between neighbours."""

    point: np.ndarray
    at: np.ndarray
    curvature: np.ndarray

    @property
    def value(self):
        far = self.point - self.at
        return float(np.sum(self.curvature * far**2 / 2 + far**4) + np.sum(np.diff(far) ** 2))

    @property
    def gradient(self):
        far = self.point - self.at
        coupled = np.diff(far)
        return self.curvature * far + 4 * far**3 + 2 * (np.append(0, coupled) - np.append(coupled, 0))

    @property
    def diagonal(self):
        return self.curvature + 4 + 12 * (self.point - self.at) ** 2


def is_small(step, promise):
    assert promise >= 0
    return np.abs(step).max(initial=0) < 1e-8


@pytest.mark.parametrize("spread", [0.0, 1.5])
@pytest.mark.parametrize("far", [0.0, 1.0, 20.0])
def test_it_finds_the_minimum(spread, far):
    rng = child(1)
    at, curvature = rng.normal(size=40), np.exp(spread * rng.normal(size=40))
    point, here, converged = lbfgs.least(lambda x: Quartic(x, at, curvature), at + far * rng.normal(size=40), is_small)
    assert converged
    assert np.abs(point - at).max() < 1e-6
    assert here.value < 1e-9


def test_it_says_when_it_did_not_get_there(monkeypatch):
    monkeypatch.setattr(lbfgs, "EVALUATIONS_AT_MOST", 3)
    ones = np.ones(5)
    assert not lbfgs.least(lambda x: Quartic(x, 0 * ones, ones), 9 * ones, is_small)[2]


def test_nothing_to_find():
    nothing = np.zeros(0)
    assert lbfgs.least(lambda x: Quartic(x, nothing, nothing), nothing, is_small)[2]
