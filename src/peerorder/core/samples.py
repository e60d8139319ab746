"""``Samples``: orders of the papers, drawn at random, each as often as the ballots make it probable."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerorder.core.arrays import FloatArray, IntArray, frozen
from peerorder.core.errors import InputError

__all__ = ["Samples"]

# Papers at a time, so that a million of them need no second copy of everything.
CHUNK = 2**14
FEW = 2**10
# Of a draw, in medians.
MOST_WEIGHT = 10.0


@dataclass(frozen=True, eq=False)
class Samples:
    """Draws from a posterior over orders.

    ``places[s, i]`` is the place of paper i, from 0, in draw s; ``evidence[s, g]`` is the logarithm of the
    probability of grader g's ballots in that draw, whatever kind of grader she is.
    """

    places: NDArray[np.unsignedinteger]
    evidence: NDArray[np.float32]

    def intervals(self, inside: float) -> IntArray:
        """The low and high place of every paper, from 1, that hold it with at least this probability."""
        draws, n = self.places.shape
        tail = (1 - inside) / 2
        low, high = int(np.floor(tail * (draws - 1))), int(np.ceil((1 - tail) * (draws - 1)))
        ends = np.empty((n, 2), np.int64)
        for begin in range(0, n, CHUNK):
            some = np.sort(self.places[:, begin : begin + CHUNK], axis=0)
            ends[begin : begin + CHUNK, 0] = some[low]
            ends[begin : begin + CHUNK, 1] = some[high]
        return frozen(ends + 1)

    def probability_in_top(self, share: float) -> FloatArray:
        """The probability that each paper is among the best ``share`` of all."""
        if not 0 <= share <= 1:
            raise InputError(f"the cut is {share}; give the share of papers above it, from 0 to 1")
        # A whole number of papers must not be missed by rounding.
        cut = share * self.places.shape[1] - 1e-6
        among: FloatArray = np.zeros(self.places.shape[1])
        for draw in self.places:
            among += draw < cut
        return frozen(among / max(len(self.places), 1))

    def influence(self, grader: int, paper: int) -> float:
        """How many places higher a paper stands than it would without this grader's ballots.

        Without her ballots an order is less probable by the factor that they bring, so draws are weighted
        by its inverse. No weight is more than ten times the median, because a single draw must not decide.
        """
        return float(self.gains([grader], [paper])[0])

    def gains(self, graders: ArrayLike, papers: ArrayLike) -> FloatArray:
        """The gain of many papers by a grader each: the first paper by the first grader, and so on."""
        by, on = np.asarray(graders, np.int64), np.asarray(papers, np.int64)
        found: FloatArray = np.empty(len(by))
        for begin in range(0, len(by), FEW):
            some = slice(begin, begin + FEW)
            log_weight = -self.evidence[:, by[some]].astype(np.float64)
            weight = np.exp(np.minimum(log_weight - np.median(log_weight, axis=0), np.log(MOST_WEIGHT)))
            places = self.places[:, on[some]].astype(np.float64)
            found[some] = (weight * places).sum(axis=0) / weight.sum(axis=0) - places.mean(axis=0)
        return frozen(found)
