"""The rounds that are timed: random bundles, simulated graders, fixed seeds."""

import numpy as np
from numpy.typing import NDArray

from peerorder import NOISES, SCHEMES, Profile, child

__all__ = ["SEED", "sample_round", "true_places"]

SEED = 2015


def true_places(n: int) -> NDArray[np.int64]:
    """Give every paper a true place."""
    return child(SEED, "truth", n).permutation(n)


def sample_round(n: int, k: int, noise: str = "perfect") -> Profile:
    """Let n graders rank ``random`` bundles of k papers; ``noise`` is written as on the command line."""
    bundles = SCHEMES["random"].build(n, k, child(SEED, "bundles", n, k))
    return NOISES.parse(noise).draw(bundles, true_places(n), child(SEED, noise, n, k))
