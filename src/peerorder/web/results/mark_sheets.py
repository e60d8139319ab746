"""The mark of every student: made of a result, a scale and staff decisions, here and nowhere else.

A ``Sheet`` is what pages, files and e-mails show. That of the basis is a draft, which staff see; that of a release is
what students see. Equal ingredients give equal sheets, so a release keeps its ingredients and no marks.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from peerorder.core.errors import InputError
from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.round_snapshot import RoundNames
from peerorder.web.results.models import Basis, Decision, Release, Result
from peerorder.web.results.result_data import load

if TYPE_CHECKING:
    from peerorder.rounds import GradedRound, Round

CACHED = 16
ANCHORED = "anchors"
"""What ``Basis.settings["marks"]`` says where marks follow the papers that staff marked as anchors."""

Mark = float | str | None
"""A number, or a letter; None for no mark."""


@dataclass(frozen=True)
class StudentMark:
    """What one student gets, and why it may be off."""

    member: int
    paper: int | None
    """The id of the paper they wrote."""
    place: int | None
    low: int | None
    """The 90% interval for the place, where the rule has one."""
    high: int | None
    mark: Mark
    mark_low: Mark
    mark_high: Mark
    review_mark: float | None
    """The mark for the work of ranking, from 0 to 100."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """The marks of a whole class. People and papers are called by their ids in the database."""

    graded: "GradedRound"
    papers: tuple[int, ...]
    members: tuple[int, ...]

    @cached_property
    def paper_number(self) -> dict[int, int]:
        """The number of a paper in the arrays, by its id."""
        return {paper: number for number, paper in enumerate(self.papers)}

    @cached_property
    def students(self) -> Mapping[int, StudentMark]:
        """Everybody who takes part, by the id of the member."""
        graded = self.graded
        if graded.marking is None:
            return {member: self._place_alone(number) for number, member in enumerate(self.members)}
        table = graded.mail_merge()
        columns = ("paper", "place", "low", "high", "mark", "mark_low", "mark_high", "review_mark")
        rows = zip(*(table[name] for name in columns), strict=True)
        return {
            member: StudentMark(member, int(paper) if paper else None, *map(_value_or_none, others))
            for member, (paper, *others) in zip(self.members, rows, strict=True)
        }

    @cached_property
    def letters(self) -> list[str]:
        """The marks of a scale of letters, the best first; none where marks are numbers."""
        from peerorder.marks import SCALES

        scale, marking = self.graded.settings.marks, self.graded.marking
        if scale is None or marking is None or not isinstance(marking.marks, list):
            return []
        return list(SCALES.parse(scale).values)

    def ranking_penalty(self, member: int) -> float:
        """Return the points that came off the mark of a student's paper because they ranked less than asked."""
        student, marking = self.students.get(member), self.graded.marking
        numbers = None if marking is None else marking.numbers
        if student is None or student.paper is None or numbers is None or not isinstance(student.mark, float):
            return 0.0
        return max(round(float(numbers[self.paper_number[student.paper]]) - student.mark, 2), 0.0)

    def _place_alone(self, number: int) -> StudentMark:
        own = int(self.graded.round.profile.authored[number])
        ends = self.graded.outcome.result.intervals
        low, high = (None, None) if own < 0 or ends is None else ends[own].tolist()
        place = None if own < 0 else int(self.graded.places[own])
        review = float(self.graded.review.marks[number])
        paper = None if own < 0 else self.papers[own]
        review_mark = None if np.isnan(review) else round(review, 2)
        return StudentMark(self.members[number], paper, place, low, high, None, None, None, review_mark)


def sheet_of(result: Result, settings: Mapping[str, Any], decisions: Iterable[int] = ()) -> Sheet:
    """Return the sheet of these ingredients; ``decisions`` are ids. Raise InputError where they do not go together."""
    # What was decided is part of the key, too: SQLite gives the ids of a transaction that failed a second time.
    made = Decision.objects.filter(pk__in=list(decisions)).order_by("pk").values_list("kind", "paper", "value", "pk")
    return _sheet(result.key, json.dumps(dict(settings), sort_keys=True), tuple(made))


def basis_of(assignment: Assignment) -> Basis | None:
    """Return what marks are made of: nothing before the first result."""
    basis = Basis.objects.select_related("result", "changed_by").filter(assignment=assignment).first()
    if basis is not None:
        basis.assignment = basis.result.assignment = assignment
    return basis


def draft_of(basis: Basis) -> Sheet:
    """Return what staff see: by the result and scale that are chosen, with all decisions in force."""
    return sheet_of(basis.result, basis.settings, decisions_in_force(basis.assignment))


def draft_sheet(assignment: Assignment) -> Sheet | None:
    """Return the same of an assignment; None without a result."""
    basis = basis_of(assignment)
    return None if basis is None else draft_of(basis)


def trial_sheet(result: Result) -> Sheet:
    """Return what staff would see by another result; without marks where the scale or decisions do not go with it."""
    basis = basis_of(result.assignment)
    try:
        return sheet_of(result, {} if basis is None else basis.settings, decisions_in_force(result.assignment))
    except InputError:
        return sheet_of(result, {})


def released_sheet(release: Release) -> Sheet | None:
    """Return what students see of a release; None where it has no marks."""
    if release.result is None or not release.marks:
        return None
    return sheet_of(release.result, release.settings, release.decisions)


def release_in_force(assignment: Assignment) -> Release | None:
    """Return what students see now: the last release that was published, unless it was withdrawn."""
    last = _last_published(assignment)
    return last if last is not None and last.withdrawn_at is None else None


def withdrawn_release(assignment: Assignment) -> Release | None:
    """Return the release that students saw until it was withdrawn, where none has come since."""
    last = _last_published(assignment)
    return last if last is not None and last.withdrawn_at is not None else None


