"""What there is to do, and the page of a course."""

from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from peerorder.web.access import EVERY_ROLE, INSTRUCTORS, Asked, course_makers, in_course, logged_in
from peerorder.web.courses import queries
from peerorder.web.courses.forms import CourseForm
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.progress import staff_progress
from peerorder.web.courses.services.courses import change_course, make_course
from peerorder.web.rounds.models import Assignment, Stage

# Of a course on the first page, so many assignments.
SHOWN = 5


@logged_in
@require_safe
def home(request: Asked) -> HttpResponse:
    """What somebody has to do over all courses, and the courses."""
    all_members = (
        Member.objects.select_related("course").filter(person=request.user, removed_at=None).order_by("-joined_at")
    )
    members = [member for member in all_members if member.course.archived_at is None]
    staff = [member for member in members if member.is_staff]
    running = _with_progress(
        Assignment.objects.filter(course__in=[member.course_id for member in staff]).exclude(stage=Stage.RELEASED)
    )
    todos = queries.to_do(request.user, timezone.now())
    context = {
        "staff": [
            (member, [each for each in running if each[0].course_id == member.course_id][:SHOWN]) for member in staff
        ],
        "archived": [each for each in all_members if each.is_staff and each.course.archived_at is not None],
        "studies": [member for member in members if not member.is_staff],
        "todos": [todo for todo in todos if todo.action],
        "others": [todo for todo in todos if not todo.action],
        "needs_password": bool(staff) and not request.user.has_usable_password(),
    }
    return render(request, "courses/home.html", context)


def _with_progress(assignments: QuerySet[Assignment]) -> list[tuple[Assignment, str]]:
    """The newest first, each with how far people are."""
    found = list(assignments.prefetch_related("sections").order_by("-created_at", "-pk"))
    said = staff_progress(found)
    return [(each, said[each.pk]) for each in found]


@in_course(EVERY_ROLE)
@require_safe
def course(request: Asked, course: Course) -> HttpResponse:
    """The assignments of a course, and for staff the ways to everything else."""
    if not request.member.is_staff:
        todos = queries.to_do(request.user, timezone.now(), course)
        return render(request, "courses/course.html", {"course": course, "todos": todos})
    here = Q(members__removed_at=None)
    counts = Course.objects.filter(pk=course.pk).aggregate(
        students=Count("members", filter=here & Q(members__role=Role.STUDENT)),
        staff=Count("members", filter=here & ~Q(members__role=Role.STUDENT)),
    )
    assignments = _with_progress(course.assignments.all())
    context = {"course": course, "assignments": assignments, "counts": counts}
    context["without"] = queries.without_link(course).count()
    context["sample"] = queries.is_sample(course)
    return render(request, "courses/course_staff.html", context)


@course_makers
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Asked) -> HttpResponse:
    """Make a course."""
    form = CourseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = make_course(request.user, form.cleaned_data["name"], form.cleaned_data["time_zone"])
        messages.success(request, _("The course is there. Next, upload its roster."))
        return redirect("courses:course", made.pk)
    return render(request, "courses/new.html", {"form": form})


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: Asked, course: Course) -> HttpResponse:
    """Change its name or time zone."""
    before = course.name
    form = CourseForm(request.POST or None, instance=course)
    if request.method == "POST" and form.is_valid():
        change_course(course, request.user, form.cleaned_data["name"], form.cleaned_data["time_zone"])
        messages.success(request, _("Saved."))
        return redirect("courses:course", course.pk)
    running = course.assignments.filter(stage__in=(Stage.HANDING_IN, Stage.RANKING)).count()
    context = {"form": form, "course": course, "before": before, "running": running}
    return render(request, "courses/settings.html", context)
