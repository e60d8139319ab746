"""Suggestions which papers staff should mark next: those whose marks reduce the uncertainty of all marks most.

Before anybody marks anything, a mark curve is taken to be a slope along the bell curve with bends in it, and the mark
of one paper says something about its neighbours in the order. Each choice is the paper that leaves the least
uncertainty about all marks, given those marked already: far from them, with many papers around it, and of a place that
is well known, because a mark at an unknown place says little about any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from peerorder.core.arrays import FloatArray, IntArray, as_count, as_indices
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.translation import gettext as _, ngettext
from peerorder.marks.scale import shared_places

__all__ = ["Suggestion", "next_anchors"]

# In marks of 100: how far the middle of the class may be from anything, its slope a standard deviation of the
# bell curve, the bends in it and how far apart they are, and the error of staff.
MIDDLE, SLOPE, BEND, STAFF = 20.0, 12.0, 16.0, 5.0
REACH = 0.8
# The number of parts of the order: uncertainty is computed for each, and each has one candidate.
PARTS = 400
# The width of a 90% interval in standard deviations.
WIDTH = 3.29


@dataclass(frozen=True)
class Suggestion:
    """A paper that staff should mark: its place from 1, its interval where the rule gives one, and the reason."""

    paper: int
    place: int
    low: int | None
    high: int | None
    reason: str
    shared: bool = False
    """Whether other papers have the same place."""


def next_anchors(outcome: Outcome, k: int, already: ArrayLike = ()) -> list[Suggestion]:
    """Return the k papers to mark next, most informative first; ``already`` are the numbers of marked papers."""
    n = outcome.profile.n_papers
    count = as_count(k, _("the number of papers to mark"), InputError)
    marked = np.unique(as_indices(already, _("the numbers of the anchors"), 0, n, InputError))
    if not n:
        raise InputError(_("there are no papers to mark"))
    places, doubt = _estimated_places(outcome)
    z = _bell(places, n)
    # Where many papers stand close together in expectation, many marks depend on the curve.
    grid, weight = _parts(z)
    covariance = MIDDLE**2 + SLOPE**2 * np.outer(grid, grid) + BEND**2 * _similarity(grid)
    noise = STAFF**2 + (SLOPE * doubt) ** 2
    part = np.clip(np.searchsorted((grid[1:] + grid[:-1]) / 2, z), 0, len(grid) - 1)
    for paper in marked.tolist():
        covariance = _condition_on(covariance, part[paper], noise[paper])
    open_ = np.ones(n, bool)
    open_[marked] = False
    chosen: list[Suggestion] = []
    seen = [float(places[paper]) for paper in marked]
    while len(chosen) < count and open_.any():
        best = _best_known(part, noise, open_, len(grid))
        held = best >= 0
        gain = np.full(len(grid), -1.0)
        columns = covariance[:, held]
        gain[held] = (weight[:, None] * columns**2).sum(axis=0) / (np.diag(covariance)[held] + noise[best[held]])
        # Rounded, so that what is equal but for the last bit goes to the better place on every machine.
        index = int(np.argmax(np.round(gain / gain.max(), 9)))
        paper = int(best[index])
        chosen.append(_suggestion(outcome, paper, places, seen, n))
        covariance = _condition_on(covariance, index, noise[paper])
        open_[paper] = False
        seen.append(float(places[paper]))
    return chosen


def _estimated_places(outcome: Outcome) -> tuple[FloatArray, FloatArray]:
    """Return the place of every paper, and its standard deviation on the bell curve's scale."""
    places = shared_places(outcome)
    intervals = outcome.result.intervals
    if intervals is None:
        return places, np.zeros(len(places))
    n = len(places)
    return places, (_bell(intervals[:, 0], n) - _bell(intervals[:, 1], n)) / WIDTH


def _bell(places: ArrayLike, n: int) -> FloatArray:
    """Return places on the bell curve's scale, better ones higher."""
    from scipy.special import ndtri

    z: FloatArray = -ndtri((np.asarray(places, np.float64) - 0.5) / n)
    return z


def _parts(z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return points from the best place to the last, and the number of papers around each."""
    grid = np.unique(z)
    if len(grid) > PARTS:
        grid = np.unique(np.quantile(z, np.linspace(0, 1, PARTS)))
    part = np.clip(np.searchsorted((grid[1:] + grid[:-1]) / 2, z), 0, len(grid) - 1)
    return grid, np.bincount(part, minlength=len(grid)).astype(np.float64)


def _similarity(z: FloatArray) -> FloatArray:
    """Return the correlation of the bends at two points: a Matern kernel, which is smooth but not too smooth."""
    far = np.sqrt(3) * np.abs(z[:, None] - z[None]) / REACH
    like: FloatArray = (1 + far) * np.exp(-far)
    return like


def _condition_on(covariance: FloatArray, index: int, noise: float) -> FloatArray:
    """Return the covariance given the mark at one point, with this error."""
    column = covariance[:, index]
    left: FloatArray = covariance - np.outer(column, column) / (column[index] + noise)
    return left


def _best_known(part: IntArray, noise: FloatArray, open_: np.ndarray, parts: int) -> IntArray:
    """Return for every part of the order the open paper whose place is known best, -1 where there is none."""
    papers = np.flatnonzero(open_)
    order = papers[np.lexsort((papers, noise[papers]))]
    best = np.full(parts, -1, np.int64)
    # Written from the worst to the best, so that the best stays.
    best[part[order[::-1]]] = order[::-1]
    return best


def _suggestion(outcome: Outcome, paper: int, places: FloatArray, seen: Sequence[float], n: int) -> Suggestion:
    place = float(places[paper])
    low = high = None
    reason = "{reason}"
    if outcome.result.intervals is not None:
        low, high = (int(end) for end in outcome.result.intervals[paper])
        typical = float(np.median(np.diff(outcome.result.intervals, axis=1)))
        if high - low < 0.75 * typical:
            reason = _("{reason}; its place is known better than most")
        elif high - low <= typical:
            reason = _("{reason}; its place is well known")
    better = [other for other in seen if other <= place]
    worse = [other for other in seen if other >= place]
    if not seen:
        why = _("no paper is marked yet; this one is the most informative about all others")
    elif not better:
        why = _("no marked paper is better than place {place:.0f}").format(place=min(worse))
    elif not worse:
        why = _("no marked paper is worse than place {place:.0f}").format(place=max(better))
    elif max(better) == min(worse):
        why = _("a second mark at place {place:.0f} makes the first one more certain").format(place=place)
    else:
        above, below = max(better), min(worse)
        between = int(np.sum((places > above) & (places < below)))
        text = ngettext(
            "the paper between places {above:.0f} and {below:.0f} is not marked yet",
            "none of the {count} papers between places {above:.0f} and {below:.0f} is marked yet",
            between,
        )
        if below - above < n / 50:
            text = _(
                "with its neighbours at places {above:.0f} and {below:.0f} it averages out the error of staff marks"
            )
        why = text.format(count=between, above=above, below=below)
    shared = bool(outcome.shared_by[paper] > 1)
    return Suggestion(paper, int(outcome.ranks[paper]), low, high, reason.format(reason=why), shared)
