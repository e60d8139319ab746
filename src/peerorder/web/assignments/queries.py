"""Assignments, and who takes part in them."""

from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Course, Member, Role, Section
from peerorder.web.jobs.models import Job


def students_of(assignment: Assignment) -> QuerySet[Member]:
    """Return the students who are asked to do an assignment, or will be."""
    return students_in(assignment.course_id, assignment.sections.values_list("pk", flat=True))


def students_in(course: Course | int, sections: Iterable[Section | int]) -> QuerySet[Member]:
    """Return the students of some sections of a course; without any, of the whole course."""
    students = Member.objects.filter(course=course, role=Role.STUDENT, removed_at=None)
    some = list(sections)
    return students.filter(section__in=some) if some else students


def most_papers(students: QuerySet[Member], in_teams: bool) -> int:
    """Return how many papers there are if everybody hands in; a team has one."""
    if not in_teams:
        return students.count()
    return students.filter(team="").count() + students.exclude(team="").values("team").distinct().count()


def why_too_many(each: int, papers: int) -> str:
    """Return why students cannot rank this many papers even if all hand in; empty if they can, or if there are none."""
    if not papers or each < papers:
        return ""
    text = _(
        "Each student is to rank %(each)d papers, but if everybody hands in there are only %(others)d by others. "
        "Ranking cannot begin like this: change it in the settings."
    )
    return text % {"each": each, "others": papers - 1}


def assignment_of(job: Job) -> Assignment:
    """Return the assignment that a job is about, with its course."""
    return Assignment.objects.select_related("course").get(pk=job.assignment_id or 0)
