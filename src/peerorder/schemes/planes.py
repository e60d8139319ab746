"""``planes`` and ``order-revealing``: projective planes, in which every two papers share exactly one bundle.

A plane of order q has q^2 + q + 1 papers and as many bundles of q + 1. The construction is that of
Caragiannis et al. (2015, before Lemma 1), with its sums and products taken in the finite field of q elements, so that
q may be a prime power; q = 1 gives the hexagon of Table 1's first row.
"""

import numpy as np

from peerorder.core.arrays import IntArray, freeze
from peerorder.core.bundles import Bundles
from peerorder.core.errors import SchemeError
from peerorder.core.randomness import Generator
from peerorder.core.text import join_with_and
from peerorder.core.translation import gettext as _
from peerorder.schemes.scheme import Scheme

__all__ = ["ORDER_REVEALING", "PLANES", "plane", "prime_power"]


def prime_power(q: int) -> tuple[int, int] | None:
    """Return the prime p and exponent e with q = p^e, None where there are none."""
    if q < 2:
        return None
    p = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    e = 0
    while q % p == 0:
        q //= p
        e += 1
    return (p, e) if q == 1 else None


def _field(q: int) -> tuple[IntArray, IntArray]:
    """Return the addition and multiplication tables of the field with q elements (for q = 1, of the trivial ring)."""
    parts = prime_power(q)
    if parts is None or parts[1] == 1:
        x = np.arange(q)
        return (x[:, None] + x) % q, (x[:, None] * x) % q
    import galois  # slow to load, and needed for q = 4, 8, 9, 16, ... alone

    x = galois.GF(*parts).elements
    return np.asarray(x[:, None] + x, np.int64), np.asarray(x[:, None] * x, np.int64)


def plane(q: int) -> IntArray:
    """Return the bundles of the plane of order q, one per row, over papers 0 .. q^2 + q.

    In the article's notation, paper 0 is u, 1 + i its v_i, and 1 + q + i q + j its w_ij.

    Raises
    ------
    SchemeError
        Where q is neither 1 nor a prime power.
    """
    q = _order(q + 1)
    add, times = _field(q)
    x = np.arange(q)
    v, w = 1 + x, 1 + q + q * x[:, None] + x
    first = np.concatenate([[0], v])[None, :]
    rows = np.concatenate([np.zeros((q, 1), np.int64), w], axis=1)
    # C_is holds v_s and w_(j, i + j s) for every j.
    i, s, j = np.ix_(x, x, x)
    crossing = w[j, add[i, times[j, s]]].reshape(q * q, q)
    columns = np.concatenate([np.tile(v, q)[:, None], crossing], axis=1)
    return np.concatenate([first, rows, columns])


def _order(k: int) -> int:
    """Return the order of the plane with bundles of k papers; raise SchemeError if there is none."""
    q = k - 1
    if q == 1 or prime_power(q):
        return q
    fits = [c for c in range(2, 2 * k + 3) if c == 2 or prime_power(c - 1)]
    below = max((c for c in fits if c < k), default=None)
    above = min(c for c in fits if c > k)
    near = join_with_and([f"k={c}" for c in (below, above) if c is not None])
    raise SchemeError(
        _("k-1 is {q}, neither 1 nor a prime power, so there is no plane; the nearest that fit: {near}").format(
            q=q, near=near
        )
    )


def _whole_planes(n: int, k: int) -> int:
    """Return the number of planes for n papers; raise SchemeError with the nearest n if it is not whole."""
    size = _order(k) ** 2 + k
    copies, rest = divmod(n, size)
    if rest:
        near = [f"n={m * size}" for m in (copies, copies + 1) if m]
        raise SchemeError(
            _("n={n} is not a multiple of {size}, the size of a plane (k={k}); the nearest that fit: {near}").format(
                n=n, size=size, k=k, near=join_with_and(near)
            )
        )
    return copies


def _one_plane(n: int, k: int) -> None:
    size = _order(k) ** 2 + k
    if n != size:
        raise SchemeError(
            _("an order-revealing scheme with k={k} has exactly n={size} papers, not {n}").format(k=k, size=size, n=n)
        )


def construct(n: int, k: int, rng: Generator) -> Bundles:
    """Make disjoint copies of one plane, with papers on its nodes at random.

    In one plane every pair of papers shares a bundle, so perfect graders reveal the whole order (Lemma 1).
    """
    copies = _whole_planes(n, k)
    base = plane(k - 1)
    rows = (base[None] + len(base) * np.arange(copies)[:, None, None]).reshape(n, k)
    return Bundles.from_matrix(freeze(rng.permutation(n).astype(np.int32)[rows]), n)


PLANES = Scheme(
    name="planes",
    summary="disjoint projective planes (the girth-6 column of Caragiannis et al.); k-1 is 1 or a prime power",
    citation="Caragiannis, Krimpas, Voudouris (AAMAS 2015), sections 2 and 4",
    construct=construct,
    exists=_whole_planes,
    no_four_cycles=True,
)

ORDER_REVEALING = Scheme(
    name="order-revealing",
    summary="one projective plane, n = q^2+q+1 and k = q+1: every two papers share one bundle",
    citation="Caragiannis, Krimpas, Voudouris (AAMAS 2015), Lemma 1",
    construct=construct,
    exists=_one_plane,
    connected=True,
    no_four_cycles=True,
)
