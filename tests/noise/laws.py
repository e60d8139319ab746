"""Exact laws of ballots, and how well draws fit one."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
from scipy.stats import chi2

LIMIT = 1e-3


def wrong_pairs(ranking):
    return sum(a > b for a, b in combinations(ranking, 2))


def mallows(quality, k=4):
    """The exact law: a ranking with d wrong pairs has probability phi^d / Z, phi = (1 - q) / q."""
    pairs = k * (k - 1) // 2
    weights = {
        ranking: quality ** (pairs - wrong_pairs(ranking)) * (1 - quality) ** wrong_pairs(ranking)
        for ranking in permutations(range(k))
    }
    return {ranking: weight / sum(weights.values()) for ranking, weight in weights.items()}


def p_value(rankings, law):
    """Of a chi-square test that the rankings come from the law; rare ones are counted as one."""
    counts, total = Counter(rankings), len(rankings)
    often = [ranking for ranking, probability in law.items() if probability * total >= 5]
    seen = np.array([counts[ranking] for ranking in often], float)
    expected = np.array([law[ranking] * total for ranking in often])
    if total - expected.sum() > 1e-6:
        seen, expected = np.append(seen, total - seen.sum()), np.append(expected, total - expected.sum())
    return chi2.sf(((seen - expected) ** 2 / expected).sum(), len(expected) - 1)
