"""What marks look like: how many students have which, beside earlier rounds, and where a mark comes from."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.results.mark_sheets import ANCHORED, Mark, Sheet, draft_sheet, release_in_force, released_sheet
from peerorder.web.results.models import Decision

# Marks that are numbers are compared by tenths of full marks: whole tens, where these are 100.
PARTS = 10
EARLIER = 5
VISIBLE = 0.05
"""Means that differ by less look the same with one decimal."""


class Parts:
    """The parts of a scale between its boundaries: letters, or tenths of full marks."""

    def __init__(self, sheet: Sheet) -> None:
        marking = sheet.graded.marking
        self.letters = sheet.letters
        self.step = (marking.highest if marking is not None else 100.0) / PARTS

    def of(self, mark: Mark) -> int | str | None:
        """Return the part that a mark lies in; full marks belong to the highest tenth."""
        if mark is None or isinstance(mark, str):
            return mark
        return int(min(mark // self.step, PARTS - 1))

    def name(self, part: int | str) -> str:
        """Return what people call it."""
        return part if isinstance(part, str) else f"{part * self.step:g}\N{EN DASH}{(part + 1) * self.step:g}"


@dataclass(frozen=True)
class Part:
    """One part of a scale."""

    name: str
    students: int
    before: int | None
    """By the scale that is saved; None where that has other parts."""
    places: str
    """Of the papers that have such a mark: from, to."""


@dataclass(frozen=True)
class Summary:
    """The marks of a class in a few numbers."""

    marked: int
    unmarked: int
    mean: float | None
    """None for letters."""
    median: Mark
    low: float | None
    """A tenth of the class has less, ..."""
    high: float | None
    """... and a tenth has more."""
    highest: float
    counts: Mapping[str, int]
    """How many have which letter."""
    spanning: int | None
    """For how many the interval spans a boundary; None where the rule has no intervals."""

    @property
    def step(self) -> float:
        """How far two boundaries are apart, where marks are numbers."""
        return self.highest / PARTS

    @property
    def shares(self) -> str:
        """How many have which letter, in percent."""
        return ", ".join(f"{letter} {round(100 * count / self.marked)}%" for letter, count in self.counts.items())


def summary(sheet: Sheet) -> Summary:
    """Return the marks of all students in a few numbers."""
    students = list(sheet.students.values())
    marks = [each.mark for each in students if each.mark is not None]
    numbers = np.array([mark for mark in marks if isinstance(mark, float)], float)
    parts, marking = Parts(sheet), sheet.graded.marking
    known = [each for each in students if each.mark_low is not None and each.mark_high is not None]
    has_intervals = sheet.graded.outcome.result.intervals is not None
    low, median, high = np.quantile(numbers, [0.1, 0.5, 0.9]).tolist() if len(numbers) else (None, None, None)
    counts = Counter(str(mark) for mark in marks) if sheet.letters else Counter()
    order = [letter for letter in sheet.letters if letter in counts]
    if sheet.letters and marks:
        ranked = [str(each.mark) for each in sorted(students, key=_by_place) if each.mark is not None]
        median = ranked[len(ranked) // 2]
    return Summary(
        marked=len(marks),
        unmarked=len(students) - len(marks),
        mean=float(numbers.mean()) if len(numbers) and not sheet.letters else None,
        median=median,
        low=low,
        high=high,
        highest=marking.highest if marking is not None else 100.0,
        counts={letter: counts[letter] for letter in [*order, *(other for other in counts if other not in order)]},
        spanning=sum(parts.of(each.mark_low) != parts.of(each.mark_high) for each in known) if has_intervals else None,
    )


def _by_place(student: Any) -> tuple[bool, int]:
    return student.place is None, student.place or 0


def boundaries(sheet: Sheet, saved: Sheet | None) -> list[Part]:
    """Return the parts of the scale, the best first: how many students are in each, and how many were before."""
    parts = Parts(sheet)
    now = Counter(parts.of(each.mark) for each in sheet.students.values())
    alike = saved is not None and (saved.letters == sheet.letters) and Parts(saved).step == parts.step
    before = Counter(parts.of(each.mark) for each in saved.students.values()) if alike and saved is not None else None
    places: dict[int | str | None, list[int]] = {}
    for each in sheet.students.values():
        if each.place is not None:
            places.setdefault(parts.of(each.mark), []).append(each.place)
    wanted: list[int | str] = [*sheet.letters] or [*range(PARTS)][::-1]
    used = [part for part in wanted if sheet.letters or now[part] or (before is not None and before[part])]
    return [
        Part(
            parts.name(part),
            now[part],
            None if before is None else before[part],
            f"{min(places[part])}\N{EN DASH}{max(places[part])}" if part in places else "",
        )
        for part in used
    ]


@dataclass(frozen=True)
class EarlierRound:
    """The marks of another assignment of the course."""

    assignment: Assignment
    released: bool
    summary: Summary


def earlier_rounds(assignment: Assignment) -> list[EarlierRound]:
    """Return the other assignments of the course that have marks, the latest first: as released, or else the draft."""
    from peerorder.core.errors import InputError

    others = Assignment.objects.filter(course=assignment.course_id, basis__isnull=False)
    rounds = []
    for other in others.exclude(pk=assignment.pk).order_by("-pk")[:EARLIER]:
        release = release_in_force(other)
        sheet = released_sheet(release) if release is not None else None
        try:
            shown = sheet or draft_sheet(other)
            if shown is not None and shown.graded.marking is not None:
                rounds.append(EarlierRound(other, sheet is not None, summary(shown)))
        except InputError:
            # A draft that does not go together has no marks to compare.
            continue
    return rounds


def mean_reasons(sheet: Sheet, mean: float | None) -> list[str]:
    """Return why the mean of the class is not the one that a curve was set to; nothing where it is."""
    from peerorder.marks import SCALES

    graded, marking = sheet.graded, sheet.graded.marking
    scale = SCALES.parse(graded.settings.marks) if graded.settings.marks is not None else None
    if marking is None or mean is None or scale is None or scale.name != "curve":
        return []
    if abs(mean - scale.values["mean"]) < VISIBLE:
        return []
    students = sheet.students.values()
    by_paper = np.asarray(scale.marks(graded.outcome), float)
    by_student = by_paper[[sheet.paper_number[each.paper] for each in students if each.paper is not None]]
    is_skewed = abs(by_paper.mean() - scale.values["mean"]) >= VISIBLE
    kinds = {each.decision for each in graded.round.overrides}
    reasons = {
        _("points deducted for not ranking"): any(map(sheet.ranking_penalty, sheet.members)),
        _("late penalties"): Decision.Kind.PENALTY in kinds,
        _("marks set by staff"): Decision.Kind.MARK in kinds,
        _("papers that nobody ranked"): bool(marking.unranked),
        _("marks of students without a paper"): any(each.paper is None and each.mark is not None for each in students),
        _("the lowest or highest mark, which cuts the curve off"): is_skewed
        and bool(np.isin(by_paper, [scale.values["low"], scale.values["high"]]).any()),
        _("papers that share a place"): is_skewed and len(np.unique(graded.outcome.scores)) < len(by_paper),
        _("teams, whose mark counts for every member"): len(by_student) > 0
        and abs(by_student.mean() - by_paper.mean()) >= VISIBLE,
    }
    return [reason for reason, holds in reasons.items() if holds]


def doubts(sheet: Sheet) -> list[str]:
    """Return what looks unintended about a scale, a sentence each."""
    from peerorder.marks import SCALES

    settings, marking = sheet.graded.settings, sheet.graded.marking
    if marking is None:
        return []
    scale = [] if settings.marks is None else SCALES.parse(settings.marks).warnings(marking.marks)
    result = [*scale, *settings.review_scheme.warnings(marking.highest)]
    return [f"{each[0].upper()}{each[1:]}{'' if each.endswith('?') else '.'}" for each in result]


def unmarked_papers(sheet: Sheet) -> list[int]:
    """Return the papers that have no mark because nobody ranked them."""
    marking = sheet.graded.marking
    if marking is None:
        return []
    return [sheet.papers[number] for number in sorted(marking.unranked) if not marking.has_mark(number)]


def source_of(sheet: Sheet, paper: int) -> str:
    """Return where the mark of a paper comes from, before what its authors did as graders counts."""
    marking = sheet.graded.marking
    number = sheet.paper_number.get(paper)
    if marking is None or number is None:
        return ""
    if number in marking.kept:
        return _("given by staff: the paper is an anchor")
    if number in marking.unranked:
        if marking.has_mark(number):
            return _("what you chose for papers that nobody ranked")
        return _("none, because nobody ranked the paper")
    if marking.anchors:
        return _("by the curve through the anchors")
    return scale_in_words(sheet.graded.settings.marks)


def scale_in_words(marks: str | None) -> str:
    """Return a scale as staff read it, from what ``Basis.settings["marks"]`` says."""
    from peerorder.marks import SCALES

    if marks is None:
        return _("none")
    if marks == ANCHORED:
        return _("anchors")
    scale = SCALES.parse(marks)
    if scale.name == "curve":
        text = _("curve with mean %(mean)g and standard deviation %(sd)g, from %(low)g to %(high)g")
        return text % scale.values
    if scale.letters:
        shares = ", ".join(f"{letter} {share:g}%" for letter, share in scale.values.items())
        return _("bands: %(shares)s") % {"shares": shares}
    return _("percentile") if scale.name == "percentile" else scale.spec
