"""Assignments, and who takes part in them."""

from django.db.models import QuerySet

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member, Role
from peerorder.web.jobs.models import Job


def students_of(assignment: Assignment) -> QuerySet[Member]:
    """The students who are asked to do an assignment, or will be."""
    students = Member.objects.filter(course=assignment.course_id, role=Role.STUDENT, removed_at=None)
    sections = assignment.sections.values_list("pk", flat=True)
    return students.filter(section__in=[*sections]) if sections else students


def assignment_of(job: Job) -> Assignment:
    """Return the assignment that a job is about, with its course."""
    return Assignment.objects.select_related("course").get(pk=job.assignment_id or 0)
