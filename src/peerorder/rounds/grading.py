"""``GradedRound``: a round merged into an order, as the tables that people get."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder._version import __version__
from peerorder.core.arrays import AnyIntArray, FloatArray, IntArray
from peerorder.core.diagnostics import Diagnostics
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.profile import Profile
from peerorder.core.randomness import child
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, ngettext
from peerorder.core.workers import Workers
from peerorder.marks import SCALES, Marks, Review, compute_review, marks_table, work_of_handout
from peerorder.rounds.marking import Marking, anchored_marking, mark_unranked, scaled_marking, unranked_papers
from peerorder.rounds.overrides import apply_to_marks, check_overrides, exclude_ballots, notes_on
from peerorder.rounds.round import Round, ids_at
from peerorder.rounds.settings import GradeSettings
from peerorder.rules import RULES

__all__ = [
    "MANY_CONTRARY",
    "GradedRound",
    "Grades",
    "Marking",
    "counted_round",
    "grade",
    "mark_round",
    "merge",
    "staff_times",
]

DECIMALS = 6
# The flag of graders whose ballots tie all of their papers.
TIED = "tied"
MANY_CONTRARY = 1 / 3
"""Where more than this share of the graders contradicts the order, it may be upside down itself."""
# Two papers in the right order, by a coin.
CHANCE = 0.5
# Beyond this many papers the slow rule takes long enough to mention the other one.
MANY_PAPERS = 200_000
SLOW_RULE, FAST_RULE = "posterior", "mixture"

Table = dict[str, Any]
"""Columns of one length by their names: lists, NumPy's arrays or arrow's."""


class Grades(ABC):
    """An order and its marks, as the table of grades."""

    settings: GradeSettings
    outcome: Outcome
    marking: Marking | None

    @property
    @abstractmethod
    def rankings(self) -> AnyIntArray:
        """The number of ballots that rank each paper."""
        ...

    @abstractmethod
    def paper_ids(self, papers: IntArray) -> Any:
        """Return the ids of these papers, as an arrow array."""
        ...

    @cached_property
    def places(self) -> IntArray:
        """The place of every paper, from 1; papers with equal scores share one, as in 1, 2, 2, 4."""
        return self.outcome.ranks if self.settings.ties == "share" else self.outcome.places + 1

    def place_label(self, paper: int) -> str:
        """Return the place of a paper as people read it: 2= where others share place 2."""
        shared = self.settings.ties == "share" and self.outcome.shared_by[paper] > 1
        return f"{self.places[paper]:,}{'=' if shared else ''}"

    def grades(self) -> Table:
        """Return one row per paper, the best first."""
        return self._grades

    @cached_property
    def _grades(self) -> Table:
        order, shared = self.outcome.order, self.settings.ties == "share"
        intervals = self.outcome.result.intervals
        nothing = [None] * len(order)
        return {
            "place": self.outcome.ranks_in_order if shared else np.arange(1, len(order) + 1),
            "paper": self.paper_ids(order),
            "score": self.outcome.falling_scores.round(DECIMALS),
            "low": nothing if intervals is None else intervals[order, 0],
            "high": nothing if intervals is None else intervals[order, 1],
            "rankings": self.rankings[order],
            "mark": nothing if self.marking is None else np.asarray(self.marking.marks)[order],
        }


@dataclass(frozen=True, eq=False)
class GradedRound(Grades):
    """The result of a round: its order and its marks."""

    round: Round
    settings: GradeSettings
    outcome: Outcome
    marking: Marking | None = None

    @property
    def provenance(self) -> dict[str, Any]:
        """Everything needed to compute the same again."""
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
        """What people should know about how this was computed."""
        notes = [*self.round.notes, *self.outcome.result.notes, *notes_on(self.round.overrides)]
        if self.outcome.rule == SLOW_RULE and len(self.outcome.order) > MANY_PAPERS:
            text = _("`rule` {fast} orders this many papers in a small part of the time, and nearly as well as {slow}")
            notes.append(text.format(fast=FAST_RULE, slow=SLOW_RULE))
        if self.marking is not None:
            notes += [*self.marking.notes, *self.settings.review_scheme.warnings(self.marking.highest)]
            notes += self._penalty_notes(self.marking)
        return tuple(notes)

    def _penalty_notes(self, marking: Marking) -> tuple[str, ...]:
        """Return a note about students whose own mark is lower than that of their paper."""
        read, authored = self.round, self.round.profile.authored
        if not self.settings.penalty or read.people is None or marking.numbers is None:
            return ()
        marked = (authored >= 0) & ~np.isnan(marking.numbers[authored])
        who = np.flatnonzero(marked & ~read.staff & (self.review.done < 1)).tolist()
        if not who:
            return ()
        names = shortlist([read.graders[index] for index in who])
        return (
            _(
                "the penalty for incomplete rankings lowers the marks of {names} in the marks of students, the mail "
                "merge and the gradebook; grades and the report show the marks of papers, before the penalty"
            ).format(names=names),
        )

    @cached_property
    def diagnostics(self) -> Diagnostics | None:
        """How well the chains of the sampler agree; None where the rule draws no orders, or hardly any."""
        samples = self.outcome.result.samples
        return None if samples is None or samples.too_few else samples.diagnose()

    @property
    def rankings(self) -> IntArray:
        """The number of ballots that rank each paper."""
        return self.round.profile.rankings

    def paper_ids(self, papers: IntArray) -> Any:
        """Return the ids of these papers, as an arrow array."""
        return ids_at(self.round.paper_ids, papers)

    @cached_property
    def contrary(self) -> int:
        """The number of graders who seem to put more pairs of papers in the wrong order than in the right one."""
        result = self.outcome.result
        return 0 if result.reliability is None else int(np.sum(result.reliability[self.round.ordered] < CHANCE))

    @property
    def contrary_warning(self) -> tuple[str, str] | None:
        """A warning and its cure if many graders contradict the order, which may then be upside down itself."""
        of = int(self.round.ordered.sum())
        if self.contrary <= MANY_CONTRARY * of:
            return None
        # Where a round does not come from files, there is no command line either.
        if not self.round.inputs:
            cure = _(
                "Read a few of the first and the last papers: if the best ones are last, grade again with the ranks "
                "read the other way round"
            )
        elif self.settings.upside_down:
            cure = _(
                "Read a few of the first and the last papers: if the best ones are last, grade again without "
                "`upside_down`"
            )
        else:
            cure = _(
                "Read a few of the first and the last papers: if the best ones are last, grade again with `upside_down`"
            )
        warning = _(
            "{count:,} of {total:,} graders contradict the order more often than they agree with it; perhaps they, "
            "or the others, gave rank 1 to the worst paper"
        )
        return warning.format(count=self.contrary, total=of), cure

    def graders(self) -> Table:
        """Return one row per grader, in the order of the roster or the rankings; unknown for those without rankings."""
        result, n = self.outcome.result, self.round.profile.n_graders
        nothing = [None] * n
        intervals = result.reliability_intervals
        ballots = np.bincount(self.round.profile.grader, minlength=n)
        heard, flags = ballots > 0, result.flags or ("",) * n
        if self.settings.tied == "nothing":
            heard = self.round.ordered
            flags = tuple(TIED if tied else flag for tied, flag in zip(self.round.tied.tolist(), flags, strict=True))

        def known(values: FloatArray) -> FloatArray:
            return np.where(heard, values.round(DECIMALS), np.nan)

        return {
            "grader": self.round.grader_ids,
            "reliability": nothing if result.reliability is None else known(result.reliability),
            "low": nothing if intervals is None else known(intervals[:, 0]),
            "high": nothing if intervals is None else known(intervals[:, 1]),
            "ballots": ballots,
            "flag": flags,
        }

    @cached_property
    def review(self) -> Review:
        """The share of their papers that every grader ranked, and the mark for it."""
        asked = self.round.duties if self.settings.top_ups == "favours" else self.round.handout
        work = None if asked is None else work_of_handout(self.outcome.profile, asked[0], asked[1])
        staff = self.round.staff if self.settings.best_tenth == "students" else None
        return compute_review(
            self.outcome,
            self.settings.review_scheme,
            work,
            staff,
            tied_count=self.settings.tied == "count",
            unread=self.round.unread if self.settings.unread == "unknown" else None,
        )

    def students(self) -> Table:
        """Return one row per student of the roster: the mark of their paper, and the mark for ranking."""
        if self.round.people is None or self.marking is None:
            if self.marking is not None:
                raise InputError(_("marks for students need a roster; add `roster` roster.csv"))
            if self.round.people is not None:
                raise InputError(
                    _(
                        "marks for students need a scale; add `marks` percentile, `marks` curve:mean=70,sd=10, "
                        "`marks` bands:A=10,B=25,C=40,D=25 or `anchors` FILE"
                    )
                )
            raise InputError(
                _(
                    "marks for students need a roster and a scale; add `roster` roster.csv, and `marks` percentile, "
                    "`marks` curve:mean=70,sd=10, `marks` bands:A=10,B=25,C=40,D=25 or `anchors` FILE"
                )
            )
        return self._students(self.marking.marks)

    def mail_merge(self) -> Table:
        """Return one row per student for a mail merge: name, address, place and marks of the paper, with ranges."""
        table, people, marking = self.students(), self.round.people, self.marking
        if people is None or marking is None:
            return table
        number = np.flatnonzero(~self.round.staff).tolist()
        authored = self.round.profile.authored[number]
        places, intervals = self.places, self.outcome.result.intervals

        def of_paper(values: Any) -> list[Any]:
            return [None if paper < 0 or values is None else values[paper] for paper in authored.tolist()]

        ends = {"mark_low": marking.low, "mark_high": marking.high}
        return {
            "student": table["student"],
            "name": [people.names[index] for index in number],
            "email": [people.emails[index] for index in number],
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
    """Return how often the ballots of every grader count; None where all count once."""
    if staff_weight < 1:
        raise InputError(_("`staff_weight` is {staff_weight}; it must be 1 or more").format(staff_weight=staff_weight))
    return np.where(round_.staff, staff_weight, 1) if staff_weight > 1 and round_.staff.any() else None


def merge(round_: Round, settings: GradeSettings, workers: Workers | None = None) -> Outcome:
    """Merge a round; staff ballots count as often as the settings say, and ``workers`` share the work if they can."""
    times = staff_times(round_, settings.staff_weight)
    rule = RULES.parse(settings.rule)
    profile = round_.profile
    _check_comparisons(profile, _informative_ballots(profile, settings), round_.name_of("rankings"))
    if times is not None:
        profile = profile.reweighted(times)
    return rule.aggregate(profile, child(settings.seed, "grade"), workers)


def grade(
    round_: Round,
    settings: GradeSettings | None = None,
    outcome: Outcome | None = None,
    workers: Workers | None = None,
) -> GradedRound:
    """Merge a round, and mark it where a scale or anchors say how.

    ``outcome`` is an earlier result for the ballots of ``counted_round``; then nothing is merged again. ``workers``
    share the work, where the rule can share it.
    """
    settings = settings or GradeSettings()
    if settings.marks is not None and round_.anchors is not None:
        raise InputError(_("`marks` and `anchors` both turn places into marks; give only one"))
    _check_anchors(round_)
    if settings.marks is not None:
        SCALES.parse(settings.marks)
    check_overrides(round_, settings)
    settings.review_scheme  # noqa: B018 -- raises an error for bad weights before the work begins
    counted = counted_round(round_, settings)
    return mark_round(counted, settings, merge(counted, settings, workers) if outcome is None else outcome)


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
    unranked = unranked_papers(round_.profile, _informative_ballots(round_.profile, settings))
    marking = mark_unranked(marking, unranked, settings.unranked, partial(ids_at, round_.paper_ids))
    return GradedRound(round_, settings, outcome, apply_to_marks(marking, round_, settings))


def _informative_ballots(profile: Profile, settings: GradeSettings) -> NDArray[np.bool_]:
    """Return which ballots compare papers."""
    return profile.informative if settings.tied == "nothing" else profile.sizes > 1


def _check_comparisons(profile: Profile, comparing: NDArray[np.bool_], name: str) -> None:
    if not profile.n_papers:
        raise InputError(_("{file}: no paper found; write one row for every paper that was ranked").format(file=name))
    if not (profile.sizes > 1).any():
        raise InputError(
            _(
                "{file}: no grader ranks two papers, so nothing can be compared; collect rankings of two papers or more"
            ).format(file=name)
        )
    if not comparing.any():
        raise InputError(
            _(
                "{file}: every ballot gives all of its papers the same rank, so no paper is above another; "
                "collect rankings with ranks 1, 2, 3 and so on"
            ).format(file=name)
        )


def _check_anchors(round_: Round) -> None:
    """Raise InputError if nobody has filled in the list of papers to mark yet."""
    anchors = round_.anchors
    if anchors is not None and not len(anchors) and anchors.unmarked:
        text = ngettext(
            "{file}: its only row has no mark; fill in the column mark",
            "{file}: none of its {count} rows has a mark; fill in the column mark",
            anchors.unmarked,
        )
        raise InputError(text.format(file=round_.name_of("anchors"), count=anchors.unmarked))
