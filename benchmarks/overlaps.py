"""eta(G) at a size that a dense matrix would not bear; for information."""

from collections.abc import Iterator

from benchmarks.data import SEED
from benchmarks.timing import Line, alternated
from peerorder import SCHEMES, child
from peerorder.theory import eta

__all__ = ["lines"]

N, K = 10_000, 12
# It takes seconds, and there is nothing to compare it with.
ROUNDS_AT_MOST = 2


def lines(repeat: int) -> Iterator[Line]:
    bundles = SCHEMES["random"].build(N, K, child(SEED, "eta"))
    (ours,) = alternated({"eta": lambda: eta(bundles)}, min(repeat, ROUNDS_AT_MOST))
    yield Line(f"eta(G), random bundles, n={N:,}, k={K}", ours)
