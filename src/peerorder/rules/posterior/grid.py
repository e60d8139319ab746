"""The types of grader that ``posterior`` reckons with, as tables that its kernels read.

Three families, all functions of where the papers of a ballot stand:

- **Mallows** of quality q: each pair is right with probability q whatever the distance, given no cycle (as in the
  noise model ``condorcet``). 1/2 is a grader who ranks at random; below it one who ranks backwards.
- **Best first** at sharpness a: the Plackett-Luce model on utilities a * u, where u is the normal score of a paper's
  quantile. Errors grow as papers come closer. A negative a is a grader who picks the worst first as if it were best.
- **Worst first** at sharpness a: the same, picking the worst paper, then the worst of the rest. Gumbel's errors lean to
  one side and these to the other; graders with symmetric errors (Thurstone) are between the two, and their own law has
  no closed form for bundles. A mixture of both recovers about as much from them as the rule ``thurstone`` does.

A quantile is one of ``LEVELS`` whole numbers; utilities are looked up at one of ``UTILITIES`` points.

How many graders are of which type differs from class to class, but the graders of one class resemble each other:
skating judges are all sharp, and people who rank sushi by taste are all blunt. So the weights of the types have a
Dirichlet prior around one of several *populations*, and which one is learnt with everything else. In a population most
graders have one sharpness, and either all pick the best first or half pick the worst; a few have a neighbouring
sharpness, and very few are of any other type. If all types were equally probable, people of another taste
in a class of twenty would be taken for careless ones and listened to less, although the next grader is as likely to be
one of these. One more population has such a prior all the same, with a small probability: *mixed* classes, in which
many rank at random, or err at any distance, are like none of the others. From ``LARGE_CLASS`` graders on it is the only
one. The numbers were chosen on real exercises (the tuning half of ``reproduce real``) and, for mixed classes, on
simulated ones.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, freeze
from peerorder.core.profile import Profile
from peerorder.rules.grader_types import (
    MOST_BACKWARDS,
    PRIOR_WEIGHT,
    PRIOR_WEIGHT_BACKWARDS,
    RANDOM,
    normal_scores,
    reliability_of,
)

__all__ = ["LEVELS", "UTILITIES", "Grid", "grid", "grid_for"]

Float32Array = NDArray[np.float32]

LEVELS = 2**16
UTILITIES = 2**12

QUALITIES = (0.03, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98, 0.9995)
SHARPNESSES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 16.0, -1.0, -4.0)

# How many graders a population is worth, and the shares in it of those who are not of its main types: types of a
# neighbouring sharpness relative to the main one, graders at random, all who rank backwards, and all others together.
POPULATION_WEIGHT = 5.0
NEIGHBOUR = 0.3
AT_RANDOM, BACKWARDS, OTHERS = 0.002, 0.001, 0.004
# The prior odds of a mixed class, in which all types that do not rank backwards are equally probable, against any one
# of these.
MIXED = 1e-3
# From this many graders on every class is taken for a mixed one: it has enough to say about its types, while chains of
# a class in which most rank at random would settle among blunt populations.
LARGE_CLASS = 200

# Ballots per grader from which on bundles may have been chosen adaptively.
SEVERAL = 5
# Degrees of assortativity of the papers on one ballot, and the prior of each; see ``sampler``.
ASSORTATIVITY = (0.0, 0.025, 0.05, 0.1, 0.2)
NO_ASSORTATIVITY = 0.9


class Grid(NamedTuple):
    """Tables of all types of graders: first Mallows, then best first, then worst first."""

    log_phi: Float32Array
    """log((1-q)/q) of every Mallows type."""
    log_norm: FloatArray
    """The logarithm of Mallows' normalising constant, by type and size of ballot."""
    best: Float32Array
    """e^(a u) for best first, by level of utility and type."""
    worst: Float32Array
    """e^(-a u) for worst first, by level of utility and type."""
    utility: Float32Array
    """The normal score of every level of utility."""
    populations: FloatArray
    """The prior of every type, in graders, one row per population; the last is that of a mixed class."""
    log_populations: FloatArray
    """The logarithm of every population's prior probability, up to a constant."""
    backwards: NDArray[np.bool_]
    """Whether a type is wrong about more than half of all pairs."""
    most_backwards: float
    reliability: FloatArray
    """The chance that a grader of this type puts two papers drawn at random in the right order."""
    assortativity: FloatArray
    log_assortativity: FloatArray
    squares: FloatArray
    """The square of every type's sharpness, 0 for Mallows."""
    quality: FloatArray
    """The quality of Mallows types, 1 for others, as ``Preferences`` takes it."""
    sharpness: FloatArray
    """The sharpness of the others, infinite for Mallows types."""

    @property
    def random(self) -> int:
        """The type that ranks at random."""
        return int(np.argmin(np.abs(self.log_phi)))


