"""``plackett-luce``: graders see utilities with Gumbel errors: the best first, by the odds, then the next."""

from functools import lru_cache

import numpy as np
from scipy.special import expit

from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.noise.crowd import CROWD
from peerorder.noise.noise import Noise, RankedBundles, Task
from peerorder.noise.utilities import CLUSTERS, PULL, SCHOOLS, TASTE, equal_places, rank_by_utility

__all__ = ["NOISE", "reliability"]


def rank(
    task: Task, rng: Generator, scale: float, pull: float, clusters: int, taste: float, schools: int
) -> RankedBundles:
    """Rank by utility plus a Gumbel error: exactly the Plackett-Luce model with weights exp(utility / scale)."""
    error = scale * rng.gumbel(size=len(task.papers))
    papers = rank_by_utility(task, rng, error, pull, clusters, taste, schools)
    return RankedBundles(papers, np.nan if pull or clusters or taste else reliability(scale))


@lru_cache
def reliability(scale: float) -> float:
    """Return the probability of ordering two random papers correctly: the mean of logistic(|u - v| / scale).

    |u - v| is sqrt(2) times a half-normal number. Between two utilities errors of this law differ by a logistic one.
    """
    from scipy.integrate import quad  # takes longer to load than everything else here

    if scale == 0:
        return 1.0

    def wrong(z: float) -> float:
        return float(expit(-np.sqrt(2) * z / scale) * np.exp(-(z**2) / 2))

    # Beyond 10 the density is below a float's precision; errors happen at distances of about the scale.
    return 1 - float(np.sqrt(2 / np.pi) * quad(wrong, 0, 10, points=[min(scale, 10), min(8 * scale, 10)])[0])


NOISE = Noise(
    name="plackett-luce",
    summary="papers have utilities, observed with Gumbel errors: picked one by one by the odds exp(utility / scale)",
    citation="Luce (1959); Plackett (1975); by Gumbel errors: Yellott (1977)",
    rank=rank,
    options=(
        Option("scale", 0.5, "scale of the Gumbel errors; utilities have a standard deviation of 1", 0),
        PULL,
        CLUSTERS,
        TASTE,
        SCHOOLS,
        *CROWD,
    ),
    true_places=equal_places,
)
