from itertools import product

import numpy as np
import pytest

from peerorder.core import child
from peerorder.rules.posterior import chances, paper_moves
from peerorder.rules.posterior.chances import SHIFT
from peerorder.rules.posterior.grid import LEVELS, grid

from .compiled import compiled

log_chance_of, weigh = map(compiled, (chances.log_chance_of, paper_moves.weigh_picks))


@pytest.mark.parametrize("size", [2, 8, 40])
def test_the_chances_of_all_points_are_those_of_the_ballots_with_the_paper_there(size):
    rng = child(0, "points", size)
    grader_types = grid(3, (0.5,), (0.7, 4.0))
    seen = rng.integers(0, LEVELS, size).astype(np.uint16)
    for column, at in product(range(4), (0, size // 2, size - 1)):
        levels = np.sort(rng.integers(0, LEVELS >> SHIFT, 16)).astype(np.uint32)
        levels[5] = seen[at] >> SHIFT
        own, stage, chance, points = np.empty(16), np.empty(16), np.ones(16), np.zeros(16, np.float32)
        ends = (-1, -1, size) if column < 2 else (size, 1, -1)
        weigh(
            (grader_types.best, grader_types.worst)[column // 2],
            column % 2,
            seen,
            at,
            *ends,
            levels,
            own,
            stage,
            chance,
            points,
        )
        logs = []
        for level in levels:
            moved = seen.copy()
            moved[at] = level << SHIFT
            logs.append(log_chance_of(grader_types.best, grader_types.worst, moved, 0, size, column))
        found = points + np.log(chance)
        assert found - found[5] == pytest.approx(np.array(logs) - logs[5], rel=1e-3, abs=1e-3)
