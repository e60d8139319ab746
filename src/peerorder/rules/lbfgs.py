"""The point where a loss is least, with one evaluation a step: L-BFGS, for losses that take a pass over all ballots.

L-BFGS (Nocedal, Wright, Numerical Optimization, 2nd ed., section 7.2) begins every step with what an evaluation tells
about the curvature, its ``diagonal``. SciPy's own is not used because it sums with BLAS, whose last bits depend on the
number of cores. No coordinate moves by more than ``LONGEST`` in a step; where the loss does not fall, the step is
shortened at the cost of another evaluation, which is rare.

Sums in another order, as over other parts of the ballots, change the point by rounding alone, because all steps are the
same but for that.
"""

from collections import deque
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from peerorder.core.arrays import FloatArray

__all__ = ["EVALUATIONS_AT_MOST", "Point", "least"]

EVALUATIONS_AT_MOST = 500
MEMORY = 8
# No coordinate moves further in one step.
LONGEST = 1.0
# A step that still does not help at this share of its length is taken so, and left to the next ones.
SHORTEST = 1e-6
# Pairs of a step and a change of the gradient that bend less than this say nothing.
FLAT = 1e-12


class Point(Protocol):
    """A loss at one point."""

    @property
    def value(self) -> float:
        """The loss."""
        ...

    @property
    def gradient(self) -> FloatArray:
        """Its gradient."""
        ...

    @property
    def diagonal(self) -> FloatArray:
        """About its curvature in each coordinate alone."""
        ...


P = TypeVar("P", bound=Point)
Pairs = deque[tuple[FloatArray, FloatArray, float]]


def least(
    evaluate: Callable[[FloatArray], P], start: FloatArray, is_last: Callable[[FloatArray, float], bool]
) -> tuple[FloatArray, P, bool]:
    """Find where a loss is least, beginning at a point; also return the loss there, and whether we got there.

    We are there after two steps in a row of which ``is_last(step, promise)`` is true; a step promises to lower the loss
    by that much.
    """
    point = start
    here = evaluate(point)
    evaluations, small = 1, 0
    pairs: Pairs = deque(maxlen=MEMORY)
    while evaluations < EVALUATIONS_AT_MOST:
        step = np.clip(_step(here, pairs), -LONGEST, LONGEST)
        slope = _inner(here.gradient, step)
        if slope >= 0:
            pairs.clear()
            step = np.clip(_step(here, pairs), -LONGEST, LONGEST)
            slope = _inner(here.gradient, step)
        # The last term lets through what is lost in the rounding of the value: near the end that is every step.
        slack = 1e-12 * abs(here.value)
        share = 1.0
        there = evaluate(point + share * step)
        evaluations += 1
        # Not the other way round, because a loss that is not a number is no better either.
        while not there.value <= here.value + 1e-4 * share * slope + slack and share > SHORTEST:
            share /= 3
            there = evaluate(point + share * step)
            evaluations += 1
        step *= share
        change = there.gradient - here.gradient
        bend = _inner(step, change)
        if bend > FLAT * np.sqrt(_inner(step, step) * _inner(change, change)):
            pairs.append((step, change, bend))
        point, here = point + step, there
        small = small + 1 if is_last(step, -slope) else 0
        if small == 2:
            return point, here, True
    return point, here, False


def _step(here: Point, pairs: Pairs) -> FloatArray:
    """The two loops of L-BFGS."""
    step = -here.gradient
    shares = []
    for moved, change, bend in reversed(pairs):
        share = _inner(moved, step) / bend
        step -= share * change
        shares.append(share)
    step /= here.diagonal
    for (moved, change, bend), share in zip(pairs, reversed(shares), strict=True):
        step += (share - _inner(change, step) / bend) * moved
    return step


def _inner(one: FloatArray, other: FloatArray) -> float:
    # Not np.dot: its sums depend on the number of cores, and so would the last bits of the scores.
    return float(np.sum(one * other))
