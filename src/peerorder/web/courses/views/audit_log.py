"""The audit log of a course, for those who answer for it."""

from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from peerorder.web.audit.messages import describe, fold, plural_of
from peerorder.web.audit.models import Event
from peerorder.web.audit.registry import NAMES
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.search import matching

PAGE = 200
MOST_PEOPLE = 1000


@in_course(INSTRUCTORS)
@require_safe
def audit_log(request: MemberRequest, course: Course) -> HttpResponse:
    """The newest first; of one assignment, of one kind or by one person where that is asked for."""
    events = all_events = Event.objects.filter(course_id=course.pk)
    # PostgreSQL has no room for the sign without a sign.
    assignment, person = request.GET.get("assignment", ""), request.GET.get("person", "").replace("\0", "").strip()
    if assignment.isdecimal() and len(assignment) < 19:
        events = events.filter(assignment_id=int(assignment))
    kinds = sorted(events.order_by().values_list("verb", flat=True).distinct())
    kind = request.GET.get("kind", "")
    if kind in kinds:
        events = events.filter(verb=kind)
    if person:
        people = Member.objects.filter(pk__in=matching(Member.objects.filter(course=course), person, MOST_PEOPLE))
        found = list(people.values_list("person_id", "pk"))
        # What somebody did, and what was done to them.
        events = events.filter(
            Q(person_id__in=[each for each, _member in found]) | Q(details__member__in=[pk for _person, pk in found])
        )
    page = Paginator(events.order_by("-at", "-pk"), PAGE).get_page(request.GET.get("page"))
    context = {
        "course": course,
        "page": page,
        "lines": fold(describe(page.object_list)),
        "kinds": sorted(((each, plural_of(each)) for each in kinds), key=lambda pair: pair[1]),
        "kind": kind,
        "assignments": _assignments(all_events),
        "assignment": assignment,
        "person": person,
        "filter": urlencode({"assignment": assignment, "kind": kind if kind in kinds else "", "person": person}),
    }
    return render(request, "courses/audit_log.html", context)


def _assignments(events: QuerySet[Event]) -> list[Any]:
    """The assignments that the log speaks of, the newest first."""
    ids = {pk for pk in events.order_by().values_list("assignment_id", flat=True).distinct() if pk is not None}
    return [name for _pk, name in sorted(NAMES["assignment"](ids).items(), reverse=True)]
