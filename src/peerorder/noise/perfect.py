"""``perfect``: graders who rank every bundle in its true order."""

from peerorder.core.randomness import Generator
from peerorder.noise.crowd import CROWD
from peerorder.noise.noise import Noise, RankedBundles, Task

__all__ = ["NOISE"]


def rank(task: Task, rng: Generator) -> RankedBundles:  # noqa: ARG001 -- perfect graders leave nothing to chance
    """Rank in the true order itself."""
    return RankedBundles(task.papers, 1.0)


NOISE = Noise(
    name="perfect",
    summary="every grader ranks their bundle in its true order",
    citation="Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 4",
    rank=rank,
    options=CROWD,
)
