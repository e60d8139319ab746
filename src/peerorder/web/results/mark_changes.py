"""What another result, scale or decision would change for students. Changes nothing."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.results.mark_sheets import (
    ANCHORED,
    Sheet,
    StudentMark,
    decisions_in_force,
    first_authors,
    grade_settings,
    make_sheet,
)
from peerorder.web.results.mark_summaries import Parts
from peerorder.web.results.models import Basis, Decision, Result
from peerorder.web.results.result_data import load

Made = tuple[str, int | None, str, object]
"""Kind, paper, value, and the id or the reason of a decision, as ``make_sheet`` takes them."""


@dataclass(frozen=True)
class Change:
    """What becomes of one student."""

    member: int
    before: StudentMark | None
    """None where the student is not in that result."""
    after: StudentMark | None
    crosses: bool
    """Whether a boundary lies between the two marks."""

    @property
    def places(self) -> int:
        """By how many places the paper moves up; negative for down, 0 where one of the places is not known."""
        if self.before is None or self.after is None or self.before.place is None or self.after.place is None:
            return 0
        return self.before.place - self.after.place

    @property
    def in_words(self) -> str:
        """The same as people read it."""
        from peerorder.reports.instructor.text import moved

        return moved(self.places)

    @property
    def is_move(self) -> bool:
        """Whether the place becomes another, or there is one where there was none, or none any more."""
        return self._differs("place")

    @property
    def changes_mark(self) -> bool:
        """Whether the mark of the paper becomes another."""
        return self._differs("mark")

    @property
    def changes_review_mark(self) -> bool:
        """Whether the mark for ranking becomes another."""
        return self._differs("review_mark")

    def _differs(self, name: str) -> bool:
        return getattr(self.before, name, None) != getattr(self.after, name, None)


def changes(before: Sheet, after: Sheet) -> list[Change]:
    """Return everybody for whom something changes, in the order of the sheets."""
    parts, result = Parts(after), []
    for member in dict.fromkeys((*after.students, *before.students)):
        was, now = before.students.get(member), after.students.get(member)
        if was != now:
            crosses = parts.of(was.mark if was else None) != parts.of(now.mark if now else None)
            result.append(Change(member, was, now, crosses))
    return result


def moves(before: Sheet, after: Sheet) -> list[Change]:
    """Return everybody who moves or gets a different mark, the largest move first, then those whose mark changes."""
    moved = [each for each in changes(before, after) if each.is_move or each.changes_mark or each.changes_review_mark]
    return sorted(moved, key=lambda each: (-abs(each.places), not each.is_move, not each.changes_mark, each.member))


def mark_changes(before: Sheet, after: Sheet) -> list[Change]:
    """Return everybody whose mark becomes another, in the order of the sheet."""
    return [each for each in changes(before, after) if each.changes_mark]


def sheet_with(basis: Basis, without: Collection[int] = (), more: Iterable[Made] = ()) -> Sheet:
    """Return the draft as it would be without some decisions, by their ids, and with others that are not made yet."""
    return make_sheet(basis.result, basis.settings, [*decision_tuples(basis.assignment, without), *more])


def wrong_decisions(result: Result, settings: Mapping[str, Any], decisions: Sequence[Made]) -> list[tuple[Made, str]]:
    """Return the decisions on marks that this scale cannot have, each with the cause and the cure."""
    from peerorder.rounds import Override, StaffMarks
    from peerorder.rounds.overrides import override_problems

    kept = load(result)
    number = {paper: index for index, paper in enumerate(kept.papers)}
    author = first_authors(kept.round)
    about = [each for each in decisions if each[0] != Decision.Kind.ANCHOR and number.get(each[1] or 0) in author]
    overrides = [Override(author[number[paper or 0]], kind, value, "-") for kind, paper, value, _reason in about]
    round_ = kept.round
    if settings.get("marks") == ANCHORED:
        round_ = replace(round_, anchors=StaffMarks(np.zeros(0, np.int64), np.zeros(0)))
    problems = override_problems(overrides, round_, grade_settings(result, settings))
    return [(about[each.number], f"{each.cause}; {each.cure}") for each in problems]


def decision_tuples(assignment: Assignment, without: Collection[int] = ()) -> list[Made]:
    """Return the decisions on marks that are in force, but for some."""
    kept = Decision.objects.filter(pk__in=decisions_in_force(assignment)).exclude(pk__in=without).order_by("pk")
    return list(kept.values_list("kind", "paper", "value", "pk"))


def anchor_problem(value: str, settings: Mapping[str, Any]) -> str:
    """Return why this is not the mark of an anchor; empty where it is one."""
    from peerorder.rounds.marking import parse_mark

    highest = float(settings.get("anchors_points", 100))
    mark = parse_mark(value, highest)
    if mark is not None and 0 <= mark <= highest:
        return ""
    text = _("“%(value)s” is not a mark. Write a number from 0 to %(highest)g.")
    return text % {"value": value, "highest": highest}
