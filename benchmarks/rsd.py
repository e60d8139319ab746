"""RSD against its plain Python twin, against a bare transitive closure, and its memory at n=10,000.

The closure is Warshall's over rows of bits, of all that the same ballots say. With perfect graders it is
what RSD's first phase must find; with noisy ones the ballots contradict each other, everything follows from
everything, and the closure is the fullest there can be.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import SEED, sample_round, true_places
from benchmarks.memory import rsd_apart
from benchmarks.naive_rsd import naive_rsd
from benchmarks.timing import Line, Measured, alternated
from peerorder import NOISES, RULES, SCHEMES, InputError, Profile, child
from peerorder.core.jit import kernel

__all__ = ["lines"]

K = 8
SMALL, PAPER, LARGE = 200, 1000, 10_000
MEGABYTES_AT_MOST = 100
# The twin takes seconds.
ROUNDS_AT_MOST = 3


def lines(repeat: int) -> Iterator[Line]:
    rule, rng = RULES["rsd"], child(SEED, "rsd")
    _both_exact_on_a_plane()
    small = sample_round(SMALL, K, "condorcet:level=30")
    ours, other = alternated(
        {
            "RSD": lambda: rule.aggregate(small, rng),
            "twin in plain Python": lambda: naive_rsd(small, rng),
        },
        min(repeat, ROUNDS_AT_MOST),
    )
    yield Line(f"RSD, whole, n={SMALL}, k={K}, noise 30", ours, other)
    for label, noise in (("perfect graders", "perfect"), ("noise 50", "condorcet:level=50")):
        yield _against_closure(label, sample_round(PAPER, K, noise), repeat)
    yield from _large()


def _against_closure(label: str, profile: Profile, repeat: int) -> Line:
    rule, rng = RULES["rsd"], child(SEED, "rsd", label)
    said = _relations(profile)
    ours, other = alternated(
        {
            "RSD": lambda: rule.aggregate(profile, rng),
            "closure by Warshall, 64 papers a word": lambda: close(said.copy()),
        },
        repeat,
    )
    return Line(f"RSD, whole, n={PAPER}, k={K}, {label}", ours, other, at_most=10)


def _large() -> Iterator[Line]:
    what = f"RSD, whole, n={LARGE:,}, k={K}, noise 50"
    seconds, megabytes, left_out = rsd_apart(LARGE, K, "condorcet:level=50")
    yield Line(what, Measured("RSD", (seconds,)))
    memory = None if megabytes is None else Measured("peak above the start of the call", (megabytes,), "MB")
    yield Line(f"memory in MB of {what}", memory, at_most=MEGABYTES_AT_MOST, left_out=left_out)


def _relations(profile: Profile) -> NDArray[np.uint64]:
    """Row a has a bit for every paper that some ballot puts below a."""
    dense = np.zeros((profile.n_papers, profile.n_papers), bool)
    for ballot in range(len(profile)):
        ranked = profile[ballot]
        for i in range(len(ranked)):
            dense[ranked[i], ranked[i + 1 :]] = True
    words = -(-profile.n_papers // 64)
    padded = np.zeros((profile.n_papers, words * 64), bool)
    padded[:, : profile.n_papers] = dense
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


def _both_exact_on_a_plane() -> None:
    """Lemma 1: on a plane perfect graders reveal the order, so both sides must find it."""
    rng = child(SEED, "plane")
    bundles = SCHEMES["order-revealing"].build(57, K, rng)
    truth = true_places(57)
    profile = NOISES["perfect"].draw(bundles, truth, rng)
    for order in (RULES["rsd"].aggregate(profile, rng).order, naive_rsd(profile, rng)):
        if not np.array_equal(order, np.argsort(truth)):
            raise InputError("an RSD does not find the true order on a plane; there is nothing to compare")


@kernel
def close(rows):  # type: ignore[no-untyped-def]
    """Warshall: whatever reaches ``via`` reaches all that ``via`` reaches."""
    n, words = rows.shape
    for via in range(n):
        word, bit = via >> 6, np.uint64(via & 63)
        for row in range(n):
            if (rows[row, word] >> bit) & np.uint64(1):
                for w in range(words):
                    rows[row, w] |= rows[via, w]
    return rows
