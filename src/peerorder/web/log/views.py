"""The record of a course, for those who answer for it."""

from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from peerorder.web.access import INSTRUCTORS, Asked, in_course
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.search import matching
from peerorder.web.log.models import Event
from peerorder.web.log.sentences import KINDS, lines, told
from peerorder.web.rounds.models import Assignment

PAGE = 200
MOST_PEOPLE = 1000


@in_course(INSTRUCTORS)
@require_safe
def log(request: Asked, course: Course) -> HttpResponse:
    """The newest first; of one assignment, of one kind or by one person where that is asked for."""
    events = Event.objects.filter(course_id=course.pk)
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
        "lines": lines(told(page.object_list)),
        "kinds": sorted(((each, str(KINDS.get(each, each))) for each in kinds), key=lambda pair: pair[1]),
        "kind": kind,
        "assignments": Assignment.objects.filter(course=course).order_by("-created_at"),
        "assignment": assignment,
        "person": person,
        "filter": urlencode({"assignment": assignment, "kind": kind if kind in kinds else "", "person": person}),
    }
    return render(request, "log/log.html", context)
