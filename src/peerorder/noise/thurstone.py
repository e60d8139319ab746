"""``thurstone``: graders see utilities with normal errors, so close papers are confused more often."""

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.noise.crowd import CROWD
from peerorder.noise.noise import Noise, RankedBundles, Task
from peerorder.noise.utilities import CLUSTERS, PULL, SCHOOLS, TASTE, equal_places, rank_by_utility

__all__ = ["NOISE", "reliability"]


def rank(
    task: Task, rng: Generator, sigma: float, spread: float, pull: float, clusters: int, taste: float, schools: int
) -> RankedBundles:
    """Rank by utility plus a normal error whose size is the grader's own."""
    size = sigma * np.exp(spread * rng.standard_normal(len(task.authored)))
    owner = np.repeat(task.grader, np.diff(task.start))
    error = size[owner] * rng.standard_normal(len(task.papers))
    papers = rank_by_utility(task, rng, error, pull, clusters, taste, schools)
    # About two papers a taste is one more normal error, independent of the first.
    return RankedBundles(papers, np.nan if pull or clusters else reliability(np.hypot(size, taste)))


def reliability(sigma: FloatArray) -> FloatArray:
    """Return the probability of ordering two random papers correctly: 1/2 + arctan(1/sigma)/pi.

    The papers' difference and its observation are normal with correlation 1/sqrt(1 + sigma^2); they have the
    same sign with this probability (Sheppard 1899).
    """
    chance: FloatArray = 1 - np.arctan(sigma) / np.pi
    return chance


NOISE = Noise(
    name="thurstone",
    summary="papers have utilities, observed with normal errors, so close papers are confused more often",
    citation="Thurstone (1927)",
    rank=rank,
    options=(
        Option("sigma", 0.5, "size of the errors; utilities have a standard deviation of 1", 0),
        Option("spread", 0.0, "how much graders differ: the standard deviation of the logarithm of their sigma", 0),
        PULL,
        CLUSTERS,
        TASTE,
        SCHOOLS,
        *CROWD,
    ),
    true_places=equal_places,
)
