"""``generalised-mallows``: graders whose attention fades down the list.

A ballot is made from the top: at each stage the grader takes the truly best of the papers that are
left, or skips d papers with probability proportional to phi^d (Fligner and Verducci 1986, the
multistage form). At the first stage phi = (1-q)/q as in Condorcet's model; at each later one its
logarithm shrinks by the factor ``fade``, towards phi = 1, which is choosing blindly. Without fading
this is the Mallows model.
"""

import numpy as np

from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.noise.condorcet import LEVEL, TIED, qualities
from peerorder.noise.crowd import CROWD
from peerorder.noise.noise import Noise, RankedBundles, Task

__all__ = ["NOISE", "stagewise"]


def rank(task: Task, rng: Generator, level: float, tied: bool, fade: float) -> RankedBundles:
    """Draw ballots stage by stage, each with its grader's quality, the probability of ordering two papers correctly."""
    quality = qualities(task, rng, level / 100, tied)
    return RankedBundles(stagewise(task.papers, task.start, quality[task.grader], fade, rng), quality)


@kernel
def stagewise(papers, start, quality, fade, rng):  # type: ignore[no-untyped-def]
    """Draw rankings around the given rows, from the top; row r begins with phi = (1 - quality[r]) / quality[r]."""
    out = np.empty_like(papers)
    for row in range(len(start) - 1):
        first, last = start[row], start[row + 1]
        left = papers[first:last].copy()
        size = last - first
        # Below 1/2 a grader is the mirror image of one above it: the worst first.
        q = max(quality[row], 1 - quality[row])
        if quality[row] < 0.5:
            left = left[::-1].copy()
        # With q = 1 the logarithm is minus infinity and stays so: a perfect grader does not tire.
        log_phi = np.log((1 - q) / q) if q < 1 else -np.inf
        for stage in range(size):
            phi = np.exp(log_phi)
            options = size - stage
            skip = 0
            if phi > 0:
                total, power = 0.0, 1.0
                for _ in range(options):
                    total += power
                    power *= phi
                u = rng.random() * total
                power = 1.0
                while u >= power and skip < options - 1:
                    u -= power
                    power *= phi
                    skip += 1
                log_phi *= fade
            out[first + stage] = left[skip]
            for i in range(skip, options - 1):
                left[i] = left[i + 1]
    return out


NOISE = Noise(
    name="generalised-mallows",
    summary="the best of what is left, or one further down; attention fades down the list",
    citation="Fligner and Verducci (1986)",
    rank=rank,
    options=(
        LEVEL,
        TIED,
        Option("fade", 0.7, "factor by which the logarithm of phi shrinks from one stage to the next", 0, 1),
        *CROWD,
    ),
)
