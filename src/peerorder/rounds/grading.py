"""``GradedRound``: a round merged into an order, as the tables that people get."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder._version import __version__
from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.profile import Profile
from peerorder.core.randomness import child
from peerorder.core.text import shortlist
from peerorder.marks import SCALES, Marks, Review, handed_out, marks_table, reviewed
from peerorder.rounds.marking import Marking, anchored_marking, mark_unranked, scaled_marking, unranked_papers
from peerorder.rounds.overrides import apply_to_marks, check_overrides, exclude_ballots, notes_on
from peerorder.rounds.round import Round, ids_at
from peerorder.rounds.settings import GradeSettings
from peerorder.rules import RULES

__all__ = ["MANY_CONTRARY", "GradedRound", "Marking", "counted_round", "grade", "mark_round", "merge", "staff_times"]

DECIMALS = 6
# The flag of graders whose ballots tie all of their papers.
TIED = "tied"
MANY_CONTRARY = 1 / 3
"""Where more than this share of the graders contradicts the order, it may be upside down itself."""
# Two papers in the right order, by a coin.
CHANCE = 0.5

Table = dict[str, Any]
"""Columns of one length by their names: lists, NumPy's arrays or arrow's."""


@dataclass(frozen=True, eq=False)
class GradedRound:
    """What came of a round."""

    round: Round
    settings: GradeSettings
    outcome: Outcome
    marking: Marking | None = None

    @property
    def provenance(self) -> dict[str, Any]:
        """Everything that it takes to find the same again."""
        return {
            "command": "grade",
            "settings": asdict(self.settings),
            "inputs": self.round.input_records,
            **({"overrides": [each.record for each in self.round.overrides]} if self.round.overrides else {}),
            "profile": self.round.profile.digest,
            "version": __version__,
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know about how this came about."""
        notes = [*self.round.notes, *self.outcome.findings.notes, *notes_on(self.round.overrides)]
        if self.marking is not None:
            notes += [*self.marking.notes, *self.settings.review_scheme.doubts(self.marking.highest)]
            notes += self._about_penalty(self.marking)
        return tuple(notes)

    def _about_penalty(self, marking: Marking) -> tuple[str, ...]:
        """A note about students whose own mark is lower than that of their paper."""
        read, authored = self.round, self.round.profile.authored
        if not self.settings.penalty or read.people is None or marking.numbers is None:
            return ()
        marked = (authored >= 0) & ~np.isnan(marking.numbers[authored])
        who = np.flatnonzero(marked & ~read.staff & (self.review.done < 1)).tolist()
        if not who:
            return ()
        names = shortlist([read.graders[at] for at in who])
        return (
            f"the penalty for ranking less than asked lowers the marks of {names} in marks of students, mail "
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
        cure = "and leave out --upside-down" if self.settings.upside_down else "and add --upside-down"
        # Where a round does not come from files, there is no command line either.
        cure = cure if self.round.inputs else "with the ranks read the other way round"
        return (
            f"{self.contrary:,} of {of:,} graders contradict the order more often than they agree "
            "with it; perhaps they took 1 for the worst, or the others did",
            f"Read a few of the first papers and of the last: if the best stand last, grade again {cure}",
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
            "paper": ids_at(self.round.paper_ids, order),
            "score": self.outcome.scores[order].round(DECIMALS),
            "low": nothing if intervals is None else intervals[order, 0],
            "high": nothing if intervals is None else intervals[order, 1],
            "rankings": self.round.profile.rankings[order],
            "mark": nothing if self.marking is None else np.asarray(self.marking.marks)[order],
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
            "grader": self.round.grader_ids,
            "reliability": nothing if findings.reliability is None else known(findings.reliability),
            "low": nothing if intervals is None else known(intervals[:, 0]),
            "high": nothing if intervals is None else known(intervals[:, 1]),
            "ballots": ballots,
            "flag": flags,
        }

    @cached_property
    def review(self) -> Review:
        """What every grader did of the work of ranking, and the mark for it."""
        asked = self.round.duties if self.settings.top_ups == "favours" else self.round.handout
        work = None if asked is None else handed_out(self.outcome.profile, asked[0], asked[1])
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
        if self.round.people is None or self.marking is None:
            scale = (
                "`marks` percentile, `marks` curve:mean=70,sd=10, `marks` bands:A=10,B=25,C=40,D=25 or `anchors` FILE"
            )
            wanted = {
                "a roster": "`roster` roster.csv" if self.round.people is None else "",
                "a scale": scale if self.marking is None else "",
            }
            missing = {name: parameter for name, parameter in wanted.items() if parameter}
            raise InputError(f"marks for students need {' and '.join(missing)}: add {', and '.join(missing.values())}")
        return self._students(self.marking.marks)

    def letters(self) -> Table:
        """A row a student for a mail merge: name and address, the place of the paper and its marks, with both ends."""
        table, people, marking = self.students(), self.round.people, self.marking
        if people is None or marking is None:
            return table
        number = np.flatnonzero(~self.round.staff).tolist()
        authored = self.round.profile.authored[number]
        places, intervals = self.places, self.outcome.findings.intervals

        def of_paper(values: Any) -> list[Any]:
            return [None if paper < 0 or values is None else values[paper] for paper in authored.tolist()]

        ends = {"mark_low": marking.low, "mark_high": marking.high}
        return {
            "student": table["student"],
            "name": [people.names[at] for at in number],
            "email": [people.emails[at] for at in number],
            "paper": table["paper"],
            "place": of_paper(places.tolist()),
            "low": of_paper(None if intervals is None else intervals[:, 0].tolist()),
            "high": of_paper(None if intervals is None else intervals[:, 1].tolist()),
            "mark": table["mark"],
            **{name: of_paper(None) if end is None else self._students(end)["mark"] for name, end in ends.items()},
            "review_mark": table["review_mark"],
        }

    def _students(self, marks: Marks) -> Table:
        read, scheme = self.round, self.settings.review_scheme
        return dict(
            marks_table(read.graders, read.papers, read.profile.authored, marks, self.review, scheme, read.staff)
        )


def staff_times(round_: Round, staff_weight: int) -> IntArray | None:
    """How often the ballots of every grader count; None where all of them count once."""
    if staff_weight < 1:
        raise InputError(f"`staff_weight` is {staff_weight}; a ballot counts at least once")
    return np.where(round_.staff, staff_weight, 1) if staff_weight > 1 and round_.staff.any() else None


def merge(round_: Round, settings: GradeSettings) -> Outcome:
    """Merge a round; staff ballots count as often as the settings say."""
    times = staff_times(round_, settings.staff_weight)
    rule = RULES.parse(settings.rule)
    profile = round_.profile
    _must_say_something(profile, _comparing(profile, settings), round_.name_of("rankings"))
    if times is not None:
        profile = profile.reweighted(times)
    return rule.aggregate(profile, child(settings.seed, "grade"))


def grade(round_: Round, settings: GradeSettings | None = None, outcome: Outcome | None = None) -> GradedRound:
    """Merge a round, and mark it where a scale or anchors say how.

    ``outcome`` is what was found before for the ballots that ``counted_round`` has; then nothing is merged again.
    """
    settings = settings or GradeSettings()
    if settings.marks is not None and round_.anchors is not None:
        raise InputError("`marks` and `anchors` both say how places become marks; give one of them")
    _must_have_marks(round_)
    if settings.marks is not None:
        SCALES.parse(settings.marks)
    check_overrides(round_, settings)
    settings.review_scheme  # noqa: B018 -- complains about weights that are none, before the work
    counted = counted_round(round_, settings)
    return mark_round(counted, settings, merge(counted, settings) if outcome is None else outcome)


def counted_round(round_: Round, settings: GradeSettings) -> Round:
    """Return the round with the ballots that count, the right way up."""
    return exclude_ballots(round_.reversed() if settings.upside_down else round_)


def mark_round(round_: Round, settings: GradeSettings, outcome: Outcome) -> GradedRound:
    """Mark a round that is merged already."""
    if round_.anchors is not None:
        names = [round_.papers[paper] for paper in round_.anchors.papers.tolist()]
        marking = anchored_marking(outcome, round_.anchors, settings.smooth_anchors, settings.anchors_points, names)
    elif settings.marks is not None:
        marking = scaled_marking(outcome, SCALES.parse(settings.marks))
    else:
        return GradedRound(round_, settings, outcome)
    unranked = unranked_papers(round_.profile, _comparing(round_.profile, settings))
    # A million names are read only where some are needed.
    papers = round_.papers if len(unranked) else ()
    marking = mark_unranked(marking, unranked, settings.unranked, papers)
    return GradedRound(round_, settings, outcome, apply_to_marks(marking, round_, settings))


def _comparing(profile: Profile, settings: GradeSettings) -> NDArray[np.bool_]:
    """The ballots that compare papers."""
    return profile.telling if settings.tied == "nothing" else profile.sizes > 1


def _must_say_something(profile: Profile, comparing: NDArray[np.bool_], name: str) -> None:
    if not profile.n_papers:
        raise InputError(f"{name}: there is no paper in it; write a row for every paper that was ranked")
    if not (profile.sizes > 1).any():
        raise InputError(
            f"{name}: no grader ranks two papers, so nothing can be compared; collect rankings of two papers or more"
        )
    if not comparing.any():
        raise InputError(
            f"{name}: every ballot gives all of its papers the same rank, so no paper is above another; collect "
            "rankings with ranks 1, 2, 3 and so on"
        )


def _must_have_marks(round_: Round) -> None:
    """Complain about a list of papers to mark that nobody has filled in yet."""
    anchors = round_.anchors
    if anchors is not None and not len(anchors) and anchors.unmarked:
        rows = (
            "its only row has no mark" if anchors.unmarked == 1 else f"none of its {anchors.unmarked} rows has a mark"
        )
        raise InputError(f"{round_.name_of('anchors')}: {rows}; fill in the column mark")
