"""Archive a course, and bring it back."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from peerorder.web.courses.access import INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.models import Course
from peerorder.web.courses.services import archiving as services


@in_course(INSTRUCTORS)
@require_POST
def archive(request: MemberRequest, course: Course) -> HttpResponse:
    """Put it away."""
    services.archive(course, request.user)
    messages.success(request, _("The course is archived. You find it at the end of your first page."))
    return redirect("home")


@in_course(INSTRUCTORS, even_archived=True)
@require_POST
def bring_back(request: MemberRequest, course: Course) -> HttpResponse:
    """Undo that."""
    services.bring_back(course, request.user)
    messages.success(request, _("The course is back."))
    return redirect("home:course", course.pk)
