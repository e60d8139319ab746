"""The audit log of a course, for those who answer for it."""

from datetime import datetime, time, timedelta
from urllib.parse import urlencode

from django.http import Http404, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from peerorder.web.audit.export import TYPES, export_lines
from peerorder.web.audit.messages import describe, fold, plural_of
from peerorder.web.audit.queries import Search, read_all, read_page, verbs_in
from peerorder.web.audit.services import record
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.registry import assignments_of
from peerorder.web.courses.search import find_members

MOST_PEOPLE = 1000
FIELDS = ("assignment", "kind", "person", "since", "until")


@in_course(INSTRUCTORS)
@require_safe
def audit_log(request: MemberRequest, course: Course) -> HttpResponse:
    """The newest first; of one assignment, of one kind, by one person or of some days where that is asked for."""
    asked = {name: _typed(request.GET, name) for name in FIELDS}
    search = _search(course, request.GET)
    page = read_page(search.events(), request.GET.get("after", ""))
    context = {
        "course": course,
        "count": len(page.events),
        "lines": fold(describe(page.events)),
        "kinds": sorted(
            ((verb, plural_of(verb)) for verb in verbs_in(course.pk, search.assignment)), key=lambda it: it[1]
        ),
        "assignments": list(assignments_of.only(course)),
        "asked": asked,
        "filter": urlencode(asked),
        "is_first": not request.GET.get("after"),
        "older": urlencode({"after": page.older}) if page.older else "",
    }
    return render(request, "courses/audit_log.html", context)


@in_course(INSTRUCTORS)
@require_safe
def export(request: MemberRequest, course: Course, suffix: str) -> StreamingHttpResponse:
    """What the page finds, as a file, all of it."""
    if suffix not in TYPES:
        raise Http404
    search = _search(course, request.GET)
    pages = read_all(search.events()) if request.method == "GET" else iter(())
    if request.method == "GET":
        record("audit log exported", request.user, course=course)
    return StreamingHttpResponse(
        export_lines(pages, suffix, timezone.get_current_timezone()),
        content_type=TYPES[suffix],
        headers={"Content-Disposition": f'attachment; filename="audit-log.{suffix}"'},
    )


def _typed(given: QueryDict, name: str) -> str:
    # PostgreSQL has no room for the sign without a sign.
    return given.get(name, "").replace("\0", "").strip()


def _search(course: Course, given: QueryDict) -> Search:
    """Return what is asked for; conditions that make no sense are left out."""
    assignment, person = _typed(given, "assignment"), _typed(given, "person")
    people = None
    if person:
        members = Member.objects.filter(pk__in=find_members(Member.objects.filter(course=course), person, MOST_PEOPLE))
        people = list(members.values_list("person_id", flat=True))
    return Search(
        course=course.pk,
        assignment=int(assignment) if assignment.isdecimal() and len(assignment) < 19 else None,
        verb=_typed(given, "kind") if _typed(given, "kind") in verbs_in(course.pk) else "",
        people=people,
        since=_midnight(_typed(given, "since")),
        until=_midnight(_typed(given, "until"), days=1),
    )


def _midnight(text: str, days: int = 0) -> datetime | None:
    """Return the beginning of a day in the time zone of the course, or of a later one; None for what is no day."""
    try:
        day = parse_date(text)
        return None if day is None else timezone.make_aware(datetime.combine(day + timedelta(days=days), time.min))
    except (ValueError, OverflowError):
        return None
