"""Make a course, change its settings, archive it and bring it back."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from peerorder.web.courses.access import INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.forms import CourseForm
from peerorder.web.courses.models import Course
from peerorder.web.courses.registry import running_rounds
from peerorder.web.courses.services import courses as services
from peerorder.web.people.access import PersonRequest, course_makers


@course_makers
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: PersonRequest) -> HttpResponse:
    """Make a course."""
    form = CourseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        made = services.make_course(request.user, **form.cleaned_data)
        messages.success(request, _("Course created."))
        return redirect("home:course", made.pk)
    return render(request, "courses/new.html", {"form": form})


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: MemberRequest, course: Course) -> HttpResponse:
    """Change its name, its time zone or its end."""
    before = course.name
    form = CourseForm(request.POST or None, instance=course)
    if request.method == "POST" and form.is_valid():
        services.change_course(course, request.user, **form.cleaned_data)
        messages.success(request, _("Settings saved."))
        return redirect("home:course", course.pk)
    context = {"form": form, "course": course, "before": before, "running": _running(course)}
    return render(request, "courses/settings.html", context)


def _running(course: Course) -> list[tuple[str, str, datetime | None]]:
    return [each for listed in running_rounds for each in listed(course)]


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: MemberRequest, course: Course) -> HttpResponse:
    """Say what stops then, and put it away."""
    if course.archived_at is not None:
        return redirect("courses:settings", course.pk)
    if request.method == "POST":
        services.archive(course, request.user)
        messages.success(request, _("The course is archived. You find it at the end of your home page."))
        return redirect("home")
    return render(request, "courses/archive.html", {"course": course, "running": _running(course)})


@in_course(INSTRUCTORS, even_archived=True)
@require_POST
def bring_back(request: MemberRequest, course: Course) -> HttpResponse:
    """Undo that."""
    services.bring_back(course, request.user)
    messages.success(request, _("The course is restored."))
    return redirect("home:course", course.pk)
