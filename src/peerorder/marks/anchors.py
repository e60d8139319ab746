"""Anchors: a few papers that staff marked turn every place into a mark.

Staff marks have an error, and so have places. For every order that the ballots leave possible, the anchors' marks are
made to fall with the place (isotonic regression pools those that contradict the order), and joined by a monotone
curve (PCHIP). Their mean is *the* mark curve. A paper's mark is the mean of the curve over the places that the paper
may have. Where a rule knows one order only, that order is the only possible one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerorder.core.arrays import FloatArray, IntArray, as_indices, freeze
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.translation import gettext as _, ngettext
from peerorder.marks.scale import shared_places

__all__ = ["AnchoredScale", "MarkCurve"]

# The curve is computed at this many places, and linear between them.
FINEST = 2001
# The number of posterior draws that give the anchors' possible places.
ORDERS = 64
# 90% of a normal distribution are within 1.645 standard deviations.
INSIDE = 1.645
# The given staff error counts as this many observations.
PRIOR = 4.0
# A curve strays from the straight line between two anchors by this share of their difference.
STRAY = 0.25
CHUNK = 2**14


@dataclass(frozen=True, eq=False)
class MarkCurve:
    """The mark of every place with its uncertainty, and the marks of all papers that follow.

    ``low`` and ``high`` are the ends of a 90% interval for the true mark of a paper: the one that staff would give it
    on average. They take into account the uncertainty of the paper's place and of the anchors' places, the error of
    staff marks, and how far the curve may stray between anchors. They are None for rules without intervals.
    """

    places: FloatArray
    """The places at which the curve is known, from 1 to n."""
    curve: FloatArray
    spread: FloatArray
    """The standard deviation of the curve at these places."""
    marks: FloatArray
    low: FloatArray | None
    high: FloatArray | None
    anchors: IntArray
    anchor_places: FloatArray
    anchor_marks: FloatArray
    staff_error: float
    """The error of staff marks as estimated from the anchors (standard deviation)."""
    notes: tuple[str, ...] = ()

    def of_places(self, places: ArrayLike, n: int | None = None) -> FloatArray:  # noqa: ARG002
        """Return the marks on the curve at these places, counted from 1."""
        return np.interp(np.asarray(places, np.float64), self.places, self.curve)


@dataclass(frozen=True, eq=False)
class AnchoredScale:
    """Papers that staff marked, by their numbers, and their marks.

    Parameters
    ----------
    papers, given
        The anchors and their marks. At least two.
    error
        The error of staff marks, as a standard deviation. It is a starting point for ``low`` and ``high`` of a mark;
        anchors that disagree with the order more, or less, change it.
    lowest, highest
        No mark is beyond these.
    names
        The name of each anchor in notes; by default its number.
    """

    papers: ArrayLike
    given: ArrayLike
    error: float = 5.0
    lowest: float = 0.0
    highest: float = 100.0
    names: Sequence[str] = ()

    name = "anchors"
    letters = False

    def __post_init__(self) -> None:
        if not self.lowest < self.highest:
            raise InputError(
                _("marks are from {lowest:g} to {highest:g}; the lowest must be below the highest").format(
                    lowest=self.lowest, highest=self.highest
                )
            )
        if not 0 <= self.error < float("inf"):
            raise InputError(
                _("`error`, the error of staff marks, is {error:g}; it must be 0 or more").format(error=self.error)
            )
        papers = as_indices(self.papers, _("the numbers of the anchors"), 0, 2**31, InputError)
        try:
            marks: FloatArray = np.array(self.given, np.float64).reshape(-1)
        except (TypeError, ValueError):
            raise InputError(_("the marks of the anchors must be numbers")) from None
        if len(papers) != len(marks):
            raise InputError(
                ngettext(
                    "there is {anchors} anchor but {marks} marks; give one per anchor",
                    "there are {anchors} anchors but {marks} marks; give one per anchor",
                    len(papers),
                ).format(anchors=len(papers), marks=len(marks))
            )
        if len(papers) < 2:
            raise InputError(
                _("1 anchor is not enough; mark at least two papers, a good one and a poor one")
                if len(papers)
                else _("no anchors are not enough; mark at least two papers, a good one and a poor one")
            )
        if len(np.unique(papers)) < len(papers):
            raise InputError(_("a paper is an anchor twice; give it one mark"))
        odd = marks[~((marks >= self.lowest) & (marks <= self.highest))]
        if len(odd):
            raise InputError(
                _("an anchor has the mark {mark:g}; marks are from {lowest:g} to {highest:g}").format(
                    mark=odd[0], lowest=self.lowest, highest=self.highest
                )
            )
        object.__setattr__(self, "papers", papers)
        object.__setattr__(self, "given", freeze(marks))

    @property
    def spec(self) -> str:
        """The name of this scale, with every setting that is not at its default."""
        usual = {"error": 5.0, "lowest": 0.0, "highest": 100.0}
        own = [f"{key}={getattr(self, key):g}" for key, value in usual.items() if getattr(self, key) != value]
        return "anchors" + (":" + ",".join(own) if own else "")

    def marks(self, outcome: Outcome) -> FloatArray:
        """Return a mark for every paper; a paper in a better place never has a lower one."""
        return self.fit(outcome).marks

    def ends(self, outcome: Outcome) -> tuple[FloatArray, FloatArray] | None:
        """Return the low and the high end of a 90% interval for every mark."""
        fitted = self.fit(outcome)
        return None if fitted.low is None or fitted.high is None else (fitted.low, fitted.high)

    def fit(self, outcome: Outcome) -> MarkCurve:
        """Return the mark curve of this outcome, with the marks of its papers."""
        n = outcome.profile.n_papers
        papers, given = np.asarray(self.papers, np.int64), np.asarray(self.given, np.float64)
        if papers.max() >= n:
            raise InputError(
                _("paper {paper} is an anchor, but papers are numbered 0 to {last}").format(
                    paper=papers.max(), last=n - 1
                )
            )
        samples = outcome.result.samples
        shared = shared_places(outcome)
        if samples is None or not len(samples.places):
            orders = shared[papers][None]
            middle = orders[0]
        else:
            every = max(len(samples.places) // ORDERS, 1)
            orders = samples.places[::every][:, papers].astype(np.float64) + 1
            middle = orders.mean(axis=0)
        notes = self._contradictions(middle, given, outcome.ranks[papers])
        grid = np.linspace(1.0, n, min(n, FINEST))
        curve, between, error, pooled = self._curves(orders, given, grid, n)
        spread = np.sqrt(between + _curve_variance(middle, curve, grid, error, pooled))
        marks, low, high = self._of_papers(outcome, shared, grid, curve, spread)
        return MarkCurve(
            places=freeze(grid),
            curve=freeze(curve),
            spread=freeze(spread),
            marks=freeze(marks),
            low=None if low is None else freeze(low),
            high=None if high is None else freeze(high),
            anchors=freeze(papers),
            anchor_places=freeze(middle),
            anchor_marks=freeze(given),
            staff_error=error,
            notes=notes,
        )

    def _contradictions(self, places: FloatArray, given: FloatArray, ranks: IntArray) -> tuple[str, ...]:
        """Raise InputError if the anchors imply the same mark for all; return a note where they contradict the order.

        ``places`` are their mean places, and ``ranks`` the ranks that people read.
        """
        if np.ptp(given) == 0:
            return (_("all anchors have the mark {mark:g}, so every paper gets it").format(mark=given[0]),)
        fitted = _fit_falling(places, given)[1]
        if len(fitted) == 1:
            raise InputError(_("all anchors share one place in the order; mark papers in different places"))
        if np.ptp(fitted) < 1e-9 * (self.highest - self.lowest):
            raise InputError(
                _(
                    "the marks of the anchors contradict the order: the better the place, the lower the "
                    "mark; check the marks, mark more papers in places far apart, or, if graders took 1 for "
                    "the worst, read their ranks upside down (`upside_down`)"
                )
            )
        off = given - np.interp(places, np.unique(places), fitted)
        worst = int(np.argmax(np.abs(off)))
        span = self.highest - self.lowest
        if abs(off[worst]) <= 2 * max(self.error, 0.01 * span):
            return ()
        decimals = 0 if span >= 50 else 1
        others = np.arange(len(given)) != worst
        index, fitted, _weights = _fit_falling(places[others], given[others])
        name = self.names[worst] if len(self.names) else np.asarray(self.papers)[worst]
        return (
            _(
                "staff gave {mark:g} to {paper}, which has place {place}, where the other anchors suggest {suggested}; "
                "look at it again"
            ).format(
                mark=given[worst],
                paper=name,
                place=ranks[worst],
                suggested=f"{np.interp(places[worst], index, fitted):.{decimals}f}",
            ),
        )

    def _curves(
        self, orders: FloatArray, given: FloatArray, grid: FloatArray, n: int
    ) -> tuple[FloatArray, FloatArray, float, FloatArray]:
        """Return the mean and variance of the curves of all orders, the staff error, and its reduction by pooling."""
        total, squares = np.zeros(len(grid)), np.zeros(len(grid))
        missed = spare = 0.0
        pooled: FloatArray = np.zeros(len(given))
        for places in orders:
            index, fitted, shared = _fit_falling(places, given)
            curve = _interpolate(index, fitted, grid, n, self.lowest, self.highest)
            total += curve
            squares += curve**2
            where = np.searchsorted(index, places)
            missed += float(((fitted[where] - given) ** 2).sum())
            spare += len(given) - len(np.unique(fitted))
            pooled += 1 / shared[where]
        mean = total / len(orders)
        variance = np.maximum(squares / len(orders) - mean**2, 0)
        error = float(np.sqrt((PRIOR * self.error**2 + missed / len(orders)) / (PRIOR + spare / len(orders))))
        return mean, variance, error, pooled / len(orders)

    def _of_papers(
        self, outcome: Outcome, shared: FloatArray, grid: FloatArray, curve: FloatArray, spread: FloatArray
    ) -> tuple[FloatArray, FloatArray | None, FloatArray | None]:
        """Return the mark of every paper, and its ends where the rule gives intervals."""
        samples, intervals = outcome.result.samples, outcome.result.intervals
        n = len(shared)
        expected = np.interp(shared, grid, curve)
        width: FloatArray | None = None
        if samples is not None and len(samples.places):
            places = np.arange(1.0, n + 1)
            full, variance = np.interp(places, grid, curve), np.interp(places, grid, spread) ** 2
            expected, width = _average_over_places(samples.places, full, variance)
        elif intervals is not None:
            reach = np.interp(intervals[:, 0], grid, curve) - np.interp(intervals[:, 1], grid, curve)
            width = np.sqrt((reach / (2 * INSIDE)) ** 2 + np.interp(shared, grid, spread) ** 2)
        marks = np.clip(_make_monotone(expected, shared), self.lowest, self.highest)
        if width is None:
            return marks, None, None
        low, high = marks - INSIDE * width, marks + INSIDE * width
        return marks, np.clip(low, self.lowest, self.highest), np.clip(high, self.lowest, self.highest)


def _fit_falling(places: FloatArray, given: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each different place once, marks there that fall with the place, and the anchors behind each."""
    from scipy.optimize import isotonic_regression

    index, which, size = np.unique(places, return_inverse=True, return_counts=True)
    mean = np.bincount(which.reshape(-1), given) / size
    result = isotonic_regression(mean, weights=size.astype(np.float64), increasing=False)
    blocks = np.diff(result.blocks)
    rests = np.add.reduceat(size, result.blocks[:-1])
    return index, result.x, np.repeat(rests, blocks).astype(np.float64)


