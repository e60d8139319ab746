"""What a student got, and what they say about the comments."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import STUDENTS, MemberRequest
from peerorder.web.errors import Refused, refused
from peerorder.web.results import feedback as services
from peerorder.web.results.mark_sheets import release_in_force, released_sheet, withdrawn_release
from peerorder.web.results.student_result import student_result


@in_assignment(STUDENTS)
@require_safe
def my_result(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """The mark with its reasons, the comments, and how one's own ranking went."""
    release = release_in_force(assignment)
    if release is None:
        withdrawn = withdrawn_release(assignment)
        if withdrawn is not None:
            return render(request, "results/withdrawn.html", {"assignment": assignment, "release": withdrawn})
        what = _("Your result is not there yet. Your instructors release the results of all students together.")
        back = reverse("lifecycle:assignment", args=[assignment.pk])
        return refused(request, _("No result yet"), what, status=404, back=back)
    result = student_result(assignment, request.member, released_sheet(release), release)
    given = services.feedback_given(assignment, request.member)
    comments = [replace(each, feedback=given.get(each.key)) for each in result.comments]
    context = {"assignment": assignment, "result": replace(result, comments=comments)}
    if request.method == "GET":
        services.record_look(release, request.member)
        context["thanks"] = services.thanks_for(release, request.member, timezone.now())
    return render(request, "results/my_result.html", context)


@in_assignment(STUDENTS)
@require_POST
def feedback(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Say that a comment is helpful or not, report it, or take that back."""
    key = request.POST.get("comment", "")
    page = reverse("results:my-result", args=[assignment.pk])
    try:
        services.give_feedback(
            assignment, request.member, key, request.POST.get("kind", ""), request.POST.get("text", "")
        )
    except Refused as error:
        return refused(request, _("That was not taken"), str(error), back=page)
    messages.success(request, _("Thank you. Nobody who wrote a comment learns who said what about it."))
    return redirect(f"{page}#comment-{key}")
