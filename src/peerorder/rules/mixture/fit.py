"""Where the loss is least, by a quasi-Newton method that makes one pass over the ballots a step.

L-BFGS (Nocedal, Wright, Numerical Optimization, 2nd ed., section 7.2) in all parameters at once, with the diagonal
curvature that a pass finds as the first guess. SciPy's own is not used because it sums with BLAS, whose last bits
depend on the number of cores. No parameter moves by more than ``LONGEST`` in a step; where the loss does not fall, the
step is shortened at the cost of another pass, which is rare.

It stops when two steps in a row promise to lower the loss by less than ``LITTLE``. The loss is in the unit of the
logarithm of a probability, so no utility is then further from the end than a few hundredths of its standard error.
Sums in another order, as over other parts of the ballots, change scores by rounding alone, because all steps are
the same but for that.
"""

from collections import deque
from collections.abc import Callable

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.rules.mixture.model import Loss, Total, loss_of, start_at

__all__ = ["PASSES_AT_MOST", "fit", "least"]

LITTLE = 1e-3
PASSES_AT_MOST = 500
MEMORY = 8
# No parameter moves further in one step.
LONGEST = 1.0
# A step that still does not help at this share of its length is taken so, and left to the next ones.
SHORTEST = 1e-6
# Pairs of a step and a change of the gradient that bend less than this say nothing.
FLAT = 1e-12


def fit(total: Total, odds: FloatArray, n_graders: int) -> tuple[FloatArray, Loss, bool]:
    """Fit the model: the point, the loss there, and whether the utilities have settled.

    ``total`` is a pass over all ballots. ``odds`` are utilities to begin with, which cost one pass
    (``newton.log_odds``): a sane order, because from any other we might end upside down.
    """
    return least(loss_of(total, len(odds), n_graders), start_at(odds))


def least(loss: Callable[[FloatArray], Loss], start: FloatArray) -> tuple[FloatArray, Loss, bool]:
    """Find where the loss is least, beginning at a point; also give the loss there, and whether we got there."""
    point = start
    here = loss(point)
    passes, small = 1, 0
    pairs: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=MEMORY)
    while passes < PASSES_AT_MOST:
        step = np.clip(_step(here, pairs), -LONGEST, LONGEST)
        slope = _inner(here.gradient, step)
        if slope >= 0:
            pairs.clear()
            step = np.clip(_step(here, pairs), -LONGEST, LONGEST)
            slope = _inner(here.gradient, step)
        # The last term lets through what is lost in the rounding of the value: near the end that is every step.
        slack = 1e-12 * abs(here.value)
        share = 1.0
        there = loss(point + share * step)
        passes += 1
        while there.value > here.value + 1e-4 * share * slope + slack and share > SHORTEST:
            share /= 3
            there = loss(point + share * step)
            passes += 1
        step *= share
        change = there.gradient - here.gradient
        bend = _inner(step, change)
        if bend > FLAT * np.sqrt(_inner(step, step) * _inner(change, change)):
            pairs.append((step, change, bend))
        point, here = point + step, there
        small = small + 1 if -slope <= LITTLE else 0
        if small == 2:
            return point, here, True
    return point, here, False


def _step(here: Loss, pairs: deque[tuple[FloatArray, FloatArray, float]]) -> FloatArray:
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
