"""Expected accuracy of a round in progress: the exact law of Borda at the effective bundle size of its ballots.

In a full round of bundles of k every paper is compared k (k - 1) times. Where ballots are missing or short, the mean
number of comparisons of a paper gives the effective k; between whole numbers the law is interpolated linearly.
A pair with a paper that was never compared is a coin toss.
"""

import math

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.theory.limit_law import borda_law

__all__ = ["accuracy_so_far", "effective_k"]

# Beyond this bundle size the law takes seconds; it is above 99% long before.
LARGEST = 60


def effective_k(comparisons: IntArray) -> float:
    """Return the bundle size of a full round with as many comparisons per paper, over papers that have any."""
    some = comparisons[comparisons > 0]
    return (1 + math.sqrt(1 + 4 * float(some.mean()))) / 2 if len(some) else 1.0


def accuracy_so_far(comparisons: IntArray, noise: float = 0.3) -> float:
    """Return the share of pairs, 0 to 1, that Borda is expected to put in the right order.

    Parameters
    ----------
    comparisons
        The number of papers that each paper was compared with, over all its ballots.
    noise
        The noise level of the graders, as in ``borda_law``.
    """
    k = min(effective_k(comparisons), float(LARGEST))
    low = math.floor(k)
    law = borda_law(low, noise=noise)
    if k > low:
        law += (k - low) * (borda_law(low + 1, noise=noise) - law)
    compared = float(np.mean(comparisons > 0)) if len(comparisons) else 0.0
    return law * compared**2 + (1 - compared**2) / 2