@lru_cache(maxsize=8)
def grid(
    largest: int,
    qualities: tuple[float, ...] = QUALITIES,
    sharpnesses: tuple[float, ...] = SHARPNESSES,
    assortativity: tuple[float, ...] = (0.0,),
    large_class: bool = False,
) -> Grid:
    """The tables for ballots of up to ``largest`` papers."""
    q = np.array(qualities)
    a = np.array(sharpnesses)
    utility = normal_scores(UTILITIES)
    reliability = np.concatenate([q, *2 * [[reliability_of(sharp) for sharp in sharpnesses]]])
    backwards = reliability < RANDOM - 1e-9
    populations = np.where(backwards, PRIOR_WEIGHT_BACKWARDS, PRIOR_WEIGHT)[None, :]
    if not large_class:
        populations = np.vstack([_populations(q, a, backwards), populations])
    prior = np.full(len(assortativity), (1 - NO_ASSORTATIVITY) / max(len(assortativity) - 1, 1))
    prior[0] = NO_ASSORTATIVITY if len(assortativity) > 1 else 1.0
    return Grid(
        log_phi=freeze(np.log((1 - q) / q).astype(np.float32)),
        log_norm=freeze(_log_norms(np.log((1 - q) / q), largest)),
        best=freeze(np.exp(utility[:, None] * a).astype(np.float32)),
        worst=freeze(np.exp(utility[:, None] * -a).astype(np.float32)),
        utility=freeze(utility.astype(np.float32)),
        populations=freeze(populations),
        log_populations=freeze(np.append(np.zeros(len(populations) - 1), np.log(MIXED))),
        backwards=freeze(backwards),
        most_backwards=MOST_BACKWARDS,
        reliability=freeze(reliability),
        assortativity=freeze(np.array(assortativity)),
        log_assortativity=freeze(np.log(prior)),
        squares=freeze(np.concatenate([0 * q, a**2, a**2])),
        quality=freeze(np.concatenate([q, np.ones(2 * len(a))])),
        sharpness=freeze(np.concatenate([np.full(len(q), np.inf), a, a])),
    )


def _populations(q: FloatArray, a: FloatArray, backwards: NDArray[np.bool_]) -> FloatArray:
    """Return the prior of every type, by population: best first at each sharpness, then half worst first."""
    at_random = np.append(q == RANDOM, np.zeros(2 * len(a), bool))
    others = ~backwards & ~at_random
    few: FloatArray = np.zeros(len(backwards))
    for share, group in ((AT_RANDOM, at_random), (BACKWARDS, backwards), (OTHERS, others)):
        few[group] = share / max(group.sum(), 1)
    forwards = np.flatnonzero(a > 0)
    near = np.zeros((len(forwards), len(a)))
    near[:, forwards] = np.eye(len(forwards)) + NEIGHBOUR * (np.eye(len(forwards), k=1) + np.eye(len(forwards), k=-1))
    near /= near.sum(axis=1, keepdims=True)
    mallows = np.zeros((len(near), len(q)))
    most = [np.hstack([mallows, near, 0 * near]), np.hstack([mallows, near / 2, near / 2])]
    # Without sharp types, as in tests, all that do not rank backwards are equally probable.
    rows = np.vstack(most) if len(near) else others[None, :] / max(others.sum(), 1)
    populations: FloatArray = POPULATION_WEIGHT * (few + (1 - few.sum()) * rows)
    return populations


def grid_for(profile: Profile) -> Grid:
    """The tables for the ballots of a profile."""
    largest = int(profile.sizes.max(initial=1))
    assortativity = ASSORTATIVITY if _in_session(profile) else (0.0,)
    large = len(np.unique(profile.grader[profile.informative])) >= LARGE_CLASS
    return grid(largest, assortativity=assortativity, large_class=large)


def _in_session(profile: Profile) -> bool:
    """Whether graders submit comparison after comparison, as judges do whose pairs are chosen adaptively.

    Bundles of a class are allocated before anybody has ranked anything, so that like meets like in them
    by chance alone; with one ballot per grader, chance is easily taken for more.
    """
    submitted = np.bincount(profile.grader[profile.sizes > 1], minlength=profile.n_graders)
    return bool(submitted.any()) and float(submitted[submitted > 0].mean()) >= SEVERAL


def _log_norms(log_phi: FloatArray, largest: int) -> FloatArray:
    """Return the log of the product over j = 1..k of 1 + phi + ... + phi^(j-1), for k = 0..largest."""
    steps = np.zeros((len(log_phi), largest + 1))
    total = np.full(len(log_phi), -np.inf)
    for k in range(1, largest + 1):
        total = np.logaddexp(total, (k - 1) * log_phi)
        steps[:, k] = total
    return np.cumsum(steps, axis=1)
