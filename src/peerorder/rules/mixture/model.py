"""The model: utilities of papers, types of graders, and what they lose together on all ballots.

Papers have utilities with a standard normal prior. A grader is of one type on all of their ballots: somebody who picks
the best paper first, or the worst first, at a sharpness a from 1 to 16 (Plackett-Luce on a times the
utilities), somebody who ranks at random, or somebody who does the first two backwards. The shares of the types in the
class have a Dirichlet prior (Gormley, Murphy 2008, have mixtures of Plackett-Luce models). Best first and worst first
are mirror images, so the model is reversible.

Why not the most likely utilities and shares. Utilities half as large with graders twice as sharp explain the ballots
as well and please the prior more, so the maximum is at the sharpest types, and there the utilities follow whichever
graders happen to contradict each other least. What stops that is how uncertain utilities are: a sharp type explains
a ballot at the estimates, but not at what the utilities may be as well. So we find a normal law with means x and one
variance v for the utilities instead, by a bound on the evidence (variational EM). For the sum of weights at a stage,
Jensen's inequality gives E log(1 + sum over the others of e^(a (x_j - x_i))) <= log(1 + e^(a^2 v) times the sum at
the means): the others at a stage count ``handicap`` = e^(a^2 v) times. The bound is loose where papers are far apart,
so that v is taken ``LOOSENESS`` times; 0.2 to 0.4 recover about the same.

The loss is -log Pr[ballots] with handicaps, plus sum of x^2 / 2 and n (v - log v) / 2 for the utilities, less
sum of alpha_t log pi_t for the shares. ``rules.lbfgs`` finds where it is least, in all parameters together.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, IntArray, freeze
from peerorder.core.preferences import Preferences
from peerorder.rules.grader_types import (
    MOST_BACKWARDS,
    PRIOR_WEIGHT,
    PRIOR_WEIGHT_BACKWARDS,
    reliability_of,
)
from peerorder.rules.mixture.sums import BEST, DOUBLINGS, SMALLEST, UNIT, WIDTH, Lanes
from peerorder.rules.newton import strengths

__all__ = [
    "BACKWARDS",
    "RANDOM_TYPE",
    "RELIABILITY",
    "TYPES",
    "Loss",
    "Sums",
    "Total",
    "lanes_of",
    "loss_of",
    "no_sums",
    "preferences_of",
    "start_at",
]

LOOSENESS = 0.3
# How many graders of each type the prior is worth, as a share of all graders, beyond those of any class: types that
# hardly exist keep a share that changes nothing, and the loss bends in their directions too.
PRIOR_SHARE = 0.005
# Types that rank backwards have these sharpnesses, as powers of two of the smallest.
POWERS_BACKWARDS = (0, 2)
# The log of the largest handicap. Types that have it lose every ballot.
LARGEST = 50.0
# The least curvature in a utility, as a share of what it would be if the types of all graders were known.
LEAST_BEND = 0.3
# Where the variance of utilities begins.
FIRST_VARIANCE = 0.05


def _families() -> tuple[list[tuple[float, int, bool]], list[tuple[float, int, bool]]]:
    """Slope, power and whether it is backwards, of all types that begin at the best paper, and at the worst."""
    forwards = [(SMALLEST * 2**power, 1 + power) for power in range(DOUBLINGS)]
    falling = [(-slope, DOUBLINGS + at) for slope, at in forwards]
    best = [(*each, False) for each in forwards] + [(*falling[power], True) for power in POWERS_BACKWARDS]
    worst = [(*each, False) for each in falling] + [(*forwards[power], True) for power in POWERS_BACKWARDS]
    return [*best, (0.0, 0, False)], worst


def _lanes() -> tuple[FloatArray, NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    families = _families()
    lengths = (BEST, WIDTH - BEST)
    filled = [
        family + [(0.0, 0, False)] * (length - len(family)) for family, length in zip(families, lengths, strict=True)
    ]
    slope, power, backwards = (np.array(column) for column in zip(*filled[0], *filled[1], strict=True))
    types = np.concatenate([np.arange(len(families[0])), BEST + np.arange(len(families[1]))])
    return freeze(slope), freeze(power), freeze(backwards[types]), freeze(types)


SLOPE, POWER, BACKWARDS, LANE_OF = _lanes()
TYPES = len(LANE_OF)
"""How many types of graders there are."""
SQUARES = freeze(SLOPE[LANE_OF] ** 2)
RANDOM_TYPE = int(np.argmin(SQUARES))
SHARPNESS = freeze(np.where(BACKWARDS, -1, 1) * np.abs(SLOPE[LANE_OF]))
"""Positive where a type tends to put the better of two papers above the other."""
RELIABILITY = freeze(np.array([*map(reliability_of, SHARPNESS.tolist())]))


class Sums(NamedTuple):
    """What ``sums.accumulate`` finds for some graders, which can be added up over parts of all graders."""

    value: FloatArray
    """One number."""
    by_paper: IntArray
    by_type: IntArray

    def plus(self, other: "Sums") -> "Sums":
        """Add another part to this one, in place."""
        self.value[0] += other.value[0]
        np.add(self.by_paper, other.by_paper, out=self.by_paper)
        np.add(self.by_type, other.by_type, out=self.by_type)
        return self


def no_sums(n_papers: int) -> Sums:
    """Return the sums over no graders."""
    return Sums(np.zeros(1), np.zeros((n_papers, 3), np.int64), np.zeros((WIDTH, 3), np.int64))


Total = Callable[[FloatArray], Sums]
"""The sums over all graders at a point: one pass over all ballots."""


@dataclass(frozen=True, eq=False)
class Loss:
    """The loss at one point, which holds utilities, the logits of shares and the log of the variance.

    ``diagonal`` is about its curvature in each of these alone.
    """

    value: float
    gradient: FloatArray
    diagonal: FloatArray


def start_at(utility: FloatArray) -> FloatArray:
    """Return a point to begin at, with these utilities at unit variance."""
    spread = float(np.sqrt(np.mean(utility**2))) if len(utility) else 0.0
    logits = np.log(np.where(BACKWARDS, PRIOR_WEIGHT_BACKWARDS, PRIOR_WEIGHT))
    return np.concatenate([utility / spread if spread > 0 else utility, logits, [math.log(FIRST_VARIANCE)]])


def lanes_of(point: FloatArray) -> Lanes:
    """Return the types with their shares and handicaps at a point."""
    weight = np.zeros(len(SLOPE))
    weight[LANE_OF] = np.exp(_log_shares(point)[0])
    handicap = np.exp(np.minimum(LOOSENESS * math.exp(point[-1]) * SLOPE**2, LARGEST))
    return Lanes(SLOPE, POWER, handicap, weight)


def preferences_of(point: FloatArray) -> Preferences:
    """Return what the types, with their shares at a point, make of two papers: best and worst first alike."""
    utility = np.log(strengths(point[: -1 - TYPES]))
    return Preferences(
        freeze(utility[None]), freeze(np.exp(_log_shares(point)[0])[None]), SHARPNESS, freeze(np.ones(TYPES))
    )


def loss_of(total: Total, n_papers: int, n_graders: int) -> Callable[[FloatArray], Loss]:
    """Return the loss as a function of the point."""
    prior = np.where(BACKWARDS, PRIOR_WEIGHT_BACKWARDS, PRIOR_WEIGHT) * (1 + PRIOR_SHARE / PRIOR_WEIGHT * n_graders)

    def loss(point: FloatArray) -> Loss:
        utility, log_variance = point[:n_papers], float(point[-1])
        log_shares, groups = _log_shares(point)
        sums = total(point)
        counts, missed, squares = (UNIT * sums.by_type[LANE_OF]).T
        slopes, known, doubt = (UNIT * column for column in sums.by_paper.T)
        found = counts + prior
        expected = np.zeros(TYPES)
        for group in groups:
            share = np.exp(log_shares[group])
            expected[group] = found[group].sum() * share / share.sum()
        variance = math.exp(log_variance)
        pull = variance * (float(np.sum(LOOSENESS * SQUARES * missed)) + n_papers / 2)
        gradient = np.concatenate([slopes + utility, expected - found, [pull - n_papers / 2]])
        # The curvatures, each alone: what is known of utilities, less what is not because the types of graders are not;
        # that of a logit, and more where the share is still too large; and what it is at the end for the variance.
        known = known + 1
        diagonal = np.concatenate(
            [
                np.maximum(known - doubt, LEAST_BEND * known),
                squares + prior + np.maximum(expected - found, 0),
                [max(pull, n_papers / 2, 1.0)],
            ]
        )
        value = float(sums.value[0]) + (float(np.sum(utility**2)) + n_papers * (variance - log_variance)) / 2
        return Loss(value - float(np.sum(prior * log_shares)), gradient, diagonal)

    return loss


def _log_shares(point: FloatArray) -> tuple[FloatArray, tuple[NDArray[np.bool_], ...]]:
    """Return the logs of shares, and the groups of types within which these add up to something fixed.

    That is all types, or where too many would be backwards, those that are and those that are not.
    """
    logits = point[-1 - TYPES : -1]
    log_shares = logits - np.logaddexp.reduce(logits)
    backwards = float(np.logaddexp.reduce(log_shares[BACKWARDS]))
    if backwards <= math.log(MOST_BACKWARDS):
        return log_shares, (np.ones(TYPES, bool),)
    forwards = float(np.logaddexp.reduce(log_shares[~BACKWARDS]))
    bounded = np.where(
        BACKWARDS,
        log_shares - backwards + math.log(MOST_BACKWARDS),
        log_shares - forwards + math.log1p(-MOST_BACKWARDS),
    )
    return bounded, (BACKWARDS, ~BACKWARDS)
