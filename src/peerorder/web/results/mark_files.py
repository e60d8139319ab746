"""Marks as files: what a release or the draft says, as the library's tables and its report."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db.models import TextChoices
from django.utils import timezone

from peerorder.files.formats import kinds
from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.round_snapshot import load_round
from peerorder.web.results.mark_sheets import (
    ANCHORED,
    Sheet,
    basis_of,
    decisions_in_force,
    release_in_force,
    sheet_of,
    with_names,
)
from peerorder.web.results.models import Decision, Release, Result

if TYPE_CHECKING:
    from peerorder.rounds import GradedRound

Columns = dict[str, Any]


class FileName(TextChoices):
    """A file, as it is called."""

    GRADES = "grades.csv"
    MARKS = "marks.csv"
    GRADERS = "graders.csv"
    OVERRIDES = "overrides.csv"
    ANCHORS = "anchors.csv"
    REPORT = "report.html"


@dataclass(frozen=True, eq=False)
class MarkFiles:
    """What marks are made of, in a release or in the draft, and the files that say so."""

    assignment: Assignment
    result: Result
    settings: dict[str, Any]
    decisions: Sequence[int]
    release: Release | None = None

    @cached_property
    def sheet(self) -> Sheet:
        """The marks."""
        return sheet_of(self.result, self.settings, self.decisions)

    @cached_property
    def graded(self) -> "GradedRound":
        """The same with names."""
        return with_names(self.sheet, self.assignment)

    @property
    def names(self) -> list[FileName]:
        """The files that there are: those of marks only with a scale."""
        return [name for name in FILES if name != FileName.MARKS or self.graded.marking is not None]

    def content(self, name: FileName) -> bytes:
        """Return a file."""
        from peerorder.files import table_bytes

        if name == FileName.REPORT:
            return self._report().encode()
        kind, columns = FILES[name]
        return table_bytes(Path(name), columns(self), kind)

    def _report(self) -> str:
        from peerorder.reports import instructor

        title = f"{self.assignment.course}, {self.assignment}"
        today = timezone.localdate()
        return instructor.report(self.graded, marks=self.graded.marking, kept=None, title=title, made=today)

    @property
    def overrides(self) -> Columns:
        """Return the decisions as ``--overrides`` takes them; the column says what somebody is named as."""
        made = self.graded.round.overrides
        excluded = [each.decision == Decision.Kind.EXCLUDE for each in made]
        return {
            "student": ["" if out else each.person for each, out in zip(made, excluded, strict=True)],
            "grader": [each.person if out else "" for each, out in zip(made, excluded, strict=True)],
            "decision": [each.decision for each in made],
            "value": [each.value for each in made],
            "reason": [each.reason for each in made],
        }

    @property
    def anchors(self) -> Columns:
        """Return the papers that staff marked as ``--anchors`` takes them, in the order of the papers."""
        made = {
            each.paper_id: each for each in Decision.objects.filter(pk__in=self.decisions, kind=Decision.Kind.ANCHOR)
        }
        rows = [
            (self.graded.round.papers[number], made[paper])
            for number, paper in enumerate(self.sheet.papers)
            if paper in made
        ]
        return {
            "paper": [paper for paper, _each in rows],
            "mark": [each.value for _paper, each in rows],
            "reason": [each.reason for _paper, each in rows],
        }

    @property
    def command(self) -> str:
        """Return what gives the same grades and marks, in the folder of an export."""
        from peerorder.rounds import GradeSettings

        chosen, usual = self.sheet.graded.settings, GradeSettings()
        words = ["peerorder", "grade", "rankings.csv", "--roster", "roster.csv", "--handout", "handout.csv"]
        for name, option in OPTIONS.items():
            value = getattr(chosen, name)
            if value != getattr(usual, name):
                words += [option] if value is True else [option, value if isinstance(value, str) else f"{value!r}"]
        if self.settings.get("marks") == ANCHORED:
            words += ["--anchors", "anchors.csv"]
        if self.graded.round.overrides:
            words += ["--overrides", "overrides.csv"]
        if self.graded.marking is not None:
            words += ["--students", "marks.csv"]
        return shlex.join([*words, "--graders", "graders.csv", "--out", "grades.csv"])

    @property
    def is_current(self) -> bool:
        """Whether the rankings and the people are still those that the result was computed from."""
        return self.result.digest == load_round(self.assignment).digest


FILES: dict[FileName, tuple[kinds.Kind, Callable[[MarkFiles], Columns]]] = {
    FileName.GRADES: (kinds.GRADES, lambda files: files.graded.grades()),
    FileName.MARKS: (kinds.STUDENTS, lambda files: files.graded.students()),
    FileName.GRADERS: (kinds.GRADERS, lambda files: files.graded.graders()),
    FileName.OVERRIDES: (kinds.OVERRIDES, lambda files: files.overrides),
    FileName.ANCHORS: (kinds.ANCHORS, lambda files: files.anchors),
    FileName.REPORT: (kinds.REPORT, lambda _files: {}),
}
OPTIONS = {
    "rule": "--rule",
    "seed": "--seed",
    "upside_down": "--upside-down",
    "marks": "--marks",
    "anchors_points": "--anchors-points",
    "smooth_anchors": "--smooth-anchors",
    "review": "--review-weights",
    "penalty": "--penalty",
    "absent": "--absent",
    "unranked": "--unranked",
}


def files_of_draft(assignment: Assignment) -> MarkFiles | None:
    """Return the files of what staff see; None without a result."""
    basis = basis_of(assignment)
    if basis is None:
        return None
    return MarkFiles(assignment, basis.result, basis.settings, decisions_in_force(assignment))


def files_of_release(assignment: Assignment, release: Release) -> MarkFiles | None:
    """Return the files of a release; None where it has no marks."""
    if release.result is None or not release.marks:
        return None
    return MarkFiles(assignment, release.result, release.settings, release.decisions, release)


def files_in_force(assignment: Assignment) -> MarkFiles | None:
    """Return the files of what students see, or else of the draft; None without either."""
    release = release_in_force(assignment)
    released = files_of_release(assignment, release) if release is not None else None
    return released or files_of_draft(assignment)
