"""Pairwise accuracy of an order: the share of pairs in the right order, in O(n log n).

Of the pairs that are not tied in the truth, those in the right order count 1 and those tied in the
output count 1/2. This is Kendall's tau counted once more: with c right, d wrong and t tied pairs,
accuracy = (c + t/2) / (c + d + t). Everything is an exact integer until the last division.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from peerorder.core.arrays import FloatArray, Int32Array, as_array
from peerorder.core.errors import InputError
from peerorder.core.jit import kernel
from peerorder.core.translation import gettext as _, message, ngettext, translate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["kendall_tau", "pairwise_accuracy", "true_ranks"]


def pairwise_accuracy(truth: ArrayLike, output: ArrayLike) -> float:
    """Return the share of pairs that ``output`` puts in the order of ``truth``, from 0 to 1.

    Both give one number per paper, both in the same direction: two lists of places, or two lists of
    scores. Equal numbers are ties.
    """
    wrong, tied, pairs = _counts(truth, output)
    if pairs == 0:
        raise InputError(_("no two papers have different true places, so pairwise accuracy is not defined"))
    return (2 * (pairs - wrong) - tied) / (2 * pairs)


def kendall_tau(truth: ArrayLike, output: ArrayLike) -> float:
    """Return Kendall's tau-b between two lists of ranks, or of scores: 1 for the same order, -1 for the reverse."""
    wrong, tied, pairs = _counts(truth, output)
    pairs_of_output = _counts(output, output)[2]
    if pairs == 0 or pairs_of_output == 0:
        raise InputError(_("Kendall's tau needs two different ranks on either side; all of one side are tied"))
    return (pairs - tied - 2 * wrong) / math.sqrt(pairs * pairs_of_output)


def true_ranks(truth: ArrayLike, n: int, cure: str = message("give their ranks")) -> FloatArray:
    """Return true ranks, from 0 or 1; raise InputError where they must be something else, such as utilities.

    Ranks are halves or wholes from 0 to n; scores are not, and point the other way.
    """
    ranks = _numbers(truth, message("the truth")).astype(np.float64)
    odd = (ranks < 0) | (ranks > n) | (2 * ranks % 1 != 0)
    if odd.any():
        raise InputError(
            _(
                "the truth has {rank:g}, which is not a rank from 1 to {n}; for utilities or scores, where "
                "more is better, {cure}"
            ).format(rank=ranks[np.argmax(odd)], n=n, cure=translate(cure))
        )
    return ranks


def _counts(truth: ArrayLike, output: ArrayLike) -> tuple[int, int, int]:
    first, second = _numbers(truth, message("the truth")), _numbers(output, message("the output"))
    if first.shape != second.shape:
        raise InputError(
            ngettext(
                "`truth` has {papers} paper, `output` has {others}; give both for the same papers",
                "`truth` has {papers} papers, `output` has {others}; give both for the same papers",
                first.size,
            ).format(papers=first.size, others=second.size)
        )
    wrong, tied, pairs = map(int, _count_pairs(_dense(first), _dense(second)))
    return wrong, tied, pairs


def _numbers(values: ArrayLike, what: str) -> NDArray[np.generic]:
    array = as_array(values, translate(what), InputError)
    if array.ndim != 1 or array.dtype.kind not in "iufb":
        raise InputError(_("{what} must be one number for every paper").format(what=translate(what)))
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise InputError(
            _("{what} has a value that is not a number (at {index})").format(
                what=translate(what), index=int(np.argmax(np.isnan(array)))
            )
        )
    return array


def _dense(values: NDArray[np.generic]) -> Int32Array:
    """Return ranks from 0 up without gaps; equal values share a rank. Places pass through without a sort."""
    n = len(values)
    if values.dtype.kind in "iu" and n and values.min() >= 0 and values.max() < n:
        used = np.bincount(values.astype(np.int64, copy=False), minlength=n) > 0
        if used.all():
            return values.astype(np.int32)
        rank: Int32Array = (np.cumsum(used) - 1).astype(np.int32)[values]
        return rank
    order = np.argsort(values)
    ordered = values[order]
    steps = np.zeros(n, np.int32)
    steps[1:] = np.cumsum(ordered[1:] != ordered[:-1])
    ranks = np.empty(n, np.int32)
    ranks[order] = steps
    return ranks


@kernel
def _count_pairs(a, b):  # type: ignore[no-untyped-def]
    """Count wrong pairs, pairs tied in b alone, and pairs not tied in a; a and b are dense ranks."""
    n = len(a)
    # Radix sort by (a, b): counting sort by b, then a stable one by a.
    count = np.zeros(n + 1, np.int64)
    for i in range(n):
        count[b[i] + 1] += 1
    tied_b = 0
    for v in range(1, n + 1):
        tied_b += count[v] * (count[v] - 1) // 2
        count[v] += count[v - 1]
    by_b = np.empty(n, np.int32)
    for i in range(n):
        by_b[count[b[i]]] = i
        count[b[i]] += 1
    count[:] = 0
    for i in range(n):
        count[a[i] + 1] += 1
    tied_a = 0
    for v in range(1, n + 1):
        tied_a += count[v] * (count[v] - 1) // 2
        count[v] += count[v - 1]
    values = np.empty(n, np.int32)
    tied_both = 0
    run = 0
    group = np.empty(n, np.int32)
    for t in range(n):
        i = by_b[t]
        values[count[a[i]]] = b[i]
        group[count[a[i]]] = a[i]
        count[a[i]] += 1
    for t in range(1, n):
        run = run + 1 if group[t] == group[t - 1] and values[t] == values[t - 1] else 0
        tied_both += run
    # Merge sort from the bottom up, over runs of 32 sorted by insertion; an inversion is a wrong pair.
    wrong = 0
    width = 32
    for left in range(0, n, width):
        for i in range(left + 1, min(left + width, n)):
            v = values[i]
            j = i
            while j > left and values[j - 1] > v:
                values[j] = values[j - 1]
                j -= 1
            values[j] = v
            wrong += i - j
    buffer = np.empty(n, np.int32)
    while width < n:
        for left in range(0, n, 2 * width):
            middle = min(left + width, n)
            right = min(left + 2 * width, n)
            i, j = left, middle
            for t in range(left, right):
                if i < middle and (j >= right or values[i] <= values[j]):
                    buffer[t] = values[i]
                    i += 1
                else:
                    buffer[t] = values[j]
                    wrong += middle - i
                    j += 1
        values, buffer = buffer, values
        width *= 2
    pairs = n * (n - 1) // 2 - tied_a
    return wrong, tied_b - tied_both, pairs
