"""The first page, and a course: what there is to do, how far everything is, and deleting it."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses import queries
from peerorder.web.courses.access import EVERY_ROLE, INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.models import Course, Member
from peerorder.web.errors import Refused, refused
from peerorder.web.home.course_deletion import delete_course, must_stay
from peerorder.web.home.progress import Progress, staff_progress
from peerorder.web.monitor.states import states_of
from peerorder.web.people.access import PersonRequest, logged_in
from peerorder.web.results.mark_sheets import released_and_withdrawn

# Of a course on the first page, this many assignments.
SHOWN = 5


@logged_in
@require_safe
def home(request: PersonRequest) -> HttpResponse:
    """What somebody has to do over all courses, and the courses."""
    all_members = (
        Member.objects.select_related("course").filter(person=request.user, removed_at=None).order_by("-joined_at")
    )
    members = [member for member in all_members if member.course.archived_at is None]
    staff = [member for member in members if member.is_staff]
    running = _with_progress(
        Assignment.objects.filter(course__in=[member.course_id for member in staff]).exclude(stage=Stage.RELEASED)
    )
    states = states_of(request.user, timezone.now())
    released, withdrawn = released_and_withdrawn(each.assignment for each in states)
    others = [each for each in states if not each.task]
    context = {
        "staff": [
            (member, [each for each in running if each[0].course_id == member.course_id][:SHOWN]) for member in staff
        ],
        "archived": [each for each in all_members if each.is_staff and each.course.archived_at is not None],
        "past": [each for each in all_members if not each.is_staff and each.course.archived_at is not None],
        "studies": [member for member in members if not member.is_staff],
        "to_do": [each for each in states if each.task],
        # The newest first: what somebody looks for after an e-mail.
        "results": [each for each in reversed(others) if each.assignment.pk in released],
        "others": [each for each in others if each.assignment.pk not in released],
        "released": released,
        "withdrawn": withdrawn,
        "needs_password": bool(staff) and not request.user.has_usable_password(),
    }
    return render(request, "home/home.html", context)


def _with_progress(assignments: QuerySet[Assignment]) -> list[tuple[Assignment, Progress]]:
    """The newest first, each with how far people are."""
    found = list(assignments.prefetch_related("sections").order_by("-created_at", "-pk"))
    said = staff_progress(found)
    return [(each, said[each.pk]) for each in found]


@in_course(EVERY_ROLE)
@require_safe
def course(request: MemberRequest, course: Course) -> HttpResponse:
    """The assignments of a course, and for staff the ways to everything else."""
    if not request.member.is_staff:
        states = states_of(request.user, timezone.now(), course)
        released, withdrawn = released_and_withdrawn(each.assignment for each in states)
        shown = {"course": course, "states": states, "released": released, "withdrawn": withdrawn}
        return render(request, "home/course.html", shown)
    assignments = _with_progress(course.assignments.all())
    context = {"course": course, "assignments": assignments, "counts": queries.count_members(course)}
    context["without"] = queries.students_without_link(course).count()
    context["sample"] = queries.is_sample(course)
    return render(request, "home/course_staff.html", context)


@in_course(INSTRUCTORS, even_archived=True)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: MemberRequest, course: Course) -> HttpResponse:
    """Say what goes, and delete it when its name is typed."""
    wrong = ""
    if request.method == "POST":
        if request.POST.get("typed", "").strip() == course.name.strip():
            try:
                delete_course(course, request.user)
            except Refused as error:
                back = reverse("courses:settings", args=[course.pk])
                return refused(request, _("The course was not deleted"), str(error), back=back)
            messages.success(request, _("Course deleted."))
            return redirect("home")
        wrong = _("This is not the name of the course. Type it exactly, or keep the course.")
    context = {
        "course": course,
        "must_stay": must_stay(course),
        "sample": queries.is_sample(course),
        "people": course.members.count(),
        "assignments": course.assignments.order_by("pk"),
        "wrong": wrong,
    }
    return render(request, "home/delete.html", context, status=422 if wrong else 200)
