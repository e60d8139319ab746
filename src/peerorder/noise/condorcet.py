"""``condorcet``: a grader of quality q decides each pair correctly with probability q.

All pairs are decided anew until the result has no cycle. Given no cycle, a ranking with d wrong pairs
has probability proportional to phi^d with phi = (1-q)/q: exactly the Mallows model. Repeated insertion
(Doignon, Pekec, Regenwetter 2004) draws it without any rejection: the j-th best paper moves d places
up from the end of the j-1 before it with probability proportional to phi^d.
"""

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator
from peerorder.core.registry import Option
from peerorder.noise.crowd import CROWD
from peerorder.noise.noise import Noise, RankedBundles, Task

__all__ = ["LEVEL", "NOISE", "TIED", "insertion", "qualities"]

LEVEL = Option("level", 50.0, "noise level in percent: qualities are uniform on [1 - level/100, 1]", 0, 100)
TIED = Option("tied", True, "yes: the better a student's own paper, the better they grade; no: independent")


def rank(task: Task, rng: Generator, level: float, tied: bool) -> RankedBundles:
    """Draw Mallows ballots, each with its grader's quality."""
    quality = qualities(task, rng, level / 100, tied)
    return RankedBundles(insertion(task.papers, task.start, quality[task.grader], rng), quality)


def qualities(task: Task, rng: Generator, noise: float, tied: bool) -> FloatArray:
    """Draw qualities, uniform on [1 - noise, 1]; tied: the best paper's author has the highest quality, and so on."""
    graders = 1 - noise * rng.random(len(task.authored))
    if tied:
        by_place = np.sort(1 - noise * rng.random(len(task.truth)))[::-1]
        authors = task.authored >= 0
        graders[authors] = by_place[task.truth[task.authored[authors]]]
    return graders


@kernel
def insertion(papers, start, quality, rng):  # type: ignore[no-untyped-def]
    """Draw Mallows rankings around the given rows, row r with phi = (1 - quality[r]) / quality[r]."""
    out = np.empty_like(papers)
    for row in range(len(start) - 1):
        first, last = start[row], start[row + 1]
        # Below 1/2 a grader is the mirror image of one above it.
        q = max(quality[row], 1 - quality[row])
        phi = (1 - q) / q
        total = 0.0
        power = 1.0
        for j in range(last - first):
            total += power
            power *= phi
            up = 0
            if phi > 0:
                u = rng.random() * total
                term = 1.0
                while u >= term and up < j:
                    u -= term
                    term *= phi
                    up += 1
            index = first + j
            for _ in range(up):
                out[index] = out[index - 1]
                index -= 1
            out[index] = papers[first + j]
        if quality[row] < 0.5:
            i, j = first, last - 1
            while i < j:
                out[i], out[j] = out[j], out[i]
                i += 1
                j -= 1
    return out


NOISE = Noise(
    name="condorcet",
    summary="each pair right with the grader's quality, given no cycle (Mallows)",
    citation="Condorcet (1785); Mallows (1957); Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 4",
    rank=rank,
    options=(LEVEL, TIED, *CROWD),
)
