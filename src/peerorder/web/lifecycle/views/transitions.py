"""The page that previews a transition, and makes it."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest
from peerorder.web.errors import Refused, refused
from peerorder.web.lifecycle import services
from peerorder.web.lifecycle.notifications import audience
from peerorder.web.lifecycle.transition_preview import preview_transition
from peerorder.web.lifecycle.transition_warnings import transition_warnings
from peerorder.web.lifecycle.transitions import blockers, neighbour
from peerorder.web.mail.forms import TellForm

MOVED = {
    Stage.DRAFT: gettext_lazy("The assignment is a draft again. Students no longer see it."),
    Stage.HANDING_IN: gettext_lazy("The assignment is open for handing in."),
    Stage.RANKING: gettext_lazy("The assignment is open for ranking."),
    Stage.REVIEW: gettext_lazy("The assignment is in review."),
    Stage.RELEASED: gettext_lazy("The assignment is released."),
}
"""What is said after the transition to each stage."""


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def move(request: MemberRequest, assignment: Assignment, to: str) -> HttpResponse:
    """Show what a transition does, and make it when confirmed."""
    if to not in Stage.values:
        raise Http404
    stage, now = Stage(to), timezone.now()
    back = reverse("lifecycle:assignment", args=[assignment.pk])
    if request.method == "POST":
        form = TellForm(request.POST)
        tell = form.is_valid() and form.cleaned_data["tell"]
        try:
            moved = services.move(assignment, stage, request.user, now, tell=tell)
        except Refused as reason:
            return refused(request, _("The assignment was not moved"), str(reason), back=back)
        if moved:
            messages.success(request, MOVED[stage])
        return redirect(back)
    if stage == assignment.stage:
        return redirect(back)
    if {stage, Stage(assignment.stage)} == {Stage.REVIEW, Stage.RELEASED} and blockers(assignment, stage, now):
        return redirect("results:release", assignment.pk)
    blocked = blockers(assignment, stage, now)
    is_neighbour = stage in (neighbour(assignment.stage, +1), neighbour(assignment.stage, -1))
    context = {
        "assignment": assignment,
        "to": stage,
        "forward": stage.number > Stage(assignment.stage).number,
        "blockers": blocked,
    }
    if is_neighbour and not blocked:
        context |= {"preview": preview_transition(assignment, stage, now), "audience": audience(assignment, stage)}
        context |= {"warnings": transition_warnings(assignment, stage, now), "form": TellForm()}
    return render(request, "lifecycle/move.html", context)


@in_assignment(INSTRUCTORS)
@require_POST
def hand_out_again(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Ask again for the papers to be distributed."""
    services.hand_out_again(assignment, request.user)
    return redirect("lifecycle:assignment", assignment.pk)
