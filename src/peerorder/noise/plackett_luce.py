"""``plackett-luce``: graders see utilities with Gumbel errors: the best first, by the odds, then the next."""

from peerorder.core.arrays import Int32Array
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.noise.crowd import CROWD
from peerorder.noise.noise import Noise, Task
from peerorder.noise.utilities import CLUSTERS, PULL, equal_places, rank_by_sight

__all__ = ["NOISE"]


def rank(task: Task, rng: Generator, scale: float, pull: float, clusters: int) -> Int32Array:
    """Utility plus a Gumbel error: exactly the Plackett-Luce model with weights exp(utility / scale)."""
    error = scale * rng.gumbel(size=len(task.papers))
    return rank_by_sight(task, rng, error, pull, clusters)


NOISE = Noise(
    name="plackett-luce",
    summary="utilities seen with Gumbel errors: chosen one after another by the odds exp(utility / scale)",
    citation="Luce (1959); Plackett (1975); by Gumbel errors: Yellott (1977)",
    rank=rank,
    options=(
        Option("scale", 0.5, "scale of the Gumbel errors; utilities have a standard deviation of 1", 0),
        PULL,
        CLUSTERS,
        *CROWD,
    ),
    true_places=equal_places,
)
