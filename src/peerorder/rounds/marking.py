"""``Marking``: a mark for every paper, its source and its uncertainty."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.profile import Profile
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, ngettext
from peerorder.marks import AnchoredScale, Marks, Scale

__all__ = [
    "BY_PLACE",
    "NO_MARK",
    "Marking",
    "StaffMarks",
    "anchored_marking",
    "as_mark",
    "mark_unranked",
    "parse_mark",
    "scaled_marking",
    "unranked_papers",
]

MARK_DECIMALS = 2
NAMED = 10
# The assumed error of staff marks, as a share of full marks.
ERROR = 0.05
# 72, 72.5 and 72,5; 72% is 36 where full marks are 50.
NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)\s*%?", re.ASCII)
NO_MARK = "\N{EN DASH}"
"""Shown in place of a missing mark."""
BY_PLACE = "place"
"""What to write for the mark of the place that a paper got by chance."""


@dataclass(frozen=True, eq=False)
class StaffMarks:
    """The marks that staff gave to some papers, which turn places into marks."""

    papers: IntArray
    marks: FloatArray
    unmarked: int = 0
    """The number of listed papers without a mark."""

    def __len__(self) -> int:
        return len(self.papers)


@dataclass(frozen=True, eq=False)
class Marking:
    """A mark for every paper, as numbers or letters, with ranges where they are known.

    A missing mark is NaN, or an empty text.
    """

    marks: Marks
    low: Marks | None = None
    high: Marks | None = None
    how: str = ""
    """How the marks were made: in words, or as the scale that was given."""
    anchors: Mapping[int, float] = field(default_factory=dict)
    """The marks that staff gave, for some papers."""
    notes: tuple[str, ...] = ()
    kept: frozenset[int] = frozenset()
    """The papers whose mark is the one that staff gave."""
    unranked: frozenset[int] = frozenset()
    """The papers that nobody ranked, whose mark therefore does not follow from their place."""
    highest: float = 100.0
    """Full marks."""
    decided: Mapping[int, str] = field(default_factory=dict)
    """The papers whose mark staff changed, with the source of the new mark, in words."""

    @property
    def numbers(self) -> FloatArray | None:
        """The marks as numbers, NaN where a paper has none; None where they are letters."""
        if isinstance(self.marks, np.ndarray):
            return np.array(self.marks, float)
        try:
            return np.array([np.nan if mark in (None, "") else mark for mark in self.marks], float)
        except (TypeError, ValueError):
            return None

    @property
    def none(self) -> float | str:
        """The missing mark: an empty text among letters, otherwise NaN."""
        return "" if isinstance(self.marks, list) else np.nan

    def with_marks(self, marks: Mapping[int, float | str], **changes: Any) -> "Marking":
        """Return the same with these marks, which have no range, and with other changes."""
        low, high = (_replace_marks(end, dict.fromkeys(marks, self.none)) for end in (self.low, self.high))
        return replace(self, marks=_replace_marks(self.marks, marks), low=low, high=high, **changes)

    def with_penalty(self, paper: int, points: float, **changes: Any) -> "Marking":
        """Return the same with fewer points for a paper, but not below 0; a mark that is already below 0 stays."""

        def lowered(marks: Any) -> Any:
            return (
                marks
                if marks is None
                else _replace_marks(marks, {paper: max(marks[paper] - points, min(marks[paper], 0.0))})
            )

        return replace(self, marks=lowered(self.marks), low=lowered(self.low), high=lowered(self.high), **changes)

    def has_mark(self, paper: int) -> bool:
        """Return whether a paper has a mark."""
        mark = self.marks[paper]
        return bool(mark) if isinstance(mark, str) else not np.isnan(mark)

    def source(self, paper: int) -> str:
        """Return the source of a paper's mark, in words."""
        if paper in self.decided:
            return self.decided[paper]
        if paper in self.kept:
            return _("given by staff")
        if paper in self.unranked:
            chosen = self.has_mark(paper)
            return _("the mark chosen for papers that nobody ranked") if chosen else _("nobody compared it")
        text = _("by the curve {how}") if self.anchors else _("by the scale {how}")
        return text.format(how=self.how)


def scaled_marking(outcome: Outcome, scale: Scale) -> Marking:
    """Make marks from places by a scale."""
    ends = scale.ends(outcome)
    low, high = (None, None) if ends is None else map(_round, ends)
    marks = scale.marks(outcome)
    return Marking(_round(marks), low, high, scale.spec, notes=scale.warnings(marks))