def _interpolate(
    index: FloatArray, marks: FloatArray, grid: FloatArray, n: int, lowest: float, highest: float
) -> FloatArray:
    """Return a falling curve through falling marks, continued beyond the outermost by a bell curve of their slope."""
    from scipy.interpolate import PchipInterpolator
    from scipy.special import ndtri

    if len(index) == 1:
        return np.full(len(grid), marks[0])
    curve = PchipInterpolator(index, marks)(np.clip(grid, index[0], index[-1]))
    z, known = ndtri((grid - 0.5) / n), ndtri((index - 0.5) / n)
    centred = known - known.mean()
    slope = min(float((centred * marks).sum() / (centred**2).sum()), 0.0)
    curve = np.where(grid < index[0], marks[0] + slope * (z - known[0]), curve)
    curve = np.where(grid > index[-1], marks[-1] + slope * (z - known[-1]), curve)
    clipped: FloatArray = np.clip(curve, lowest, highest)
    return clipped


def _curve_variance(
    places: FloatArray, curve: FloatArray, grid: FloatArray, error: float, pooled: FloatArray
) -> FloatArray:
    """Return the variance of the curve at every place: the anchors' own error, and how far it may stray between them.

    Between two anchors their errors count by the distance to each, and the curve strays most halfway.
    Beyond the outermost it strays with all that it changes there.
    """
    order = np.argsort(places, kind="stable")
    index, own = places[order], error**2 * pooled[order]
    marks = np.interp(index, grid, curve)
    right = np.clip(np.searchsorted(index, grid), 1, len(index) - 1)
    gap = np.maximum(index[right] - index[right - 1], 1e-12)
    t = np.clip((grid - index[right - 1]) / gap, 0, 1)
    staff = (1 - t) ** 2 * own[right - 1] + t**2 * own[right]
    stray = STRAY * (marks[right - 1] - marks[right]) * 2 * np.sqrt(t * (1 - t))
    beyond = np.where(grid < index[0], curve - marks[0], np.where(grid > index[-1], curve - marks[-1], 0.0))
    variance: FloatArray = staff + stray**2 + (2 * STRAY * beyond) ** 2
    return variance


def _average_over_places(
    draws: NDArray[np.unsignedinteger], curve: FloatArray, variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the mean mark of every paper over its possible places, and the standard deviation."""
    n = draws.shape[1]
    mean, width = np.empty(n), np.empty(n)
    for begin in range(0, n, CHUNK):
        some = draws[:, begin : begin + CHUNK]
        marks = curve[some]
        mean[begin : begin + CHUNK] = marks.mean(axis=0)
        width[begin : begin + CHUNK] = np.sqrt(marks.var(axis=0) + variance[some].mean(axis=0))
    return mean, width


def _make_monotone(marks: FloatArray, places: FloatArray) -> FloatArray:
    """Return the nearest marks that never rise with the place, equal for papers that share one."""
    from scipy.optimize import isotonic_regression

    _, which, size = np.unique(places, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    mean = np.bincount(which, marks) / size
    fitted: FloatArray = isotonic_regression(mean, weights=size.astype(np.float64), increasing=False).x
    return fitted[which]
