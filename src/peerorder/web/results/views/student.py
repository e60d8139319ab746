"""What a student got, and what they say about the comments."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import STUDENTS, MemberRequest
from peerorder.web.errors import Refused, refused
from peerorder.web.ranking.models import Ballot
from peerorder.web.results import feedback as services
from peerorder.web.results.mark_sheets import release_in_force, released_sheet, withdrawn_release
from peerorder.web.results.models import CommentFeedback
from peerorder.web.results.student_result import student_result

_THANKS = gettext_lazy("Thank you. The student who wrote the comment is not told who you are.")
_ANSWERS = {
    "": gettext_lazy("Feedback on the comment removed."),
    CommentFeedback.Kind.REPORT.value: gettext_lazy(
        "Your instructors can see your report. The student who wrote the comment is not told who reported it."
    ),
}


@in_assignment(STUDENTS)
@require_safe
def my_result(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show the mark with its reasons, the comments, and how one's own ranking went."""
    release = release_in_force(assignment)
    if release is None:
        withdrawn = withdrawn_release(assignment)
        nothing = {"assignment": assignment, "withdrawn": withdrawn}
        return render(request, "results/nothing_released.html", nothing, status=404 if withdrawn is None else 200)
    result = student_result(assignment, request.member, released_sheet(release), release)
    given = services.feedback_given(assignment, request.member)
    comments = [replace(each, feedback=given.get(each.key)) for each in result.comments]
    ballots = Ballot.objects.filter(assignment=assignment, grader=request.member, submission__isnull=False)
    context = {
        "assignment": assignment,
        "result": replace(result, comments=comments),
        "ranking_submitted": ballots.exists(),
    }
    # Nothing is written in a course that is archived.
    if request.method == "GET" and assignment.course.archived_at is None:
        services.record_look(release, request.member)
        context["thanks"] = services.thanks_for(release, request.member, timezone.now())
    return render(request, "results/my_result.html", context)


@in_assignment(STUDENTS)
@require_POST
def feedback(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Say that a comment is helpful or not, report it, or take that back."""
    key, kind = request.POST.get("comment", ""), request.POST.get("kind", "")
    page = reverse("results:my-result", args=[assignment.pk])
    try:
        services.give_feedback(assignment, request.member, key, kind, request.POST.get("text", ""))
    except Refused as error:
        return refused(request, _("Your feedback was not saved"), str(error), back=page)
    messages.success(request, _ANSWERS.get(kind, _THANKS))
    return redirect(f"{page}#comment-{key}")
