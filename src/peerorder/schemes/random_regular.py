"""``random``: k random perfect matchings, the random k-regular bundle graph of Caragiannis et al. (2015).

Every matching is built bundle by bundle: each draws uniformly among the papers that this matching
has left and that it does not hold yet. A bundle that finds none is stuck, and the article starts all
over again. That is exact and almost free while k is well below the square root of n, and hopeless
for dense graphs, so after a few fresh starts a stuck bundle swaps with an earlier one instead
(possible whenever k <= n/2), and a graph with k > n/2 is the complement of one with n - k.
"""

import numpy as np

from peerorder.core.arrays import Int32Array, freeze
from peerorder.core.bundles import Bundles
from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator
from peerorder.schemes.scheme import Scheme

__all__ = ["SCHEME", "random_rows"]

FRESH_STARTS = 20


def random_rows(n: int, k: int, rng: Generator) -> Int32Array:
    """Return the bundles as an n by k matrix."""
    rows = np.empty((n, k), np.int32)
    for _ in range(FRESH_STARTS):
        if draw_matchings(rows, rng, False):
            return rows
    if 2 * k <= n:
        draw_matchings(rows, rng, True)
        return rows
    others = random_rows(n, n - k, rng)
    absent = np.ones((n, n), bool)
    np.put_along_axis(absent, others, False, axis=1)
    return np.nonzero(absent)[1].astype(np.int32).reshape(n, k)


def construct(n: int, k: int, rng: Generator) -> Bundles:
    """Make a random bundle graph. Matchings treat all papers equally, so no further shuffle is needed."""
    return Bundles.from_matrix(freeze(random_rows(n, k, rng)), n)


@kernel
def draw_matchings(rows, rng, repair):  # type: ignore[no-untyped-def]
    """Fill ``rows`` column by column with perfect matchings; return False if stuck and ``repair`` is False."""
    n, k = rows.shape
    pool = np.arange(n).astype(np.int32)
    for j in range(k):
        # pool[:b] has been given to bundles 0..b-1 in this matching, pool[b:] is left.
        for b in range(n):
            left = n - b
            index = -1
            for _ in range(64):
                t = b + int(rng.random() * left)
                fits = True
                for c in range(j):
                    if rows[b, c] == pool[t]:
                        fits = False
                        break
                if fits:
                    index = t
                    break
            if index < 0:
                # Rarely lucky: list what fits. With more than j papers left something always does.
                fitting = 0
                for t in range(b, n):
                    fits = True
                    for c in range(j):
                        if rows[b, c] == pool[t]:
                            fits = False
                            break
                    if fits:
                        # Reservoir sampling keeps one of those that fit, each equally likely.
                        fitting += 1
                        if rng.random() * fitting < 1.0:
                            index = t
            if index < 0:
                if not repair:
                    return False
                # Give a paper p that is left to an earlier bundle, and that bundle's paper to this one.
                t = b + int(rng.random() * left)
                p = pool[t]
                count = 0
                chosen = -1
                for other in range(b):
                    fits = True
                    for c in range(j):
                        if rows[other, c] == p or rows[b, c] == rows[other, j]:
                            fits = False
                            break
                    if fits:
                        count += 1
                        if rng.random() * count < 1.0:
                            chosen = other
                rows[b, j] = rows[chosen, j]
                rows[chosen, j] = p
                pool[t] = pool[b]
                # pool[:b + 1] no longer lists papers in the order of bundles; only its content matters.
                pool[b] = p
                continue
            rows[b, j] = pool[index]
            pool[index] = pool[b]
            pool[b] = rows[b, j]
    return True


SCHEME = Scheme(
    name="random",
    summary="k random perfect matchings; any n > k",
    citation="Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 4",
    construct=construct,
)
