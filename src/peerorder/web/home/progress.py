"""How far people are, in a sentence for the card of an assignment, for staff."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member, Role
from peerorder.web.papers.models import Authorship
from peerorder.web.ranking.models import Ballot, Slot
from peerorder.web.ranking.queries import submitted


def staff_progress(assignments: Iterable[Assignment]) -> dict[int, str]:
    """For every assignment, how many are done; a handful of questions to the database however many there are."""
    found = list(assignments)
    students = _students(found)
    wrote = _by_assignment(
        Authorship.objects.filter(
            assignment__in=found,
            paper__current__isnull=False,
            member__removed_at=None,
            member__role=Role.STUDENT,
        )
    )
    graders = _by_assignment(Slot.objects.filter(assignment__in=found, grader__removed_at=None), "grader")
    ranked = _by_assignment(submitted(Ballot.objects.filter(assignment__in=found, grader__removed_at=None)))
    said = {}
    for each in found:
        about = {
            "wrote": wrote.get(each.pk, 0),
            "students": students[each.pk],
            "ranked": ranked.get(each.pk, 0),
            "graders": graders.get(each.pk, 0),
        }
        said[each.pk] = str(_sentence(Stage(each.stage), about["graders"])) % about
    return said


def _sentence(stage: Stage, graders: int) -> str:
    if stage == Stage.DRAFT:
        return _("Students do not see it yet.")
    if stage == Stage.HANDING_IN:
        return _("%(wrote)d of %(students)d students have handed in.")
    if stage == Stage.RANKING and not graders:
        return _("Papers are being handed out.")
    if stage == Stage.RANKING:
        return _("%(ranked)d of %(graders)d students have handed in a ranking.")
    if stage == Stage.REVIEW:
        return _("Ranking is over: %(ranked)d of %(graders)d students handed in a ranking. Marks are not released yet.")
    return _("Finished: %(ranked)d of %(graders)d students handed in a ranking.")


def _by_assignment(rows: Any, what: str = "pk") -> dict[int, int]:
    return dict(rows.order_by().values_list("assignment").annotate(Count(what, distinct=True)))


def _students(assignments: list[Assignment]) -> dict[int, int]:
    """How many take part in each: those of its sections, or of the whole course."""
    here = Member.objects.filter(
        course__in={each.course_id for each in assignments}, role=Role.STUDENT, removed_at=None
    )
    rows = here.order_by().values_list("course", "section").annotate(Count("pk"))
    many = {(course, section): number for course, section, number in rows}
    found = {}
    for each in assignments:
        sections = {section.pk for section in each.sections.all()}
        found[each.pk] = sum(
            number
            for (course, section), number in many.items()
            if course == each.course_id and (not sections or section in sections)
        )
    return found
