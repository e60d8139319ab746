"""What several moves need: the likelihood of a ballot on which papers are picked one by one, and a weighted draw."""

import math

import numpy as np

from peerorder.core.jit import subroutine
from peerorder.rules.posterior.grid import LEVELS, UTILITIES

__all__ = ["AHEAD", "SHIFT", "STAGES", "TINY", "log_chance_of", "pick"]

# From one of the LEVELS to one of the UTILITIES.
SHIFT = (LEVELS // UTILITIES).bit_length() - 1
TINY = 1e-300
# A product over this many stages is a finite number however sharp a grader is: 3e25 is the largest strength.
STAGES = 8
# Ballots are fetched this many papers or graders before their turn.
AHEAD = 2


@subroutine
def log_chance_of(best, worst, seen, begin, end, column):  # type: ignore[no-untyped-def]
    """Return log Pr[ballot] when papers are picked one by one: best first, or in the columns behind, worst first."""
    best_first = column < best.shape[1]
    left = np.float32(0)
    chance, log_chance = 1.0, 0.0
    for c in range(end - begin):
        if best_first:
            strength = best[seen[end - 1 - c] >> SHIFT, column]
        else:
            strength = worst[seen[begin + c] >> SHIFT, column - best.shape[1]]
        left += strength
        chance *= strength / left
        if chance < 1e-200:
            log_chance += math.log(max(chance, TINY))
            chance = 1.0
    return log_chance + math.log(chance)


@subroutine
def pick(chance, total, rng):  # type: ignore[no-untyped-def]
    """An index with probability in proportion to ``chance``."""
    u = rng.random() * total
    t = 0
    while t < len(chance) - 1 and u >= chance[t]:
        u -= chance[t]
        t += 1
    # Where rounding leads behind the last that can be.
    while chance[t] <= 0 and t > 0:
        t -= 1
    return t
