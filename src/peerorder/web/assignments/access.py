"""Who may enter an assignment: members of its course, of students only those who take part in it."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponseBase

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.access import EVERY_ROLE, MemberRequest, call_in_course, enter_course
from peerorder.web.courses.models import Member, Role
from peerorder.web.database.sql import LARGEST, fetch_all, fetch_one
from peerorder.web.people.access import View, log_in_first, mark

ASSIGNMENT = """
    SELECT *, EXISTS (SELECT 1 FROM rounds_assignment_sections WHERE assignment_id = assignment.id) AS in_sections
    FROM rounds_assignment assignment WHERE id = %s
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
            assignment = fetch_one(Assignment, ASSIGNMENT, assignment_id) if assignment_id <= LARGEST else None
            if assignment is None:
                raise Http404
            course = assignment.course = enter_course(request, assignment.course_id, EVERY_ROLE)
            if not request.member.is_staff and not takes_part(request.member, assignment):
                raise Http404
            if request.member.role not in roles:
                raise PermissionDenied
            return call_in_course(request, course, view, assignment=assignment, **kwargs)

        return mark(guarded, roles)

    return decorate


def takes_part(member: Member, assignment: Assignment) -> bool:
    """Return whether a student is asked to do this assignment, and may know of it."""
    if assignment.stage == Stage.DRAFT or member.removed_at is not None:
        return False
    if not vars(assignment).get("in_sections", True):
        return True
    sections = fetch_all(SECTIONS, assignment.pk)
    return not sections or (member.section_id,) in sections
