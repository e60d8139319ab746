"""Scores that differ by rounding alone become one, so that no paper is ahead by the order of a sum."""

import numpy as np

from peerorder.core.arrays import FloatArray

__all__ = ["levelled"]

# Relative to the largest score. Rounding and what an iteration leaves undone stay below it; true differences between
# papers are almost never so small, and cost no more than a tie where they are.
SAME = 1e-10


def levelled(scores: FloatArray) -> FloatArray:
    """The scores, with each run of values that nothing but rounding separates set to its lowest."""
    order = np.argsort(scores)
    rising = scores[order]
    rises = np.diff(rising, prepend=-np.inf) > SAME * np.abs(scores).max(initial=0)
    level = np.empty(len(scores))
    level[order] = rising[np.maximum.accumulate(np.where(rises, np.arange(len(scores)), 0))]
    return level
