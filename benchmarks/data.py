"""The rounds that are timed: random bundles, simulated graders, fixed seeds."""

import numpy as np
from numpy.typing import NDArray

from peerorder import NOISES, SCHEMES, Profile, child, hand_out

__all__ = ["SEED", "handed_out_round", "sample_round", "true_places"]

SEED = 2015


def true_places(n: int) -> NDArray[np.int64]:
    """Give every paper a true place."""
    return child(SEED, "truth", n).permutation(n)


def sample_round(n: int, k: int, noise: str = "perfect") -> Profile:
    """Let n graders rank ``random`` bundles of k papers; ``noise`` is written as on the command line."""
    bundles = SCHEMES["random"].build(n, k, child(SEED, "bundles", n, k))
    return NOISES.parse(noise).draw(bundles, true_places(n), child(SEED, noise, n, k))


def handed_out_round(n: int, k: int, noise: str) -> tuple[NDArray[np.int64], Profile]:
    """Let n students rank k papers of others each; give the true places with what they said.

    Here a grader has written a paper, so that her quality can go with it.
    """
    bundles = SCHEMES["random"].build(n, k, child(SEED, "bundles", n, k))
    bundle_of = hand_out(bundles, np.arange(n), child(SEED, "hand out", n, k))
    truth = true_places(n)
    return truth, NOISES.parse(noise).draw(bundles, truth, child(SEED, noise, n, k), bundle_of=bundle_of)
