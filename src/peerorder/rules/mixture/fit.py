"""The point where the loss is least, by one pass over the ballots a step: a quasi-Newton method.

L-BFGS (Nocedal, Wright, Numerical Optimization, 2nd ed., section 7.2) in all parameters at once, with what a pass tells
about the curvature as the first guess: the diagonal for utilities, a small matrix for the other parameters. SciPy's
own is not used because it sums with BLAS, whose last bits depend on the number of cores. No parameter moves by more
than ``LONGEST`` in a step; where the loss does not fall, the step is shortened at the cost of another pass, which is
rare.

It stops when two steps in a row have moved no utility by more than ``CLOSE``. Steps shrink by a fifth or more, so what
is left to be done is a few times that: thousands of times less than the standard error of any utility. Sums of parts
in another order make a difference of rounding alone, because all steps are the same but for that.
"""

from collections import deque
from collections.abc import Callable

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.rules.mixture.model import Loss, Total, loss_of, start_at

__all__ = ["PASSES_AT_MOST", "fit", "least"]

CLOSE = 1e-5
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
    n = len(odds)
    return least(loss_of(total, n, n_graders), start_at(odds), n)


def least(loss: Callable[[FloatArray], Loss], start: FloatArray, n_papers: int) -> tuple[FloatArray, Loss, bool]:
    """Find where the loss is least, beginning at a point; also give the loss there, and whether we got there."""
    point = start
    here = loss(point)
    passes, small = 1, 0
    pairs: deque[tuple[FloatArray, FloatArray, float]] = deque(maxlen=MEMORY)
    while passes < PASSES_AT_MOST:
        step = np.clip(_step(here, pairs, n_papers), -LONGEST, LONGEST)
        slope = _inner(here.gradient, step)
        if slope >= 0:
            pairs.clear()
            step = np.clip(_step(here, pairs, n_papers), -LONGEST, LONGEST)
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
        small = small + 1 if float(np.abs(step[:n_papers]).max(initial=0.0)) <= CLOSE else 0
        if small == 2:
            return point, here, True
    return point, here, False


def _step(here: Loss, pairs: deque[tuple[FloatArray, FloatArray, float]], n_papers: int) -> FloatArray:
    """The two loops of L-BFGS."""
    step = -here.gradient
    shares = []
    for moved, change, bend in reversed(pairs):
        share = _inner(moved, step) / bend
        step -= share * change
        shares.append(share)
    step = _first_guess(here, step, n_papers)
    for (moved, change, bend), share in zip(pairs, reversed(shares), strict=True):
        step += (share - _inner(change, step) / bend) * moved
    return step


def _first_guess(here: Loss, vector: FloatArray, n_papers: int) -> FloatArray:
    """The vector over the curvature that a pass tells."""
    return np.concatenate([vector[:n_papers] / here.diagonal, np.linalg.solve(here.block, vector[n_papers:])])


def _inner(one: FloatArray, other: FloatArray) -> float:
    # Not np.dot: its sums depend on the number of cores, and so would the last bits of the scores.
    return float(np.sum(one * other))
