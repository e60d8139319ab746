import numpy as np
import pytest

from peerorder.rules.posterior import chances
from peerorder.rules.posterior.chances import SHIFT
from peerorder.rules.posterior.grid import LEVELS, grid

from .compiled import compiled

log_chance_of = compiled(chances.log_chance_of)


def test_picking_three_papers_from_the_top_and_from_the_bottom():
    levels = np.array([40_000, 20_000, 60_000], np.uint16)
    grader_types = grid(3, (0.5,), (2.0,))
    a, b, c = grader_types.best[levels >> SHIFT, 0].astype(float)
    found = np.exp(log_chance_of(grader_types.best, grader_types.worst, levels, 0, 3, 0))
    assert found == pytest.approx(a / (a + b + c) * b / (b + c), rel=1e-5)
    a, b, c = 1 / a, 1 / b, 1 / c
    found = np.exp(log_chance_of(grader_types.best, grader_types.worst, levels, 0, 3, 1))
    assert found == pytest.approx(c / (a + b + c) * b / (a + b), rel=1e-5)


def test_the_longest_ballot_has_a_probability():
    levels = np.linspace(0, LEVELS - 1, 3000).astype(np.uint16)
    grader_types = grid(3, (0.5,), (16.0,))
    assert -1e6 < log_chance_of(grader_types.best, grader_types.worst, levels, 0, 3000, 0) < -1e4
    assert -1e5 < log_chance_of(grader_types.best, grader_types.worst, levels[::-1].copy(), 0, 3000, 0) < 0
