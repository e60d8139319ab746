"""``Graded``: a round merged into an order, as the tables that people get."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder._version import __version__
from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.profile import Profile
from peerorder.core.randomness import child
from peerorder.files.formats.arrow import numbers
from peerorder.files.marking import Marking, anchored_marking, mark_unranked, scaled_marking, unranked_papers
from peerorder.files.rounds import Round
from peerorder.files.tables.anchors import Anchors
from peerorder.files.tables.roster import Roster
from peerorder.marks import (
    SCALES,
    Marks,
    Review,
    ReviewScheme,
    handed_out,
    marks_table,
    reviewed,
)
from peerorder.rules import RULES

__all__ = ["MANY_CONTRARY", "Graded", "Marking", "Settings", "grade", "mark_round", "merged", "staff_times"]

DECIMALS = 6
NAMED = 5
# The flag of graders whose ballots tie all of their papers.
TIED = "tied"
MANY_CONTRARY = 1 / 3
"""Where more than this share of the graders contradicts the order, it may be upside down itself."""
# Two papers in the right order, by a coin.
CHANCE = 0.5

Table = dict[str, Any]
"""Columns of one length by their names: lists, NumPy's arrays or arrow's."""


@dataclass(frozen=True)
class Settings:
    """What was chosen, in words and numbers that go into the provenance."""

    rule: str = "posterior"
    seed: int = 0
    staff_weight: int = 3
    lenient: bool = False
    marks: str | None = None
    """A scale of ``marks.SCALES`` with its options; not where there are anchors."""
    review: str = "done=70,reliable=30"
    """What counts in the mark for the work of ranking."""
    penalty: float = 0.0
    """Points off for a student who ranked nothing."""
    absent: float | None = None
    """The mark of students without a paper."""
    unranked: str | None = None
    """The mark of papers that nobody ranked: none, a mark, or ``place`` for that of the place they got by chance."""
    smooth_anchors: bool = False
    """Whether papers that staff marked get the mark of the curve; otherwise staff's mark stands."""
    anchors_points: float = 100.0
    """Full marks, where staff marked papers."""
    upside_down: bool = False
    """Whether graders took rank 1 for the worst, so that all ballots are turned round."""
    ties: str = "share"
    """Papers with equal scores ``share`` a place; or ``order`` for a place each, by lot, as before 0.4."""
    best_tenth: str = "students"
    """Who may be in the best tenth of graders, which review marks go by: ``students``, or ``all`` as before 0.4."""
    tied: str = "nothing"
    """What ballots say that tie all of their papers: ``nothing``; or they ``count`` as others do, as before 0.4."""
    top_ups: str = "favours"
    """Papers of a top-up are ``favours``, which count where they are done; or ``duties``, as before 0.4."""
    unread: str = "unknown"
    """What graders did of whom no row could be read is ``unknown``; or ``nothing``, as before 0.5."""

    @property
    def review_scheme(self) -> ReviewScheme:
        """How the work of ranking is marked."""
        return ReviewScheme.parse(self.review, self.penalty, self.absent)


