"""``girth6``: a connected, random-like k-regular graph without 4-cycles, for any n that is large enough.

It has the guarantee of girth 6 (Theorem 2) and, unlike copies of a plane, the connectivity that
RSD and every later rule needs. It is not in Caragiannis et al. (2015).

A random graph has about (k-1)^4 / 4 cycles of length 4, whatever n is. Each is broken by a switch:
edges (b, p) and (c, q) become (b, q) and (c, p) where that makes no new 4-cycle. Where n is so small
that switches seldom succeed, the start is a cyclic graph from a Golomb ruler instead, which has no
4-cycle, stirred by as many switches as it allows.
"""

import numpy as np

from peerorder.core.arrays import Int32Array, freeze
from peerorder.core.bundles import Bundles
from peerorder.core.errors import SchemeError
from peerorder.core.graph import transpose
from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator
from peerorder.core.translation import gettext as _
from peerorder.schemes.golomb import ruler
from peerorder.schemes.random_regular import random_rows
from peerorder.schemes.scheme import Scheme

__all__ = ["SCHEME", "smallest_n"]

TRIES_A_SWITCH = 1000
STIRS_AN_EDGE = 50


def smallest_n(k: int) -> int:
    """Return the number of papers from which on ``girth6`` exists for every n."""
    return 2 * ruler(k)[-1] + 1


def _large_enough(n: int, k: int) -> None:
    if k < 2:
        raise SchemeError(_("k is 1, and bundles of one paper are never connected; girth6 needs a k of at least 2"))
    if n < smallest_n(k):
        raise SchemeError(
            _(
                "girth6 with k={k} needs at least {least} papers, but n={n}; choose a smaller k or the scheme random"
            ).format(k=k, least=smallest_n(k), n=n)
        )


def construct(n: int, k: int, rng: Generator) -> Bundles:
    """Break the 4-cycles of a random graph, or stir a cyclic one; then join its components."""
    rows = random_rows(n, k, rng)
    if not break_four_cycles(rows, _holders(rows), rng, TRIES_A_SWITCH):
        rows = ((np.arange(n)[:, None] + np.array(ruler(k))) % n).astype(np.int32)
        stir(rows, _holders(rows), rng, STIRS_AN_EDGE * n * k)
        rows = rng.permutation(n).astype(np.int32)[rows]
    return _join(rows, rng)


def _holders(rows: Int32Array) -> Int32Array:
    """Return the k bundles of every paper, one row per paper."""
    n, k = rows.shape
    holders: Int32Array = transpose(freeze(rows.reshape(-1)), freeze(np.arange(n + 1) * k), n)[1]
    return holders.reshape(n, k)


def _join(rows: Int32Array, rng: Generator) -> Bundles:
    """Switch one edge of every component with one of the first, and return the bundles.

    A k-regular bipartite graph with k >= 2 has no bridge, so both stay whole and become one; and a
    4-cycle through one of the two new edges would need a third edge between the components.
    """
    n, k = rows.shape
    bundles = Bundles.from_matrix(freeze(rows), n)
    if bundles.components == 1:
        return bundles
    rows = rows.copy()
    label = bundles.component_labels[rows[:, 0]]
    first = np.flatnonzero(label == 0)
    for component in range(1, bundles.components):
        b, c = rng.choice(first), rng.choice(np.flatnonzero(label == component))
        i, j = rng.integers(k, size=2)
        rows[b, i], rows[c, j] = rows[c, j], rows[b, i]
    return Bundles.from_matrix(freeze(rows), n)


@kernel
def makes_cycle(rows, holders, b, p, without_paper, without_bundle, mark):  # type: ignore[no-untyped-def]
    """Return whether bundle b and paper p would be on a 4-cycle, were b to lose one paper and p one bundle.

    ``mark[c]`` is the last call that marked bundle c; the number of this call is in its last entry.
    """
    k = rows.shape[1]
    mark[-1] += 1
    call = mark[-1]
    for x in range(k):
        mark[holders[p, x]] = call
    mark[without_bundle] = 0
    if mark[b] == call:
        return True
    for y in range(k):
        other = rows[b, y]
        if other == without_paper:
            continue
        for x in range(k):
            if mark[holders[other, x]] == call:
                return True
    return False


@kernel
def try_switch(rows, holders, b, i, c, j, mark):  # type: ignore[no-untyped-def]
    """Exchange the i-th paper of bundle b with the j-th of bundle c where no 4-cycle arises."""
    p, q = rows[b, i], rows[c, j]
    if b == c or p == q:
        return False
    if makes_cycle(rows, holders, b, q, p, c, mark) or makes_cycle(rows, holders, c, p, q, b, mark):
        return False
    rows[b, i] = q
    rows[c, j] = p
    for x in range(rows.shape[1]):
        if holders[p, x] == b:
            holders[p, x] = c
            break
    for x in range(rows.shape[1]):
        if holders[q, x] == c:
            holders[q, x] = b
            break
    return True


@kernel
def shares_two(rows, holders, b, mark):  # type: ignore[no-untyped-def]
    """Return whether bundle b shares two papers with another, so that some of its edges are on a 4-cycle."""
    k = rows.shape[1]
    mark[-1] += 1
    call = mark[-1]
    for y in range(k):
        for x in range(k):
            other = holders[rows[b, y], x]
            if other != b:
                if mark[other] == call:
                    return True
                mark[other] = call
    return False


@kernel
def on_four_cycle(rows, holders, b, p, mark):  # type: ignore[no-untyped-def]
    """Return whether the edge between bundle b and its paper p is on a 4-cycle."""
    k = rows.shape[1]
    mark[-1] += 1
    call = mark[-1]
    for x in range(k):
        mark[holders[p, x]] = call
    mark[b] = 0
    for y in range(k):
        if rows[b, y] != p:
            for x in range(k):
                if mark[holders[rows[b, y], x]] == call:
                    return True
    return False


@kernel
def break_four_cycles(rows, holders, rng, tries):  # type: ignore[no-untyped-def]
    """Switch every edge on a 4-cycle away; return False if one cannot be. A switch makes no new 4-cycle."""
    n, k = rows.shape
    mark = np.zeros(n + 1, np.int64)
    for b in range(n):
        if not shares_two(rows, holders, b, mark):
            continue
        for i in range(k):
            if not on_four_cycle(rows, holders, b, rows[b, i], mark):
                continue
            done = False
            for _attempt in range(tries):
                if try_switch(rows, holders, b, i, int(rng.random() * n), int(rng.random() * k), mark):
                    done = True
                    break
            if not done:
                return False
    return True


@kernel
def stir(rows, holders, rng, times):  # type: ignore[no-untyped-def]
    """Try ``times`` random switches."""
    n, k = rows.shape
    mark = np.zeros(n + 1, np.int64)
    for _switch in range(times):
        b, c = int(rng.random() * n), int(rng.random() * n)
        try_switch(rows, holders, b, int(rng.random() * k), c, int(rng.random() * k), mark)


SCHEME = Scheme(
    name="girth6",
    summary="connected, random-like, no 4-cycles; any n from about 2 k^2 up",
    citation="peerorder; cyclic start from Golomb rulers",
    construct=construct,
    exists=_large_enough,
    connected=True,
    no_four_cycles=True,
)
