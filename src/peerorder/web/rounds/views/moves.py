"""The steps of an assignment's life."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from peerorder.web.access import INSTRUCTORS, Asked, in_assignment
from peerorder.web.errors import refused
from peerorder.web.jobs.registry import Refused
from peerorder.web.rounds import services
from peerorder.web.rounds.cautions import cautions
from peerorder.web.rounds.forms import MoveForm
from peerorder.web.rounds.life import neighbour, obstacles
from peerorder.web.rounds.models import Assignment, Stage
from peerorder.web.rounds.steps import consequences
from peerorder.web.rounds.telling import audience


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def move(request: Asked, assignment: Assignment, to: str) -> HttpResponse:
    """Say what a step does, and make it when that is confirmed."""
    if to not in Stage.values:
        raise Http404
    stage, now = Stage(to), timezone.now()
    back = reverse("rounds:assignment", args=[assignment.pk])
    if request.method == "POST":
        form = MoveForm(request.POST)
        tell = form.is_valid() and form.cleaned_data["tell"]
        try:
            moved = services.move(assignment, stage, request.user, now, tell=tell)
        except Refused as reason:
            return refused(request, _("This step cannot be made"), str(reason), back=back)
        if moved:
            messages.success(request, _("The assignment is at “%(stage)s” now.") % {"stage": stage.label})
        return redirect(back)
    if stage == assignment.stage:
        return redirect(back)
    found = obstacles(assignment, stage, now)
    there = stage in (neighbour(assignment.stage, +1), neighbour(assignment.stage, -1))
    context = {
        "assignment": assignment,
        "to": stage,
        "forward": stage.number > Stage(assignment.stage).number,
        "obstacles": found,
    }
    if there and not found:
        context |= {"told": consequences(assignment, stage, now), "audience": audience(assignment, stage)}
        context |= {"cautions": cautions(assignment, stage, now), "form": MoveForm()}
    return render(request, "rounds/move.html", context)


@in_assignment(INSTRUCTORS)
@require_POST
def hand_out_again(request: Asked, assignment: Assignment) -> HttpResponse:
    """Ask once more for the papers to be handed out."""
    services.hand_out_again(assignment, request.user)
    return redirect("rounds:assignment", assignment.pk)
