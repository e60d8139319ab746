"""``Marking``: a mark for every paper, where it came from, and how far off it may be."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.profile import Profile
from peerorder.core.text import shortlist
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
# How far staff marks are off to begin with, of full marks.
ERROR = 0.05
# 72, 72.5 and 72,5; 72% is 36 where full marks are 50.
NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)\s*%?", re.ASCII)
NO_MARK = "\N{EN DASH}"
"""What stands where a paper has no mark."""
BY_PLACE = "place"
"""What to write for the mark of the place that a paper got by chance."""


@dataclass(frozen=True, eq=False)
class StaffMarks:
    """The marks that staff gave to some papers, which turn places into marks."""

    papers: IntArray
    marks: FloatArray
    unmarked: int = 0
    """How many papers are listed and have no mark yet."""

    def __len__(self) -> int:
        return len(self.papers)


@dataclass(frozen=True, eq=False)
class Marking:
    """A mark for every paper, as numbers or letters, and where they are known how far off it may be.

    A paper without a mark has one that is not a number, or an empty text.
    """

    marks: Marks
    low: Marks | None = None
    high: Marks | None = None
    how: str = ""
    """How the marks were made: in words, or as the option that was given."""
    anchors: Mapping[int, float] = field(default_factory=dict)
    """The marks that staff gave, for some papers."""
    notes: tuple[str, ...] = ()
    kept: frozenset[int] = frozenset()
    """The papers whose mark is the one that staff gave."""
    unranked: frozenset[int] = frozenset()
    """The papers that nobody ranked, and whose mark is therefore not made of their place."""
    highest: float = 100.0
    """What full marks are."""
    decided: Mapping[int, str] = field(default_factory=dict)
    """The papers whose mark staff changed, with where it came from then, in words."""

    @property
    def numbers(self) -> FloatArray | None:
        """The marks as numbers, not a number where a paper has none; None where they are letters."""
        try:
            return np.array([np.nan if mark in (None, "") else mark for mark in self.marks], float)
        except (TypeError, ValueError):
            return None

    def has_mark(self, paper: int) -> bool:
        """Whether a paper has a mark."""
        mark = self.marks[paper]
        return bool(mark) if isinstance(mark, str) else not np.isnan(mark)

    def source(self, paper: int) -> str:
        """Where the mark of a paper came from, in words."""
        if paper in self.decided:
            return self.decided[paper]
        if paper in self.kept:
            return "given by staff"
        if paper in self.unranked:
            return "which was chosen for papers that nobody ranked" if self.has_mark(paper) else "nobody compared it"
        return f"by the curve {self.how}" if self.anchors else f"by the scale {self.how}"


def scaled_marking(outcome: Outcome, scale: Scale) -> Marking:
    """Marks of the places alone."""
    ends = scale.ends(outcome)
    low, high = (None, None) if ends is None else map(_rounded, ends)
    marks = scale.marks(outcome)
    return Marking(_rounded(marks), low, high, scale.spec, notes=scale.doubts(marks))


def anchored_marking(
    outcome: Outcome, anchors: StaffMarks, smooth: bool, highest: float, names: Sequence[str]
) -> Marking:
    """Marks of the curve through papers that staff marked, called ``names``; these keep theirs unless ``smooth``."""
    scale = AnchoredScale(anchors.papers, anchors.marks, error=ERROR * highest, highest=highest, names=names)
    curve = scale.fit(outcome)
    given = dict(zip(anchors.papers.tolist(), anchors.marks.tolist(), strict=True))
    low, high = (None if end is None else _rounded(end) for end in (curve.low, curve.high))
    how = f"through {len(given)} papers that staff marked"
    marking = Marking(_rounded(curve.marks), low, high, how, given, curve.notes, highest=highest)
    return marking if smooth else _keep(marking, list(given))


def _keep(marking: Marking, papers: Sequence[int]) -> Marking:
    """Let the marks that staff gave these papers stand; such a mark has no range."""
    marks = np.array(marking.marks, np.float64)
    marks[papers] = [marking.anchors[paper] for paper in papers]
    low, high = (None if end is None else np.array(end, np.float64) for end in (marking.low, marking.high))
    for end in (low, high):
        if end is not None:
            end[papers] = np.nan
    return replace(marking, marks=marks, low=low, high=high, kept=marking.kept.union(papers))


def unranked_papers(profile: Profile, comparing: NDArray[np.bool_] | None = None) -> IntArray:
    """The papers that no ballot compares with another one, so that their places are guesses.

    ``comparing`` are the ballots that compare papers: unless they are given, all that put one above another.
    """
    ballots = profile.telling if comparing is None else comparing
    compared = np.zeros(profile.n_papers, bool)
    compared[profile.papers[np.repeat(ballots, profile.sizes)]] = True
    return np.flatnonzero(~compared)


def mark_unranked(marking: Marking, papers: IntArray, chosen: str | None, names: Sequence[str]) -> Marking:
    """Give papers that nobody ranked the chosen mark, or none; a mark that staff gave them stands.

    ``chosen`` is a mark, or ``place`` for that of the place that a paper got by chance, or None.
    """
    letters = isinstance(marking.marks, list)
    mark = _chosen_mark(chosen, letters)
    if chosen == BY_PLACE or not len(papers):
        return marking
    by_staff = [paper for paper in papers.tolist() if paper in marking.anchors]
    if by_staff:
        marking = _keep(marking, by_staff)
    others = [paper for paper in papers.tolist() if paper not in marking.anchors]
    if not others:
        return marking
    nothing = _chosen_mark(None, letters)
    low, high = (None if end is None else _put(end, others, nothing) for end in (marking.low, marking.high))
    doubts: tuple[str, ...] = ()
    if not isinstance(mark, str) and not np.isnan(mark) and not 0 <= mark <= marking.highest:
        doubts = (
            f"papers that nobody ranked get {mark:g}, and marks are from 0 to {marking.highest:g}; is that meant?",
        )
    notes = (*marking.notes, *doubts) if chosen is not None else (*marking.notes, _unmarked(others, names))
    return replace(
        marking, marks=_put(marking.marks, others, mark), low=low, high=high, notes=notes, unranked=frozenset(others)
    )


def _chosen_mark(chosen: str | None, letters: bool) -> float | str:
    if chosen is None or chosen == BY_PLACE:
        return "" if letters else float("nan")
    if letters:
        return chosen
    if (mark := parse_mark(chosen)) is None:
        raise InputError(
            f"`unranked` is {chosen!r}, and marks are numbers here; write a number, or {BY_PLACE} for the mark of the "
            "place that a paper got by chance"
        )
    return mark


def as_mark(mark: Any) -> str:
    """A mark as people write it."""
    if mark in (None, "") or (isinstance(mark, (float, np.floating)) and np.isnan(mark)):
        return NO_MARK
    return f"{mark:.1f}" if isinstance(mark, (float, np.floating)) else str(mark)


def parse_mark(text: str, highest: float = 100.0) -> float | None:
    """Return a mark as people write it: 72, 72.5, 72,5, or 72%, of full marks; None where that is no number."""
    text = text.strip()
    if not NUMBER.fullmatch(text):
        return None
    return float(text.rstrip("% ").replace(",", ".")) * (highest / 100 if text.endswith("%") else 1)


def _put(values: Marks, papers: Sequence[int], mark: float | str) -> Marks:
    if isinstance(values, list):
        own = set(papers)
        return [str(mark) if paper in own else value for paper, value in enumerate(values)]
    changed: FloatArray = np.array(values, np.float64)
    changed[papers] = mark
    return changed


def _unmarked(papers: Sequence[int], names: Sequence[str]) -> str:
    listed = shortlist([names[paper] for paper in papers], NAMED)
    has, it = ("has", "it") if len(papers) == 1 else ("have", "them")
    return (
        f"{listed} {has} no mark, because nobody compared {it} with another paper; ask for rankings (peerorder assign "
        f"--top-up), or give {it} a mark with --unranked"
    )


def _rounded(marks: Marks) -> Marks:
    return marks if isinstance(marks, list) else marks.round(MARK_DECIMALS)
