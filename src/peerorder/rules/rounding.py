"""Scores that differ by rounding alone become one, so that no paper is ahead by the order of a sum."""

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray

__all__ = ["group_equal", "level_scores"]

# Relative to the largest score. Rounding and what an iteration leaves undone stay below it; true differences between
# papers are almost never so small, and cost no more than a tie where they are.
SAME = 1e-10


def group_equal(values: FloatArray, gap: float) -> IntArray:
    """For every value the position of the lowest one that it is to be equal to.

    Sorted values that no step of more than ``gap`` separates are one run.
    """
    order = np.argsort(values)
    rises = np.diff(values[order], prepend=-np.inf) > gap
    first = np.empty(len(values), np.int64)
    first[order] = order[np.maximum.accumulate(np.where(rises, np.arange(len(values)), 0))]
    return first


def level_scores(scores: FloatArray) -> FloatArray:
    """The scores, with each run of values that nothing but rounding separates set to its lowest."""
    level: FloatArray = scores[group_equal(scores, SAME * np.abs(scores).max(initial=0))]
    return level