def anchored_marking(
    outcome: Outcome, anchors: StaffMarks, smooth: bool, highest: float, names: Sequence[str]
) -> Marking:
    """Make marks by the curve through papers that staff marked; these keep staff's mark unless ``smooth``."""
    scale = AnchoredScale(anchors.papers, anchors.marks, error=ERROR * highest, highest=highest, names=names)
    curve = scale.fit(outcome)
    given = dict(zip(anchors.papers.tolist(), anchors.marks.tolist(), strict=True))
    low, high = (None if end is None else _round(end) for end in (curve.low, curve.high))
    text = ngettext("through {count} paper that staff marked", "through {count} papers that staff marked", len(given))
    how = text.format(count=len(given))
    marking = Marking(_round(curve.marks), low, high, how, given, curve.notes, highest=highest)
    return marking if smooth else marking.with_marks(given, kept=frozenset(given))


def unranked_papers(profile: Profile, comparing: NDArray[np.bool_] | None = None) -> IntArray:
    """Return the papers that no ballot compares with another, so that their places are guesses.

    ``comparing`` are the ballots that compare papers: unless they are given, all that put one above another.
    """
    ballots = profile.informative if comparing is None else comparing
    compared = profile.rankings > 0
    if not ballots.all():
        compared[:] = False
        compared[profile.papers[np.repeat(ballots, profile.sizes)]] = True
    return np.flatnonzero(~compared)


def mark_unranked(marking: Marking, papers: IntArray, chosen: str | None, ids: Callable[[IntArray], Any]) -> Marking:
    """Give papers that nobody ranked the chosen mark, or none; a mark that staff gave is kept.

    ``chosen`` is a mark, or ``place`` for that of the place that a paper got by chance, or None. ``ids`` gives the ids
    of papers, as an arrow array.
    """
    mark: float | str | None = marking.none
    if chosen is not None and chosen != BY_PLACE:
        mark = chosen if isinstance(marking.marks, list) else parse_mark(chosen)
    if mark is None:
        raise InputError(
            _(
                "`unranked` is {chosen!r}, but marks are numbers here; write a number, or {by_place} for the "
                "mark of the place that a paper got by chance"
            ).format(chosen=chosen, by_place=BY_PLACE)
        )
    if chosen == BY_PLACE or not len(papers):
        return marking
    by_staff = {paper: marking.anchors[paper] for paper in papers.tolist() if paper in marking.anchors}
    others = [paper for paper in papers.tolist() if paper not in by_staff]
    notes = [*marking.notes]
    if others and chosen is None:
        notes.append(_note_on_unmarked(ids(np.array(others)).to_pylist()))
    elif others and not isinstance(mark, str) and not 0 <= mark <= marking.highest:
        doubt = _("papers that nobody ranked get {mark:g}, but marks are from 0 to {highest:g}; is that intended?")
        notes.append(doubt.format(mark=mark, highest=marking.highest))
    return marking.with_marks(
        by_staff | dict.fromkeys(others, mark),
        notes=tuple(notes),
        kept=marking.kept.union(by_staff),
        unranked=frozenset(others),
    )


def as_mark(mark: Any) -> str:
    """Return a mark as people write it."""
    if mark in (None, "") or (isinstance(mark, (float, np.floating)) and np.isnan(mark)):
        return NO_MARK
    return f"{mark:.1f}" if isinstance(mark, (float, np.floating)) else str(mark)


def parse_mark(text: str, highest: float = 100.0) -> float | None:
    """Return a mark as people write it: 72, 72.5, 72,5, or 72%, of full marks; None if it is not a number."""
    text = text.strip()
    if not NUMBER.fullmatch(text):
        return None
    return float(text.rstrip("% ").replace(",", ".")) * (highest / 100 if text.endswith("%") else 1)


def _replace_marks(values: Marks | None, marks: Mapping[int, float | str]) -> Any:
    """Return marks, or ends of their ranges, with some replaced."""
    changed: Any = [*values] if isinstance(values, list) else None if values is None else np.array(values, np.float64)
    for paper, mark in marks.items() if changed is not None else ():
        changed[paper] = mark
    return changed


def _note_on_unmarked(papers: Sequence[object]) -> str:
    listed = shortlist([*map(str, papers)], NAMED)
    return ngettext(
        "{papers} has no mark, because nobody compared it with another paper; ask for more rankings with a top-up, "
        "or give it a mark with `unranked`",
        "{papers} have no mark, because nobody compared them with another paper; ask for more rankings with a top-up, "
        "or give them a mark with `unranked`",
        len(papers),
    ).format(papers=listed)


def _round(marks: Marks) -> Marks:
    return marks if isinstance(marks, list) else marks.round(MARK_DECIMALS)
