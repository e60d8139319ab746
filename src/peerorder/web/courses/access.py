"""Who may enter a course.

Somebody who is not in a course learns nothing about it, not even that it is there (404). A member whose role does not
allow something is told so (403). People who are not logged in go to the log-in page first.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponseBase
from django.utils import timezone

from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.database.sql import LARGEST, columns, fetch_joined
from peerorder.web.errors import Archived
from peerorder.web.people.access import PersonRequest, View, log_in_first, mark

INSTRUCTORS = frozenset({Role.INSTRUCTOR})
STAFF = frozenset({Role.INSTRUCTOR, Role.ASSISTANT})
STUDENTS = frozenset({Role.STUDENT})
EVERY_ROLE = frozenset(Role)

MEMBER = f"""
    SELECT {columns(Member, "member")}, {columns(Course, "course")}
    FROM courses_member member JOIN courses_course course ON course.id = member.course_id
    WHERE member.course_id = %s AND member.person_id = %s AND member.removed_at IS NULL
"""


class MemberRequest(PersonRequest):
    """A request of a member of the course that the address names."""

    member: Member


def in_course(roles: frozenset[Role], *, even_archived: bool = False) -> Callable[[View], View]:
    """Let in members of the course ``course_id`` in these roles; the view gets ``course`` and ``request.member``.

    Nothing changes in an archived course, but for what is ``even_archived``.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: MemberRequest, course_id: int, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return log_in_first(request)
            found = fetch_joined((Member, Course), MEMBER, course_id, request.user.pk) if course_id <= LARGEST else []
            if not found:
                raise Http404
            member, course = found
            return call_as_member(request, member, course, view, roles, even_archived, course=course, **kwargs)

        return mark(guarded, roles)

    return decorate


def call_as_member(
    request: MemberRequest,
    member: Member,
    course: Course,
    view: View,
    roles: frozenset[Role],
    even_archived: bool = False,
    /,
    **kwargs: Any,
) -> HttpResponseBase:
    """Call a view for a member in one of these roles, and render its page, in the time zone of the course."""
    if member.role not in roles:
        raise PermissionDenied
    if course.archived_at is not None and not even_archived and request.method not in ("GET", "HEAD", "OPTIONS"):
        raise Archived
    # Known already; nobody needs to ask again.
    member.course, member.person = course, request.user
    request.member = member
    with timezone.override(ZoneInfo(course.time_zone)):
        response = view(request, **kwargs)
        render = getattr(response, "render", None)
        return render() if callable(render) else response
