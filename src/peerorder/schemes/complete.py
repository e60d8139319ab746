"""``complete``: copies of K_kk, the most disconnected bundle graph; the third column of Caragiannis et al. (2015)."""

import numpy as np

from peerorder.core.arrays import freeze
from peerorder.core.bundles import Bundles
from peerorder.core.randomness import Generator
from peerorder.schemes.random_regular import random_rows
from peerorder.schemes.scheme import Scheme

__all__ = ["SCHEME"]


def construct(n: int, k: int, rng: Generator) -> Bundles:
    """Make groups of k papers that k graders all rank; the rest goes into one larger random graph."""
    rest = n % k
    copies = n // k - (1 if rest else 0)
    rows = np.repeat(np.arange(copies * k, dtype=np.int32).reshape(copies, k), k, axis=0)
    if rest:
        rows = np.concatenate([rows, copies * k + random_rows(k + rest, k, rng)])
    return Bundles.from_matrix(freeze(rng.permutation(n).astype(np.int32)[rows]), n)


SCHEME = Scheme(
    name="complete",
    summary="copies of K_kk, and one k-regular graph where k does not divide n; any n > k",
    citation="Caragiannis, Krimpas, Voudouris (AAMAS 2015), section 4",
    construct=construct,
)
