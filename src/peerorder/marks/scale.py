"""``Scale``: a named way to turn a place, and nothing else, into a mark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from peerorder.core.arrays import FloatArray
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.registry import Entry
from peerorder.core.translation import gettext as _, ngettext

__all__ = ["Marks", "Scale", "ends_of", "shared_places"]

Marks = FloatArray | list[str]
"""One mark per paper: numbers, or text where the scale gives letters."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Scale(Entry):
    """A scale of marks. ``convert(share, **options)`` turns the share of the class that is higher into marks.

    The share counts half of the paper itself: it is 0.5 / n for the best of n papers and 1 - 0.5 / n for the last.
    ``letters`` says that the marks are text.
    """

    function: ClassVar[str] = "convert"

    convert: Callable[..., Marks]
    letters: bool = False

    def of_places(self, places: ArrayLike, n: int) -> Marks:
        """Return the marks of these places, counted from 1 and fractional where papers share them, in a class of n."""
        wanted: FloatArray = np.asarray(places, np.float64)
        if wanted.size and not (wanted.min() >= 1 and wanted.max() <= n):
            raise InputError(
                _("places are from 1 to {n}; these are from {lowest:g} to {highest:g}").format(
                    n=n, lowest=wanted.min(), highest=wanted.max()
                )
            )
        return self.convert((wanted - 0.5) / max(n, 1), **self.values)

    def warnings(self, marks: Marks) -> tuple[str, ...]:
        """Return what looks unintended about these marks, one sentence each: marks that do not fall with the place."""
        if len(marks) < 2 or len(np.unique(np.asarray(marks))) > 1:
            return ()
        mark = marks[0] if isinstance(marks, list) else f"{marks[0]:g}"
        return (
            ngettext(
                "{scale} gives the {count:,} paper the mark {mark}, whatever its place; is that intended?",
                "{scale} gives all {count:,} papers the mark {mark}, whatever their place; is that intended?",
                len(marks),
            ).format(scale=self.spec, count=len(marks), mark=mark),
        )

    def marks(self, outcome: Outcome) -> Marks:
        """Return a mark for every paper; papers with the same score share their places, and so have the same mark."""
        return self.of_places(shared_places(outcome), outcome.profile.n_papers)

    def ends(self, outcome: Outcome) -> tuple[Marks, Marks] | None:
        """Return the lowest and the highest mark in every paper's interval of places; None without intervals."""
        return ends_of(outcome, lambda places: self.of_places(places, outcome.profile.n_papers))


def shared_places(outcome: Outcome) -> FloatArray:
    """Return the place of every paper, from 1; papers with the same score have the mean of theirs."""
    _scores, group, size = np.unique(-outcome.scores, return_inverse=True, return_counts=True)
    last = np.cumsum(size)
    return (last - (size - 1) / 2)[group.reshape(-1)]


def ends_of(outcome: Outcome, marks: Callable[[FloatArray], Any]) -> tuple[Any, Any] | None:
    """Return the marks of the far and the near end of every paper's interval: the low and the high mark."""
    intervals = outcome.result.intervals
    if intervals is None:
        return None
    # A shared place may lie beyond the interval by a little; the mark must not.
    places = shared_places(outcome)
    return marks(np.maximum(intervals[:, 1], places)), marks(np.minimum(intervals[:, 0], places))
