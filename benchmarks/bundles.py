"""The ``random`` scheme against k random permutations of the papers, the least that k matchings can be.

Permutations know nothing of each other and may give a bundle the same paper twice; the scheme never does,
and ``build`` also checks what it made.
"""

from collections.abc import Iterator

from benchmarks.data import SEED
from benchmarks.timing import Line, alternated
from peerorder import SCHEMES, child
from peerorder.schemes.random_regular import random_rows

__all__ = ["lines"]

N, K = 1_000_000, 8


def lines(repeat: int) -> Iterator[Line]:
    scheme, rng = SCHEMES["random"], child(SEED, "random")

    def permutations() -> None:
        for _ in range(K):
            rng.permutation(N)

    whole, alone, other = alternated(
        {
            "build": lambda: scheme.build(N, K, rng),
            "matchings alone": lambda: random_rows(N, K, rng),
            f"{K} times rng.permutation(n)": permutations,
        },
        repeat,
    )
    yield Line(f"random bundles, checked, n={N:,}, k={K}", whole, other, at_most=4)
    yield Line(f"random bundles, unchecked, n={N:,}, k={K}", alone, other)
