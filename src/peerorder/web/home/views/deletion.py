"""Delete a course."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from peerorder.web.courses.access import INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.models import Course
from peerorder.web.errors import Refused, refused
from peerorder.web.home.course_deletion import delete_course, has_work


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
                return refused(request, _("This course stays"), str(error), back=back)
            messages.success(request, _("The course is deleted."))
            return redirect("home")
        wrong = _("This is not the name of the course. Type it exactly, or keep the course.")
    context = {
        "course": course,
        "has_work": has_work(course),
        "people": course.members.count(),
        "assignments": course.assignments.order_by("pk"),
        "wrong": wrong,
    }
    return render(request, "home/delete.html", context, status=422 if wrong else 200)
