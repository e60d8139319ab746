"""Utilities that fit the ballots best, under a normal prior that makes them exist: Newton's method for likelihoods.

``plackett-luce``, ``bradley-terry`` and ``thurstone`` differ in what a ballot is worth to a model, and in
nothing else. Each gives every paper a utility x, and loses -log Pr[ballots | x]. We add prior/2 * sum x^2,
which is a normal prior with mean 0 and precision ``prior``, and take the x where the sum is least. The
likelihoods are log-concave, so the sum is strictly convex: there is one such x and it is finite, also for
papers that never lose, for papers that nobody ranked (x = 0), and for parts that no ballot connects
(each has mean 0).

Newton's method, with its equations solved by conjugate gradients (Nocedal, Wright, Numerical Optimization,
2nd ed., section 7.1): only products of the Hessian with a vector are needed, so no matrix is built. The
diagonal is the preconditioner. Every step is solved as closely as the last one was long, which makes the
convergence quadratic, and is halved until the loss falls. It stops when what a step leaves to be done,
judged by its length and the accuracy of its solution, is below ``CLOSE`` for every utility.

A score is e^x: positive, and the strength of a paper in the words of Bradley, Terry and Luce. Utilities that
differ by no more than rounding are made equal, because sums over the same papers in another order
differ in their last bits: without that, papers that nothing but their numbers tells apart would be ordered
by number.

Standard errors come from the curvature at the minimum. All likelihoods depend on differences of utilities alone, so the
Hessian with the prior has the constant vector as an eigenvector with eigenvalue ``prior``: it says how well the mean of
all utilities is known, which is not asked. The inverse without that part is the covariance of the
utilities less their mean.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray, freeze
from peerorder.core.errors import InputError
from peerorder.core.jit import kernel
from peerorder.core.outcome import RuleResult
from peerorder.core.preferences import Link, Preferences
from peerorder.core.profile import Profile
from peerorder.core.translation import gettext as _
from peerorder.rules.borda import borda_sums
from peerorder.rules.rounding import group_equal

__all__ = ["Local", "estimated", "fit", "inverse_curvature", "least", "log_odds", "penalised", "strengths"]

# How far from the end we may stop: an estimate, in utility, relative to the largest one where that is above 1.
CLOSE = 1e-10
# The relative error of the first steps.
LOOSE = 0.1
STEPS_AT_MOST = 100
PRODUCTS_AT_MOST = 500
# A step that still does not help at this share of its length is taken so, and left to the next ones.
SHORTEST = 1e-9
# Utilities this close are one: rounding stays below it, and true differences are almost never so small.
SAME = 1e-9
# e to this power is still a float, and so is its inverse.
LARGEST = 700.0
# The inverse of a matrix of this many papers still fits into memory and takes seconds.
MOST_TO_INVERT = 5000


@dataclass(frozen=True)
class Local:
    """A loss near one point: its value, gradient, and Hessian by its diagonal and its product with a vector."""

    value: float
    gradient: FloatArray
    diagonal: FloatArray
    times: Callable[[FloatArray], FloatArray]


Loss = Callable[[FloatArray], Local]


def fit(loss: Loss, profile: Profile, prior: float, link: Link = "logistic") -> RuleResult:
    """Score papers by the utilities at which ``loss`` and the prior are least together; ``link`` is that of a pair."""
    utility, converged = least(loss, log_odds(borda_sums(profile)), prior)
    text = _("the utilities had not settled after {steps} steps of Newton's method")
    notes = () if converged else (text.format(steps=STEPS_AT_MOST),)
    return estimated(utility, notes, link)


def estimated(utility: FloatArray, notes: tuple[str, ...], link: Link = "logistic") -> RuleResult:
    """Return the result of a rule that has one estimate of every utility."""
    scores = strengths(utility)
    # Of the scores, in which equal papers are equal.
    return RuleResult(scores, preferences=Preferences(freeze(np.log(scores)[None]), link=link), notes=notes)


def log_odds(sums: IntArray | FloatArray) -> FloatArray:
    """Return utilities to begin with, given the sums of ``borda``: not far off, and cheap.

    They are the log odds of a comparison won, with half a comparison more on either side.
    """
    won, compared = sums.T
    odds: FloatArray = np.log((won + 1) / (2 * compared - won + 1))
    return odds


def least(loss: Loss, start: FloatArray, prior: float) -> tuple[FloatArray, bool]:
    """Find where loss(x) + prior/2 * sum x^2 is least, and whether we got there."""
    utility = start
    here = penalised(loss, utility, prior)
    accuracy = LOOSE
    for _step in range(STEPS_AT_MOST):
        step = _newton_step(here, accuracy)
        length = float(np.abs(step).max(initial=0.0)) / max(1.0, float(np.abs(utility).max(initial=0.0)))
        # What is left after a step is its length times the larger of its relative error and (by a factor) its length.
        if length * max(length, accuracy) <= CLOSE:
            return utility + step, True
        slope = _inner(here.gradient, step)
        # The last term lets through what is lost in the rounding of the value: near the end that is every step.
        slack = 1e-12 * abs(here.value)
        share = 1.0
        there = penalised(loss, utility + step, prior)
        while there.value > here.value + 1e-4 * share * slope + slack and share > SHORTEST:
            share /= 2
            there = penalised(loss, utility + share * step, prior)
        utility, here = utility + share * step, there
        accuracy = min(LOOSE, share * length)
    return utility, False


def inverse_curvature(loss: Loss, scores: FloatArray, prior: float) -> FloatArray:
    """Return the inverse Hessian of the penalised loss at these scores, without the part of the mean utility."""
    n = len(scores)
    if n > MOST_TO_INVERT:
        raise InputError(
            _("standard errors of {n} papers need a matrix of {n} times {n}; {most} is the limit").format(
                n=n, most=MOST_TO_INVERT
            )
        )
    here = penalised(loss, np.log(scores), prior)
    hessian = np.stack([here.times(unit) for unit in np.eye(n)]) if n else np.zeros((0, 0))
    inverse = np.asarray(np.linalg.inv((hessian + hessian.T) / 2) - 1 / (max(n, 1) * prior), np.float64)
    return freeze(inverse)


def strengths(utility: FloatArray) -> FloatArray:
    """Give e to the utility; equal where utilities are equal but for rounding.

    Where a utility is too large for that, all are scaled down, which keeps their order.
    """
    spread = float(np.abs(utility).max(initial=0.0))
    same: FloatArray = np.exp(utility[group_equal(utility, SAME)] * min(1.0, LARGEST / max(spread, 1.0)))
    return same


def penalised(loss: Loss, utility: FloatArray, prior: float) -> Local:
    """Return the loss with the prior."""
    bare = loss(utility)
    return Local(
        bare.value + prior / 2 * _inner(utility, utility),
        bare.gradient + prior * utility,
        bare.diagonal + prior,
        lambda vector: bare.times(vector) + prior * vector,
    )


def _newton_step(here: Local, accuracy: float) -> FloatArray:
    """Solve Hessian * step = -gradient by conjugate gradients, until the residual is that share of the gradient."""
    step = np.zeros_like(here.gradient)
    residual = -here.gradient
    direction = residual / here.diagonal
    size = _inner(residual, direction)
    enough = size * accuracy**2
    for _step in range(PRODUCTS_AT_MOST):
        if size <= enough:
            break
        size = advance(step, residual, direction, here.times(direction), here.diagonal, size)
    return step


def _inner(one: FloatArray, other: FloatArray) -> float:
    # Not np.dot: its sums depend on the number of cores, and so would the last bits of the scores.
    return float(np.sum(one * other))


@kernel
def advance(step, residual, direction, product, diagonal, size):  # type: ignore[no-untyped-def]
    """One step of preconditioned conjugate gradients, in place; gives the new size of the residual."""
    bend = 0.0
    for i in range(len(step)):
        bend += direction[i] * product[i]
    length = size / bend
    new_size = 0.0
    for i in range(len(step)):
        step[i] += length * direction[i]
        residual[i] -= length * product[i]
        new_size += residual[i] * residual[i] / diagonal[i]
    for i in range(len(step)):
        direction[i] = residual[i] / diagonal[i] + new_size / size * direction[i]
    return new_size
