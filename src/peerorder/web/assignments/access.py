"""Who may enter an assignment: members of its course, of students only those who take part in it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpResponseBase

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.access import MemberRequest, call_as_member
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.database.sql import LARGEST, columns, fetch_all, fetch_joined
from peerorder.web.people.access import View, log_in_first, mark

ENTRY = (Member, Course, Assignment)
ASSIGNMENT = f"""
    SELECT {columns(Member, "member")}, {columns(Course, "course")}, {columns(Assignment, "assignment")},
        EXISTS (SELECT 1 FROM rounds_assignment_sections WHERE assignment_id = assignment.id)
    FROM rounds_assignment assignment JOIN courses_course course ON course.id = assignment.course_id
    JOIN courses_member member ON member.course_id = course.id
    WHERE assignment.id = %s AND member.person_id = %s AND member.removed_at IS NULL
"""
SECTIONS = "SELECT section_id FROM rounds_assignment_sections WHERE assignment_id = %s"


def in_assignment(roles: frozenset[Role]) -> Callable[[View], View]:
    """Let in members of the course of ``assignment_id`` in these roles; the view gets ``assignment``.

    Students see no drafts, and nothing that is for other sections than theirs.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: MemberRequest, assignment_id: int, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return log_in_first(request)
            row = fetch_joined(ENTRY, ASSIGNMENT, assignment_id, request.user.pk) if assignment_id <= LARGEST else []
            if not row:
                raise Http404
            member, course, assignment, in_sections = row
            if not member.is_staff and not takes_part(member, assignment, in_sections=in_sections):
                raise Http404
            assignment.course = course
            return call_as_member(request, member, course, view, roles, assignment=assignment, **kwargs)

        return mark(guarded, roles)

    return decorate


def takes_part(member: Member, assignment: Assignment, *, in_sections: bool = True) -> bool:
    """Return whether a student is asked to do this assignment, and may know of it.

    ``in_sections`` is false where the assignment is known to be for the whole course.
    """
    if assignment.stage == Stage.DRAFT or member.removed_at is not None:
        return False
    sections = fetch_all(SECTIONS, assignment.pk) if in_sections else []
    return not sections or (member.section_id,) in sections
