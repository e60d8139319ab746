"""Progress of each assignment, for the cards of staff."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member, Role
from peerorder.web.papers.models import Authorship
from peerorder.web.ranking.models import Ballot, Slot
from peerorder.web.ranking.queries import submitted_ballots


@dataclass(frozen=True)
class Progress:
    """How many students have done what the stage asks."""

    sentence: str
    done: int = 0
    total: int = 0
    """0 where nothing is asked."""


def staff_progress(assignments: Iterable[Assignment]) -> dict[int, Progress]:
    """Return how far people are with every assignment, by a handful of queries however many there are."""
    assignments = list(assignments)
    students = _students(assignments)
    wrote = _by_assignment(
        Authorship.objects.filter(
            assignment__in=assignments,
            paper__current__isnull=False,
            member__removed_at=None,
            member__role=Role.STUDENT,
        )
    )
    graders = _by_assignment(Slot.objects.filter(assignment__in=assignments, grader__removed_at=None), "grader")
    ranked = _by_assignment(
        submitted_ballots(Ballot.objects.filter(assignment__in=assignments, grader__removed_at=None))
    )
    return {
        each.pk: _progress(
            Stage(each.stage),
            (wrote.get(each.pk, 0), students[each.pk]),
            (ranked.get(each.pk, 0), graders.get(each.pk, 0)),
        )
        for each in assignments
    }


def _progress(stage: Stage, wrote: tuple[int, int], ranked: tuple[int, int]) -> Progress:
    if stage == Stage.DRAFT:
        return Progress(_("Students do not see this draft yet."))
    if stage == Stage.RANKING and not ranked[1]:
        return Progress(_("Papers are being distributed."))
    done, total = wrote if stage == Stage.HANDING_IN else ranked
    sentence = (
        _("%(done)d of %(total)d students have handed in.")
        if stage == Stage.HANDING_IN
        else _("%(done)d of %(total)d students have handed in a ranking.")
    )
    if stage == Stage.REVIEW:
        sentence += " " + _("Marks are not released yet.")
    return Progress(sentence % {"done": done, "total": total}, done, total)


def _by_assignment(rows: Any, what: str = "pk") -> dict[int, int]:
    return dict(rows.order_by().values_list("assignment").annotate(Count(what, distinct=True)))


def _students(assignments: list[Assignment]) -> dict[int, int]:
    """Return how many students take part in each: those of its sections, or of the whole course."""
    here = Member.objects.filter(
        course__in={each.course_id for each in assignments}, role=Role.STUDENT, removed_at=None
    )
    rows = here.order_by().values_list("course", "section").annotate(Count("pk"))
    counts = {(course, section): number for course, section, number in rows}
    totals = {}
    for each in assignments:
        sections = {section.pk for section in each.sections.all()}
        totals[each.pk] = sum(
            number
            for (course, section), number in counts.items()
            if course == each.course_id and (not sections or section in sections)
        )
    return totals
