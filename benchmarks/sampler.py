"""The Condorcet sampler against prefsampling's Mallows model: the same law for the same number of ballots.

prefsampling draws ballots of one dispersion around one order; ours takes a bundle and a quality for every
grader, and is given the same quality for all here: 2/3, so that phi = (1-q)/q is 1/2.
"""

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks.data import SEED, true_places
from benchmarks.timing import Line, alternated
from peerorder import NOISES, SCHEMES, child
from peerorder.noise.condorcet import insertion

__all__ = ["lines"]

N, K = 10_000, 8
QUALITY = 2 / 3
# prefsampling takes about a second for one sample.
ROUNDS_AT_MOST = 3


def lines(repeat: int) -> Iterator[Line]:
    what = f"Mallows ballots, n={N:,}, k={K}"
    if find_spec("prefsampling") is None:
        yield Line(what, None, at_most=1 / 100, left_out='prefsampling is not installed: pip install -e ".[bench]"')
        return
    from prefsampling.ordinal import mallows  # type: ignore[import-untyped]

    rng = child(SEED, "condorcet")
    papers = np.tile(np.arange(K, dtype=np.int32), N)
    start = np.arange(N + 1) * K
    quality = np.full(N, QUALITY)
    bundles, truth = SCHEMES["random"].build(N, K, rng), true_places(N)
    noise = NOISES.parse("condorcet:level=50")
    ours, whole, other = alternated(
        {
            "insertion": lambda: insertion(papers, start, quality, rng),
            "noise condorcet, whole, with its checks": lambda: noise.draw(bundles, truth, rng),
            "prefsampling.ordinal.mallows": lambda: mallows(N, K, (1 - QUALITY) / QUALITY, seed=SEED),
        },
        min(repeat, ROUNDS_AT_MOST),
    )
    yield Line(what, ours, other, at_most=1 / 100)
    yield Line(what, whole, other)
