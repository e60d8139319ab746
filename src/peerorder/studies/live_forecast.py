"""Expected accuracy of the default rule on a round in progress, by the same simulations as the plan.

The number of comparisons per paper gives the effective bundle size (see ``peerorder.theory.coverage``). The accuracy
of the default rule at that size, in a class of as many papers, comes from the shipped simulations, interpolated
linearly between whole numbers. A pair with a paper that was never compared is a coin toss.
"""

import math

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.studies.plan import GRADERS
from peerorder.studies.plan_cache import expected
from peerorder.studies.plan_study import RULES_RUN, SIZES, N, law_of_borda
from peerorder.theory import effective_k

__all__ = ["expected_so_far"]

RULE = RULES_RUN[0]


def expected_so_far(comparisons: IntArray, noise: float = GRADERS["average"]) -> float:
    """Return the share of pairs, 0 to 1, that the default rule is expected to put in the right order.

    Parameters
    ----------
    comparisons
        The number of papers that each paper was compared with, over all its ballots.
    noise
        The noise level of the graders, as in ``make_plan``: the level of ``condorcet``, in percent.
    """
    n = max(len(comparisons), N[0])
    k = min(effective_k(comparisons), float(SIZES[-1]))
    low = math.floor(k)
    share = _expected_in_full_round(n, low, noise)
    if k > low:
        share += (k - low) * (_expected_in_full_round(n, low + 1, noise) - share)
    compared = float(np.mean(comparisons > 0)) if len(comparisons) else 0.0
    return share * compared**2 + (1 - compared**2) / 2


def _expected_in_full_round(n: int, k: int, noise: float) -> float:
    """Return the accuracy of a full round; 1/2 where each ballot has one paper."""
    if k < SIZES[0]:
        return 0.5
    return expected(RULE, n, [(k, 0.0, noise)], [law_of_borda(k, 0.0, noise)])[0].pairwise_accuracy
