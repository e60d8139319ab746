"""``Samples``: orders of the papers, drawn from their posterior distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from peerorder.core import diagnostics
from peerorder.core.arrays import FloatArray, IntArray, freeze
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Samples"]

# Papers at a time, so that a million papers need no second copy of everything.
CHUNK = 2**14
FEW = 2**10
# Of a draw, in medians.
MOST_WEIGHT = 10.0


@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    """Draws from a posterior over orders.

    ``places[s, i]`` is the place of paper i, from 0, in draw s; ``evidence[s, g]`` is the logarithm of the
    probability of grader g's ballots in that draw, whatever type of grader this is. Draws are ordered by
    chain, and every chain has the same number of draws. ``effective_size`` is the effective sample size of the chains,
    of which only some draws are kept.
    """

    places: NDArray[np.unsignedinteger]
    evidence: NDArray[np.float32]
    chains: int = 1
    effective_size: float = math.nan

    def __repr__(self) -> str:
        draws, papers = self.places.shape
        return f"<Samples: {draws} draws of {papers} papers from {self.chains} chain{'s' * (self.chains != 1)}>"

    @property
    def chain(self) -> IntArray:
        """The chain of every draw, from 0."""
        return np.repeat(np.arange(self.chains), len(self.places) // self.chains)

    def probability(self, paper: int, other: int) -> float:
        """Return the probability that one paper is above another."""
        return float(np.mean(self.places[:, paper] < self.places[:, other]))

    def split_r_hat(self) -> FloatArray:
        """Return the rank-normalised split R-hat of every paper's place: 1 where the halves of all chains agree."""
        return diagnostics.split_r_hat(self._by_chain(self.places))

    def ess_bulk(self) -> FloatArray:
        """Return the effective sample size of every paper's place for the centre of its distribution."""
        return diagnostics.ess_bulk(self._by_chain(self.places))

    def ess_tail(self) -> FloatArray:
        """Return the effective sample size of every paper's place for the ends of its 90% interval."""
        return diagnostics.ess_tail(self._by_chain(self.places))

    @property
    def too_few(self) -> bool:
        """Whether there are too few draws for diagnostics."""
        return len(self.places) < diagnostics.FEWEST * self.chains

    def diagnose(self) -> diagnostics.Diagnostics:
        """Summarise these diagnostics; with many papers, those of evenly spaced ones."""
        return diagnostics.diagnose(self._by_chain(self.places), self.effective_size)

    def to_arviz(self, papers: ArrayLike | None = None, graders: ArrayLike | None = None) -> Any:
        """Return a DataTree for ArviZ.

        Its group ``posterior`` holds ``place`` (chain, draw, paper), from 1, and ``log_likelihood`` holds ``ballots``
        (chain, draw, grader), as ``loo`` takes it; graders whose ballots say nothing about the order are left out.

        Parameters
        ----------
        papers, graders
            Their ids, as coordinates; by default their numbers.
        """
        try:
            from arviz_base import from_dict
        except ImportError:
            raise InputError(
                _("to_arviz needs arviz-base, which is not installed; `pip install 'peerorder[arviz]'` installs it")
            ) from None
        # The same in all draws but for rounding, these have no tail that loo could smooth.
        informative = np.flatnonzero(np.ptp(self.evidence, axis=0) > 1e-6)
        return from_dict(
            {
                "posterior": {"place": self._by_chain(self.places).astype(np.int32) + 1},
                "log_likelihood": {"ballots": self._by_chain(self.evidence[:, informative])},
            },
            dims={"place": ["paper"], "ballots": ["grader"]},
            coords={
                "paper": np.arange(self.places.shape[1]) if papers is None else np.asarray(papers),
                "grader": informative if graders is None else np.asarray(graders)[informative],
            },
        )

    def _by_chain(self, values: NDArray[Any]) -> NDArray[Any]:
        return values.reshape(self.chains, len(values) // self.chains, -1)

    def intervals(self, inside: float) -> IntArray:
        """Return the low and high place of every paper, from 1, that contain it with at least this probability."""
        draws, n = self.places.shape
        tail = (1 - inside) / 2
        low, high = int(np.floor(tail * (draws - 1))), int(np.ceil((1 - tail) * (draws - 1)))
        ends = np.empty((n, 2), np.int64)
        for begin in range(0, n, CHUNK):
            some = np.sort(self.places[:, begin : begin + CHUNK], axis=0)
            ends[begin : begin + CHUNK, 0] = some[low]
            ends[begin : begin + CHUNK, 1] = some[high]
        return freeze(ends + 1)

    def probability_in_top(self, share: float) -> FloatArray:
        """Return the probability that each paper is among the best ``share`` of all."""
        if not 0 <= share <= 1:
            raise InputError(
                _("`share` is {share}; give the share of papers that count as the top, from 0 to 1").format(share=share)
            )
        # A whole number of papers must not be missed by rounding.
        cut = share * self.places.shape[1] - 1e-6
        among: FloatArray = np.zeros(self.places.shape[1])
        for draw in self.places:
            among += draw < cut
        return freeze(among / max(len(self.places), 1))

    def influence(self, grader: int, paper: int) -> float:
        """Return how many places higher a paper is than it would be without this grader's ballots.

        These ballots make an order more probable by a factor, so draws are weighted by its inverse. No weight is
        more than ten times the median, because a single draw must not decide.
        """
        return float(self.influences([grader], [paper])[0])

    def influences(self, graders: ArrayLike, papers: ArrayLike) -> FloatArray:
        """Return the influence of several graders on a paper each: the first on the first, and so on."""
        by, on = np.asarray(graders, np.int64), np.asarray(papers, np.int64)
        result: FloatArray = np.empty(len(by))
        for begin in range(0, len(by), FEW):
            some = slice(begin, begin + FEW)
            log_weight = -self.evidence[:, by[some]].astype(np.float64)
            weight = np.exp(np.minimum(log_weight - np.median(log_weight, axis=0), np.log(MOST_WEIGHT)))
            places = self.places[:, on[some]].astype(np.float64)
            result[some] = (weight * places).sum(axis=0) / weight.sum(axis=0) - places.mean(axis=0)
        return freeze(result)
