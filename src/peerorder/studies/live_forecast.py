"""How accurate the default rule is on a round as it stands, by the same simulations as the plan.

The number of comparisons of a paper says which bundle size the ballots amount to (see ``peerorder.theory.coverage``).
What the default rule gets right at that size, in a class of as many papers, is what the shipped simulations say, drawn
straight between whole numbers. A pair with a paper that was never compared is a coin toss.
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
    """Return the share of pairs, 0 to 1, that the default rule may be expected to put in the right order.

    Parameters
    ----------
    comparisons
        With how many papers each paper was compared, over all its ballots.
    noise
        How graders err, as in ``make_plan``: the level of ``condorcet``, in percent.
    """
    n = max(len(comparisons), N[0])
    k = min(effective_k(comparisons), float(SIZES[-1]))
    low = math.floor(k)
    share = _at(n, low, noise)
    if k > low:
        share += (k - low) * (_at(n, low + 1, noise) - share)
    compared = float(np.mean(comparisons > 0)) if len(comparisons) else 0.0
    return share * compared**2 + (1 - compared**2) / 2


def _at(n: int, k: int, noise: float) -> float:
    """In a full round; from one paper nothing can be learnt."""
    if k < SIZES[0]:
        return 0.5
    return expected(RULE, n, [(k, 0.0, noise)], [law_of_borda(k, 0.0, noise)])[0].recovered
