"""``Preferences``: how probable it is that the next grader puts one paper above another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray, as_indices
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Link", "Preferences"]

Link = Literal["logistic", "normal"]
"""The distribution of a grader's errors about the difference of two papers."""

# Numbers at a time, so that many draws of many pairs need little memory.
CHUNK = 2**18


@dataclass(frozen=True, eq=False, repr=False)
class Preferences:
    """What a rule knows about the next grader: utilities of the papers, and types of graders with their shares.

    A grader of type t puts a paper above another whose utility is lower by d with probability
    1 - quality_t + (2 quality_t - 1) F(sharpness_t d), where F is the distribution of a grader's errors. With quality 1
    this is F(sharpness_t d), as for Plackett and Luce. With infinite sharpness it is quality_t whatever the distance,
    as for Mallows. Where d is 0, it is 1/2.

    Parameters
    ----------
    utilities
        Draws of the utilities, one row per draw; a rule with one estimate has one row.
    shares
        The share of every type among the graders, one row per draw, or a single one for all draws.
    sharpness, quality
        Of every type. A negative sharpness, or a quality below 1/2, is a type that ranks backwards.
    link
        The distribution of errors: logistic, or normal with the standard deviation of a comparison as the unit.
    table
        Where it is given, utilities are positions in it, so that many draws take little memory.
    """

    utilities: NDArray[Any]
    shares: NDArray[np.floating] | tuple[tuple[float, ...], ...] = ((1.0,),)
    sharpness: FloatArray | tuple[float, ...] = (1.0,)
    quality: FloatArray | tuple[float, ...] = (1.0,)
    link: Link = "logistic"
    table: NDArray[np.floating] | None = None

    def __repr__(self) -> str:
        draws, papers = self.utilities.shape
        return f"<Preferences: {draws} draw{'s' * (draws != 1)} of {papers} papers>"

    def probability(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        """Return the probability that the next grader puts each first paper above the second, over draws and types."""
        draws, papers = self.utilities.shape
        above = as_indices(first, "first", 0, papers, InputError)
        below = as_indices(second, "second", 0, papers, InputError)
        if len(above) != len(below):
            raise InputError(
                _("first has {first} papers and second {second}; give the same number of each").format(
                    first=len(above), second=len(below)
                )
            )
        # Pairs that many graders compared are computed once.
        pairs, which = np.unique(above.astype(np.int64) * papers + below, return_inverse=True)
        result = np.empty(len(pairs))
        size = max(1, CHUNK // draws)
        for begin in range(0, len(pairs), size):
            some = pairs[begin : begin + size]
            gaps = self._utilities_of(some // papers) - self._utilities_of(some % papers)
            result[begin : begin + size] = self._probabilities(gaps).mean(axis=0)
        return result[which]

    def _utilities_of(self, papers: IntArray) -> FloatArray:
        utilities = self.utilities[:, papers]
        return (utilities if self.table is None else self.table[utilities]).astype(np.float64)

    def _probabilities(self, gaps: FloatArray) -> FloatArray:
        """Return the probability in every draw, for every gap between two utilities."""
        from scipy.special import expit, ndtr  # takes longer to load than everything here

        distribution = expit if self.link == "logistic" else ndtr
        shares, quality, sharpness = map(np.asarray, (self.shares, self.quality, self.sharpness))
        wrong, lead = shares * (1 - quality), shares * (2 * quality - 1)
        total = np.broadcast_to(wrong.sum(axis=1)[:, None], gaps.shape).copy()
        # Types that are equally sharp differ by a factor.
        for sharp in np.unique(sharpness):
            right = np.heaviside(np.sign(sharp) * gaps, 0.5) if np.isinf(sharp) else distribution(sharp * gaps)
            total += lead[:, sharpness == sharp].sum(axis=1)[:, None] * right
        return total