def _last_published(assignment: Assignment) -> Release | None:
    published = Release.objects.filter(assignment=assignment, published_at__isnull=False).select_related("result")
    return published.order_by("-number").first()


def released_among(assignments: Iterable[Assignment]) -> set[int]:
    """Return the ids of the assignments of which students see marks or comments now."""
    return released_and_withdrawn(assignments)[0]


def released_and_withdrawn(assignments: Iterable[Assignment]) -> tuple[set[int], set[int]]:
    """Return the ids of the assignments of which students see marks or comments now, and of those they did see."""
    published = Release.objects.filter(assignment__in=list(assignments), published_at__isnull=False)
    last = {each.assignment_id: each for each in published.order_by("number").defer("settings", "decisions")}
    seen = {pk: each.withdrawn_at is None for pk, each in last.items() if each.marks or each.comments}
    return {pk for pk, now in seen.items() if now}, {pk for pk, now in seen.items() if not now}


def decisions_in_force(assignment: Assignment) -> list[int]:
    """Return the ids of decisions on marks. Those on rankings come with the result that they were made for."""
    kinds = (Decision.Kind.MARK, Decision.Kind.ANCHOR, Decision.Kind.PENALTY)
    return list(
        Decision.objects.filter(assignment=assignment, undone_at=None, kind__in=kinds).values_list("pk", flat=True)
    )


@lru_cache(CACHED)
def _sheet(key: UUID, settings: str, decisions: tuple[tuple[str, int | None, str, int], ...]) -> Sheet:
    return make_sheet(Result.objects.get(key=key), json.loads(settings), decisions)


def make_sheet(
    result: Result, settings: Mapping[str, Any], decisions: Iterable[tuple[str, int | None, str, object]]
) -> Sheet:
    """Return a sheet of decisions that need not be made yet: kind, paper, value and an id or a reason of each."""
    from peerorder.rounds import grade

    kept = load(result)
    chosen = grade_settings(result, settings)
    anchored = settings.get("marks") == ANCHORED
    round_ = _with_decisions(kept.round, kept.papers, decisions, anchored=anchored, points=chosen.anchors_points)
    return Sheet(grade(round_, chosen, kept.outcome), kept.papers, kept.members)


def grade_settings(result: Result, settings: Mapping[str, Any]) -> Any:
    """Return the library's settings for a result and a scale."""
    from peerorder.rounds import GradeSettings

    scale = {**settings, "marks": None if settings.get("marks") == ANCHORED else settings.get("marks")}
    return GradeSettings(**{**result.settings, **scale})


def _with_decisions(
    round_: "Round",
    papers: tuple[int, ...],
    decisions: Iterable[tuple[str, int | None, str, object]],
    *,
    anchored: bool,
    points: float,
) -> "Round":
    from peerorder.rounds import Override, StaffMarks
    from peerorder.rounds.marking import parse_mark

    number = {paper: index for index, paper in enumerate(papers)}
    author = first_authors(round_)
    overrides, anchors = [], {}
    for kind, paper, value, reason in decisions:
        # A paper that is not in this result has no mark to decide on.
        if paper not in number:
            continue
        if kind == Decision.Kind.ANCHOR:
            anchors[number[paper]] = parse_mark(value, points)
        elif number[paper] in author:
            overrides.append(Override(author[number[paper]], str(kind), value, str(reason)))
    given = StaffMarks(
        np.array(sorted(anchors), np.int64), np.array([anchors[each] for each in sorted(anchors)], float)
    )
    return replace(round_, overrides=(*round_.overrides, *overrides), anchors=given if anchored else None)


def first_authors(round_: "Round") -> dict[int, str]:
    """Return an author of every paper, by its number: decisions on a paper are about each author."""
    authors: dict[int, str] = {}
    for index, own in enumerate(round_.profile.authored.tolist()):
        authors.setdefault(own, round_.graders[index])
    return authors


def with_names(sheet: Sheet, assignment: Assignment, names: RoundNames | None = None) -> "GradedRound":
    """Return the same with ids, names and reasons as people read them, for files and for pages of staff.

    ``names`` are those of the assignment, where they are loaded already.
    """
    from peerorder.files.formats.arrow import strings
    from peerorder.rounds import People
    from peerorder.rounds.grading import mark_round

    names, graded = names or RoundNames(assignment), sheet.graded
    people = {each.pk: each for each in names.people}
    called = {pk: names.student.get(pk, f"member-{pk}") for pk in sheet.members}
    reasons = dict(Decision.objects.filter(assignment=assignment).values_list("pk", "reason"))
    round_ = replace(
        graded.round,
        paper_ids=strings(names.paper.get(paper, f"paper-{paper}") for paper in sheet.papers),
        grader_ids=strings(called[pk] for pk in sheet.members),
        people=People(
            tuple(people[pk].name if pk in people else "" for pk in sheet.members),
            tuple(people[pk].email if pk in people else "" for pk in sheet.members),
            ("",) * len(sheet.papers),
        ),
        codes={names.code[paper]: names.paper[paper] for paper in sheet.papers if paper in names.code},
        overrides=tuple(
            replace(each, person=called[int(each.person)], reason=_reason(each.reason, reasons))
            for each in graded.round.overrides
        ),
        blank=tuple(called[int(each)] for each in graded.round.blank),
    )
    # Marks say where they came from, with the reason.
    return mark_round(round_, graded.settings, graded.outcome)


def _reason(reason: str, reasons: Mapping[int, str]) -> str:
    return reasons.get(int(reason), reason) if reason.isdigit() else reason


def _value_or_none(value: Any) -> Any:
    """Return a value for pages: nothing where it is not a number, or an empty text."""
    return None if value is None or value == "" or value != value else value
