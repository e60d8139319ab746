"""``next_pairs``: which comparisons to ask for next.

A comparison tells much where its result is open and something would be learnt from it: of two items that are
surely about equal, the result is open and says nothing. The mutual information between the result and the utilities
weighs both (Houlsby et al. 2011): the entropy of the result, less its mean entropy if the utilities were known.
Utilities are drawn from the posterior, or from the normal approximation at the maximum of a likelihood.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, xlogy

from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from peerorder.api.ranking import Ranking
    from peerorder.core.arrays import FloatArray

__all__ = ["next_pairs"]

DRAWS = 128
# Pairs that are looked at: those nearest to each other in the order.
MOST_CANDIDATES = 100_000
# The slope of a normal distribution function, by that of a logistic one of the same unit.
PROBIT = 1.7


def next_pairs(ranking: Ranking, k: int = 10) -> list[tuple[Hashable, Hashable]]:
    """Choose the pairs of items whose comparison would tell most, the most telling first.

    Pairs are spread over the items: none is asked for much more often than the others.

    Parameters
    ----------
    ranking
        By ``posterior``, ``bradley-terry``, ``plackett-luce`` or ``thurstone``, because these say how sure they are.
    k
        How many pairs.
    """
    n = len(ranking)
    if not 1 <= k <= n * (n - 1) // 2:
        raise InputError(
            _("`k` is {k}; of {n} items, give a number of pairs from 1 to {most}").format(
                k=k, n=n, most=n * (n - 1) // 2
            )
        )
    utilities = _utilities(ranking)
    order = ranking.outcome.order
    window = min(n - 1, max(1, MOST_CANDIDATES // n, -(-2 * k // n)))
    first, apart = np.divmod(np.arange(n * window), window)
    inside = first + apart + 1 < n
    one, other = order[first[inside]], order[(first + apart + 1)[inside]]
    parts = np.array_split(np.arange(len(one)), -(-len(one) // 5000))
    gain = np.concatenate([_information(utilities[:, one[part]] - utilities[:, other[part]]) for part in parts])
    chosen: list[tuple[Hashable, Hashable]] = []
    times: Counter[int] = Counter()
    most = -(-2 * k // n)
    best = np.argsort(-gain, kind="stable").tolist()
    while len(chosen) < k and best:
        left = []
        for index in best:
            a, b = int(one[index]), int(other[index])
            if len(chosen) < k and max(times[a], times[b]) < most:
                times.update((a, b))
                chosen.append((ranking.items[a], ranking.items[b]))
            else:
                left.append(index)
        best, most = left, most + 1
    return chosen


def _information(difference: FloatArray) -> FloatArray:
    """Return the mutual information of the result of each comparison, given draws of the difference in utility."""
    chance = expit(difference)
    result: FloatArray = _entropy(chance.mean(axis=0)) - _entropy(chance).mean(axis=0)
    return result


def _entropy(chance: FloatArray) -> FloatArray:
    entropy: FloatArray = -xlogy(chance, chance) - xlogy(1 - chance, 1 - chance)
    return entropy


def _utilities(ranking: Ranking) -> FloatArray:
    """Draw utilities of all items on the logistic scale, one row for each draw."""
    outcome = ranking.outcome
    if outcome.result.samples is None:
        values, vectors = np.linalg.eigh(ranking._covariance)
        spread = vectors * np.sqrt(np.maximum(values, 0))
        noise = child(0, "next pairs").normal(size=(DRAWS, len(values)))
        drawn: FloatArray = np.log(outcome.scores) + noise @ spread.T
        return drawn * (PROBIT if outcome.rule == "thurstone" else 1.0)
    # Places have no unit: the slope is the one at which graders are right as often as these were.
    reliability = outcome.result.reliability
    right = 0.8 if reliability is None else float(np.clip(np.mean(reliability), 0.55, 0.95))
    apart = (np.arange(200) + 0.5) / 200
    slope: float = brentq(lambda slope: np.sum(2 * (1 - apart) * expit(slope * apart)) / 200 - right, 0, 100)
    quantiles: FloatArray = -outcome.result.samples.places[-DRAWS:].astype(np.float64) / len(ranking)
    return quantiles * slope
