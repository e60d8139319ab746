"""The recovery metric against scipy.stats.kendalltau, which counts the same pairs and adds a p-value.

Without ties the share of pairs in the right order is (tau + 1) / 2.
"""

from collections.abc import Iterator
from functools import partial

from scipy.stats import kendalltau

from benchmarks.data import sample_round, true_places
from benchmarks.timing import Line, alternated
from peerorder import RULES, InputError, child, pairwise_accuracy

__all__ = ["lines"]

SIZES, K = (1000, 1_000_000), 8


def lines(repeat: int) -> Iterator[Line]:
    for n in SIZES:
        truth = true_places(n)
        places = RULES["borda"].aggregate(sample_round(n, K), child(0, "recovery")).places
        if abs(pairwise_accuracy(truth, places) - (kendalltau(truth, places).statistic + 1) / 2) > 1e-12:
            raise InputError("recovered and kendalltau count different pairs; there is nothing to compare")
        ours, other = alternated(
            {
                "recovered": partial(pairwise_accuracy, truth, places),
                "scipy.stats.kendalltau": partial(kendalltau, truth, places),
            },
            repeat,
        )
        yield Line(f"recovery of Borda's order, n={n:,}", ours, other)