@dataclass(frozen=True, eq=False)
class Graded:
    """What came of a round."""

    round: Round
    settings: Settings
    outcome: Outcome
    marking: Marking | None = None

    @property
    def provenance(self) -> dict[str, Any]:
        """Everything that it takes to find the same again."""
        return {
            "command": "grade",
            "settings": asdict(self.settings),
            "inputs": self.round.inputs,
            "profile": self.round.profile.digest,
            "version": __version__,
        }

    def provenance_for(self, path: Path) -> dict[str, Any]:
        """Return the same for a file, with the folders where inputs are, seen from there."""
        return {**self.provenance, "inputs": self.round.inputs_from(path.parent)}

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know about how this came about."""
        return (*self.round.notes, *self.outcome.findings.notes, *self._about_marks)

    @property
    def _about_marks(self) -> tuple[str, ...]:
        if self.marking is None:
            return ()
        return (
            *self.marking.notes,
            *self.settings.review_scheme.doubts(self.marking.highest),
            *self._about_penalty(self.marking),
        )

    def _about_penalty(self, marking: Marking) -> tuple[str, ...]:
        """A note about students whose own mark is lower than that of their paper."""
        roster = self.round.roster
        if not self.settings.penalty or roster is None or marking.numbers is None:
            return ()
        marked = (roster.authored >= 0) & ~np.isnan(marking.numbers[roster.authored])
        who = np.flatnonzero(marked & ~roster.staff & (self.review.done < 1)).tolist()
        if not who:
            return ()
        names = ", ".join(roster.students[at] for at in who[:NAMED])
        more = f" and {len(who) - NAMED:,} more" if len(who) > NAMED else ""
        return (
            f"the penalty for ranking less than asked lowers the marks of {names}{more} in marks of students, mail "
            "merge and gradebook; the marks of papers, as in grades and in the report, are before it",
        )

    @cached_property
    def places(self) -> IntArray:
        """The place of every paper, from 1; papers with equal scores share one, as in 1, 2, 2, 4."""
        return self.outcome.ranks if self.settings.ties == "share" else self.outcome.places + 1

    def place_label(self, paper: int) -> str:
        """The place of a paper as people read it: 2= where others share place 2."""
        shared = self.settings.ties == "share" and self.outcome.shared_by[paper] > 1
        return f"{self.places[paper]:,}{'=' if shared else ''}"

    @cached_property
    def contrary(self) -> int:
        """How many graders put more pairs of papers in the wrong order than in the right one, as far as is known."""
        findings = self.outcome.findings
        return 0 if findings.reliability is None else int(np.sum(findings.reliability[self.round.ordered] < CHANCE))

    @property
    def contrary_warning(self) -> tuple[str, str] | None:
        """What to say, and to do, where so many graders contradict the order that it may be upside down itself."""
        of = int(self.round.ordered.sum())
        if self.contrary <= MANY_CONTRARY * of:
            return None
        cure = "leave out --upside-down" if self.settings.upside_down else "add --upside-down"
        return (
            f"{self.contrary:,} of {of:,} graders contradict the order more often than they agree "
            "with it; perhaps they took 1 for the worst, or the others did",
            f"Read a few of the first papers and of the last: if the best stand last, grade again and {cure}",
        )

    def grades(self) -> Table:
        """A row a paper, the best first."""
        return self._grades

    @cached_property
    def _grades(self) -> Table:
        order = self.outcome.order
        intervals = self.outcome.findings.intervals
        nothing = [None] * len(order)
        return {
            "place": self.places[order],
            "paper": self.round.rankings.paper_ids.take(numbers(order)),
            "score": self.outcome.scores[order].round(DECIMALS),
            "low": nothing if intervals is None else intervals[order, 0],
            "high": nothing if intervals is None else intervals[order, 1],
            "rankings": self.round.profile.rankings[order],
            "mark": nothing if self.marking is None else _taken(self.marking.marks, order),
        }

    def graders(self) -> Table:
        """A row a grader, in the order of the roster or the rankings; one who compared nothing is not known."""
        findings, n = self.outcome.findings, self.round.profile.n_graders
        nothing = [None] * n
        intervals = findings.reliability_intervals
        ballots = np.bincount(self.round.profile.grader, minlength=n)
        heard, flags = ballots > 0, findings.flags or ("",) * n
        if self.settings.tied == "nothing":
            heard = self.round.ordered
            flags = tuple(TIED if tied else flag for tied, flag in zip(self.round.tied.tolist(), flags, strict=True))

        def known(values: FloatArray) -> FloatArray:
            return np.where(heard, values.round(DECIMALS), np.nan)

        return {
            "grader": self.round.rankings.grader_ids,
            "reliability": nothing if findings.reliability is None else known(findings.reliability),
            "low": nothing if intervals is None else known(intervals[:, 0]),
            "high": nothing if intervals is None else known(intervals[:, 1]),
            "ballots": ballots,
            "flag": flags,
        }

    @cached_property
    def review(self) -> Review:
        """What every grader did of the work of ranking, and the mark for it."""
        handout = self.round.duties if self.settings.top_ups == "favours" else self.round.handout_numbers
        work = None if handout is None else handed_out(self.outcome.profile, *handout)
        staff = self.round.staff if self.settings.best_tenth == "students" else None
        return reviewed(
            self.outcome,
            self.settings.review_scheme,
            work,
            staff,
            tied_count=self.settings.tied == "count",
            unread=self.round.unread if self.settings.unread == "unknown" else None,
        )

    def students(self) -> Table:
        """A row a student of the roster: the mark of her paper, and the one for her work of ranking."""
        roster = self.round.roster
        if roster is None or self.marking is None:
            scale = (
                "--marks percentile, --marks curve:mean=70,sd=10, --marks bands:A=10,B=25,C=40,D=25 or --anchors FILE"
            )
            wanted = {
                "a roster": "--roster roster.csv" if roster is None else "",
                "a scale": scale if self.marking is None else "",
            }
            missing = {name: option for name, option in wanted.items() if option}
            raise InputError(f"marks for students need {' and '.join(missing)}: add {', and '.join(missing.values())}")
        return self._students(roster, self.marking.marks)

    def letters(self) -> Table:
        """A row a student for a mail merge: name and address, the place of the paper and its marks, with both ends."""
        table, roster, marking = self.students(), self.round.roster, self.marking
        if roster is None or marking is None:
            return table
        number = [roster.student_number[student] for student in table["student"]]
        authored = roster.authored[number]
        places, intervals = self.places, self.outcome.findings.intervals

        def of_paper(values: Any) -> list[Any]:
            return [None if paper < 0 or values is None else values[paper] for paper in authored.tolist()]

        ends = {"mark_low": marking.low, "mark_high": marking.high}
        return {
            "student": table["student"],
            "name": [roster.name[at] for at in number],
            "email": [roster.email[at] for at in number],
            "paper": table["paper"],
            "place": of_paper(places.tolist()),
            "low": of_paper(None if intervals is None else intervals[:, 0].tolist()),
            "high": of_paper(None if intervals is None else intervals[:, 1].tolist()),
            "mark": table["mark"],
            **{
                name: of_paper(None) if end is None else self._students(roster, end)["mark"]
                for name, end in ends.items()
            },
            "review_mark": table["review_mark"],
        }

    def _students(self, roster: Roster, marks: Marks) -> Table:
        scheme = self.settings.review_scheme
        return dict(
            marks_table(roster.students, roster.papers, roster.authored, marks, self.review, scheme, roster.staff)
        )


def staff_times(round_: Round, staff_weight: int) -> IntArray | None:
    """How often the ballots of every grader count; None where all of them count once."""
    if staff_weight < 1:
        raise InputError(f"--staff-weight is {staff_weight}; a ballot counts at least once")
    return np.where(round_.staff, staff_weight, 1) if staff_weight > 1 and round_.staff.any() else None


def merged(round_: Round, settings: Settings) -> Outcome:
    """Merge a round; staff ballots count as often as the settings say."""
    times = staff_times(round_, settings.staff_weight)
    rule = RULES.parse(settings.rule)
    profile = round_.profile
    _must_say_something(profile, _comparing(profile, settings), round_.rankings.path)
    if times is not None:
        profile = profile.reweighted(times)
    return rule.aggregate(profile, child(settings.seed, "grade"))


def grade(round_: Round, settings: Settings) -> Graded:
    """Merge a round, and mark it where a scale or anchors say how."""
    if settings.marks is not None and round_.anchors is not None:
        raise InputError("--marks and --anchors both say how places become marks; give one of them")
    _must_have_marks(round_.anchors)
    if settings.marks is not None:
        SCALES.parse(settings.marks)
    settings.review_scheme  # noqa: B018 -- complains about weights that are none, before the work
    return mark_round(round_, settings, merged(round_, settings))


def mark_round(round_: Round, settings: Settings, outcome: Outcome) -> Graded:
    """Mark a round that is merged already."""
    if round_.anchors is not None:
        names = [round_.papers[paper] for paper in round_.anchors.papers.tolist()]
        marking = anchored_marking(outcome, round_.anchors, settings.smooth_anchors, settings.anchors_points, names)
    elif settings.marks is not None:
        marking = scaled_marking(outcome, SCALES.parse(settings.marks))
    else:
        return Graded(round_, settings, outcome)
    unranked = unranked_papers(round_.profile, _comparing(round_.profile, settings))
    # A million names are read only where some are needed.
    papers = round_.papers if len(unranked) else ()
    return Graded(round_, settings, outcome, mark_unranked(marking, unranked, settings.unranked, papers))


def _comparing(profile: Profile, settings: Settings) -> NDArray[np.bool_]:
    """The ballots that compare papers."""
    return profile.telling if settings.tied == "nothing" else profile.sizes > 1


def _must_say_something(profile: Profile, comparing: NDArray[np.bool_], path: Path) -> None:
    if not profile.n_papers:
        raise InputError(f"{path}: there is no paper in it; write a row for every paper that was ranked")
    if not (profile.sizes > 1).any():
        raise InputError(
            f"{path}: no grader ranks two papers, so nothing can be compared; collect rankings of two papers or more"
        )
    if not comparing.any():
        raise InputError(
            f"{path}: every ballot gives all of its papers the same rank, so no paper is above another; collect "
            "rankings with ranks 1, 2, 3 and so on"
        )


def _must_have_marks(anchors: Anchors | None) -> None:
    """Complain about a list of papers to mark that nobody has filled in yet."""
    if anchors is not None and not len(anchors) and anchors.unmarked:
        rows = (
            "its only row has no mark" if anchors.unmarked == 1 else f"none of its {anchors.unmarked} rows has a mark"
        )
        raise InputError(f"{anchors.path}: {rows}; fill in the column mark")


def _taken(values: Sequence[Any] | np.ndarray[Any, Any], order: np.ndarray[Any, Any]) -> Sequence[Any]:
    return values[order] if isinstance(values, np.ndarray) else [values[at] for at in order.tolist()]
