"""All results of an assignment, and computing another."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest
from peerorder.web.courses.models import Role
from peerorder.web.errors import Refused, refused
from peerorder.web.results import services
from peerorder.web.results.forms import ComputeForm
from peerorder.web.results.queries import exclusions_of, rankings_changed, results_of


@in_assignment(STAFF)
@require_safe
def results(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show the result that marks are made of, all others, and how to compute another."""
    return render(request, "results/results.html", _context(request, assignment, ComputeForm()))


def _context(request: MemberRequest, assignment: Assignment, form: ComputeForm) -> dict[str, Any]:
    every = results_of(assignment)
    chosen = next((each for each in every if each.is_chosen), None)
    exclusions = exclusions_of(assignment)
    in_force = {each.pk for each in exclusions if each.undone_at is None}
    apart = in_force ^ set(chosen.result.excluded if chosen is not None else in_force)
    others = (each.result for each in every if each.result.is_ready and set(each.result.excluded) == in_force)
    return {
        "assignment": assignment,
        "instructs": request.member.role == Role.INSTRUCTOR,
        "ranking_is_over": assignment.is_at(Stage.REVIEW, Stage.RELEASED),
        "results": every,
        "running": [each for each in every if each.is_running],
        "chosen": chosen,
        "changed": chosen is not None and rankings_changed(chosen.result),
        "exclusions": exclusions,
        "differing": [str(each.grader) for each in exclusions if each.pk in apart],
        "newer": next(others, None) if apart else None,
        "form": form,
    }


@in_assignment(INSTRUCTORS)
@require_POST
def compute(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Ask for a result: by what the form says, or merged as the chosen one where there is no form."""
    address = reverse("results:results", args=[assignment.pk])
    try:
        if "rule" in request.POST:
            form = ComputeForm(request.POST)
            if not form.is_valid():
                return render(request, "results/results.html", _context(request, assignment, form), status=400)
            services.request_result(assignment, request.user, **form.settings)
        else:
            services.request_alike(assignment, request.user)
    except Refused as reason:
        return refused(request, _("No result was computed"), str(reason), back=address)
    return redirect(address)
