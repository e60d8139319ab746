"""Borda against np.bincount, and against bare loops over the same memory.

np.bincount adds a weight a ranked paper: the paper's points, k for first down to 1 for last. Its best case
is what it wants inside, int64 indices and float64 weights, made beforehand at no charge; given the int32
papers of a profile as they are it must convert them first. Our side adds wins and comparisons as integers,
for ballots of any sizes, and divides: more work than np.bincount does.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.data import SEED, sample_round
from benchmarks.timing import Line, alternated
from peerorder import RULES, InputError, Profile, child
from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.jit import kernel
from peerorder.rules.borda import borda_sums

__all__ = ["lines"]

N, K = 1_000_000, 8
# What is timed here is short, and waits for memory that other programs want too.
ROUNDS = 3


def lines(repeat: int) -> Iterator[Line]:
    profile = sample_round(N, K)
    papers, points = profile.papers.astype(np.int64), np.tile(np.arange(K, 0, -1.0), N)
    rule, rng = RULES["borda"], child(SEED, "ties")
    _same_points(profile, papers, points)
    totals = np.zeros(N, np.int64)

    def numpy_order() -> object:
        shuffled = rng.permutation(N)
        return shuffled[np.argsort(-np.bincount(papers, points, N)[shuffled], kind="stable")]

    ours, sums, *others = alternated(
        {
            "scores": lambda: rule.compute(profile, rng),
            "sums alone": lambda: borda_sums(profile),
            "np.bincount, int64 and float64 made beforehand": lambda: np.bincount(papers, points, N),
            "np.bincount, int32 papers as they are": lambda: np.bincount(profile.papers, points, N),
            "bare loop that adds 1 to each paper in turn": lambda: count_each(profile.papers, totals),
            "bare loop that reads the papers": lambda: add_up(profile.papers),
        },
        ROUNDS * repeat,
    )
    size = f"n={N:,}, k={K}"
    yield Line(f"Borda's scores, {size}", ours, others[0], at_most=1)
    yield Line(f"Borda's scores, {size}", ours, others[1], at_most=1)
    for other in (others[0], *others[2:]):
        yield Line(f"Borda's sums, {size}", sums, other)
    whole, in_numpy = alternated(
        {
            "aggregate": lambda: rule.aggregate(profile, rng),
            "np.bincount, permutation, stable argsort": numpy_order,
        },
        repeat,
    )
    yield Line(f"Borda's whole order, {size}", whole, in_numpy)


def _same_points(profile: Profile, papers: IntArray, points: FloatArray) -> None:
    """A paper has a point for every win and one more for every ballot, or the sides did different work."""
    if not np.array_equal(borda_sums(profile)[:, 0] / 2, np.bincount(papers, points, N) - profile.rankings):
        raise InputError("borda and np.bincount give different points; there is nothing to compare")


@kernel
def count_each(papers, totals):  # type: ignore[no-untyped-def]
    """Touch the total of every ranked paper, in the order of the ballots, and do nothing else."""
    for at in range(len(papers)):
        # Unsigned, so that numba makes no code for indices from the end.
        totals[np.uint32(papers[at])] += 1


@kernel
def add_up(papers):  # type: ignore[no-untyped-def]
    """Read every ranked paper once: no rule can do less."""
    total = 0
    for at in range(len(papers)):
        total += papers[at]
    return total
