"""Who may see and do what: the one place that decides it.

Every view wears one of the decorators below. They find what the address names, check the person's part in it, and
hand both on: ``request.member`` is the person in the course, and the view gets the course or the assignment itself.

Somebody who is not in a course learns nothing about it, not even that it is there (404). A member whose role does not
allow something is told so (403). Whoever is not logged in goes to the log-in page first.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Person
from peerorder.web.rounds.models import Assignment, Stage
from peerorder.web.sql import LARGEST, first, rows

__all__ = [
    "EVERY_ROLE",
    "INSTRUCTORS",
    "STAFF",
    "STUDENTS",
    "Asked",
    "anybody",
    "course_makers",
    "in_assignment",
    "in_course",
    "is_staff_anywhere",
    "logged_in",
    "staff_anywhere",
    "takes_part",
]

View = Callable[..., HttpResponseBase]

INSTRUCTORS = frozenset({Role.INSTRUCTOR})
STAFF = frozenset({Role.INSTRUCTOR, Role.ASSISTANT})
STUDENTS = frozenset({Role.STUDENT})
EVERY_ROLE = frozenset(Role)

ASSIGNMENT = """
    SELECT *, EXISTS (SELECT 1 FROM rounds_assignment_sections WHERE assignment_id = assignment.id) AS in_sections
    FROM rounds_assignment assignment WHERE id = %s
"""
COURSE = "SELECT * FROM courses_course WHERE id = %s"
MEMBER = "SELECT * FROM courses_member WHERE course_id = %s AND person_id = %s AND removed_at IS NULL"
SECTIONS = "SELECT section_id FROM rounds_assignment_sections WHERE assignment_id = %s"


class Asked(HttpRequest):
    """A request of somebody who may ask."""

    user: Person
    member: Member


def anybody(view: View) -> View:
    """For everybody, logged in or not."""
    return _marked(view, "anybody")


def logged_in(view: View) -> View:
    """For everybody who is logged in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return view(request, *args, **kwargs) if request.user.is_authenticated else _log_in_first(request)

    return _marked(guarded, "logged in")


def course_makers(view: View) -> View:
    """For those who may make courses."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _log_in_first(request)
        if not request.user.makes_courses:
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return _marked(guarded, "makes courses")


def staff_anywhere(view: View) -> View:
    """For those who make courses, or are staff of one: their accounts are their own, and no roster's."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _log_in_first(request)
        if not is_staff_anywhere(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return _marked(guarded, "staff anywhere")


def is_staff_anywhere(person: Person) -> bool:
    """Whether somebody makes courses, or is staff of one."""
    return person.makes_courses or person.memberships.filter(removed_at=None).exclude(role=Role.STUDENT).exists()


def in_course(roles: frozenset[Role], *, even_archived: bool = False) -> Callable[[View], View]:
    """For members of the course that the address names by ``course_id``, in these roles; the view gets ``course``.

    Nothing changes in an archived course, but for what is ``even_archived``.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: Asked, course_id: int, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _log_in_first(request)
            course = _entered(request, course_id, roles)
            if not even_archived:
                _only_read(request, course)
            with timezone.override(ZoneInfo(course.time_zone)):
                return _rendered(view(request, course=course, **kwargs))

        return _marked(guarded, roles)

    return decorate


def in_assignment(roles: frozenset[Role]) -> Callable[[View], View]:
    """For members of the course of the assignment ``assignment_id``, in these roles; the view gets ``assignment``.

    Students see no drafts, and nothing that is for other sections than theirs.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: Asked, assignment_id: int, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _log_in_first(request)
            assignment = first(Assignment, ASSIGNMENT, assignment_id) if assignment_id <= LARGEST else None
            if assignment is None:
                raise Http404
            course = assignment.course = _entered(request, assignment.course_id, EVERY_ROLE)
            if not request.member.is_staff and not takes_part(request.member, assignment):
                raise Http404
            if request.member.role not in roles:
                raise PermissionDenied
            _only_read(request, course)
            with timezone.override(ZoneInfo(course.time_zone)):
                return _rendered(view(request, assignment=assignment, **kwargs))

        return _marked(guarded, roles)

    return decorate


def takes_part(member: Member, assignment: Assignment) -> bool:
    """Whether a student is asked to do this assignment, and may know of it."""
    if assignment.stage == Stage.DRAFT or member.removed_at is not None:
        return False
    if not vars(assignment).get("in_sections", True):
        return True
    sections = rows(SECTIONS, assignment.pk)
    return not sections or (member.section_id,) in sections


def _entered(request: Asked, course_id: int, roles: frozenset[Role]) -> Course:
    """The course, if the person is in it in one of these roles."""
    member = first(Member, MEMBER, course_id, request.user.pk) if course_id <= LARGEST else None
    course = first(Course, COURSE, course_id) if member is not None else None
    if member is None or course is None:
        raise Http404
    if member.role not in roles:
        raise PermissionDenied
    # Known already; nobody needs to ask again.
    member.course, member.person = course, request.user
    request.member = member
    return course


def _only_read(request: Asked, course: Course) -> None:
    """Where a course is archived."""
    if course.archived_at is not None and request.method not in ("GET", "HEAD", "OPTIONS"):
        raise PermissionDenied(_("This course is archived: it can be read, and nothing in it can be changed."))


def _log_in_first(request: HttpRequest) -> HttpResponse:
    if request.method in ("GET", "HEAD"):
        return redirect_to_login(request.get_full_path())
    raise PermissionDenied


def _rendered(response: HttpResponseBase) -> HttpResponseBase:
    """While the time zone of the course is in force."""
    render = getattr(response, "render", None)
    return render() if callable(render) else response


def _marked(view: View, allowed: str | frozenset[Role]) -> View:
    """So that the table of who may reach what can be checked."""
    view.allowed = allowed  # type: ignore[attr-defined]
    return view
