"""Archive a course, bring it back, delete it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from peerorder.web.access import INSTRUCTORS, Asked, in_course
from peerorder.web.courses.models import Course
from peerorder.web.courses.services import closing as services
from peerorder.web.courses.services.members import Refused
from peerorder.web.errors import refused


@in_course(INSTRUCTORS)
@require_POST
def archive(request: Asked, course: Course) -> HttpResponse:
    """Put it away."""
    services.archive(course, request.user)
    messages.success(request, _("The course is archived. You find it at the end of your first page."))
    return redirect("home")


@in_course(INSTRUCTORS, even_archived=True)
@require_POST
def bring_back(request: Asked, course: Course) -> HttpResponse:
    """Undo that."""
    services.bring_back(course, request.user)
    messages.success(request, _("The course is back."))
    return redirect("courses:course", course.pk)


@in_course(INSTRUCTORS, even_archived=True)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: Asked, course: Course) -> HttpResponse:
    """Say what goes, and delete it when its name is typed."""
    wrong = ""
    if request.method == "POST":
        if request.POST.get("typed", "").strip() == course.name.strip():
            try:
                services.delete_course(course, request.user)
            except Refused as error:
                back = reverse("courses:settings", args=[course.pk])
                return refused(request, _("This course stays"), str(error), back=back)
            messages.success(request, _("The course is deleted."))
            return redirect("home")
        wrong = _("This is not the name of the course. Type it exactly, or keep the course.")
    context = {
        "course": course,
        "has_work": services.has_work(course),
        "people": course.members.count(),
        "assignments": course.assignments.order_by("pk"),
        "wrong": wrong,
    }
    return render(request, "courses/delete.html", context, status=422 if wrong else 200)
