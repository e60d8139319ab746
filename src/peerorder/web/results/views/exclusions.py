"""Rankings that do not count: exclude one with a reason, and undo that."""

from typing import Any

import numpy as np
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest
from peerorder.web.courses.models import Member, Role
from peerorder.web.errors import Refused, refused
from peerorder.web.results import services
from peerorder.web.results.forms import ReasonForm
from peerorder.web.results.mark_sheets import basis_of, trial_sheet
from peerorder.web.results.models import Decision, Result
from peerorder.web.results.order_table import NamedSheet
from peerorder.web.results.views.result import result_of

LONGEST_ID = 9


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def exclude(request: MemberRequest, assignment: Assignment, number: int, member_id: int) -> HttpResponse:
    """Say what it means to exclude a ranking; then exclude it, and show who moves."""
    result = result_of(assignment, number)
    graders = Member.objects.filter(ballots__assignment=assignment, ballots__submission__isnull=False)
    grader = get_object_or_404(graders.select_related("person"), pk=member_id)
    paper = request.GET.get("paper", "")
    back = reverse("results:graders", args=[assignment.pk, number])
    if paper.isdecimal() and len(paper) <= LONGEST_ID:
        back = reverse("results:paper", args=[assignment.pk, number, int(paper)])
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            new = services.exclude(assignment, grader, form.cleaned_data["reason"], request.user)
        except Refused as reason:
            return refused(request, _("The ranking was not excluded"), str(reason), back=back)
        return to_comparison(assignment, new)
    status = 400 if request.method == "POST" else 200
    exclusion = Decision.objects.filter(
        assignment=assignment, kind=Decision.Kind.EXCLUDE, grader=grader, undone_at=None
    )
    context = {"assignment": assignment, "result": result, "grader": grader, "form": form, "back": back}
    context |= _ranking(result, grader) if result.is_ready else {}
    return render(request, "results/exclude.html", context | {"decision": exclusion.first()}, status=status)


def _ranking(result: Result, grader: Member) -> dict[str, Any]:
    """Return what a grader ranked, each with the place in the result, and what the student would lose."""
    named = NamedSheet(trial_sheet(result), result.assignment)
    graded, papers = named.graded, named.sheet.papers
    profile, student = graded.round.profile, named.sheet.students.get(grader.pk)
    row = named.sheet.members.index(grader.pk) if grader.pk in named.sheet.members else -1
    ranked = [
        (int(level) + 1, papers[number], named.names.paper.get(papers[number], ""), int(graded.places[number]))
        for ballot in np.flatnonzero(profile.grader == row).tolist()
        for number, level in zip(
            profile[ballot].tolist(), profile.tie_levels[profile.start[ballot] : profile.start[ballot + 1]], strict=True
        )
    ]
    return {
        "ranked": [(rank, paper, name, named.about(paper), place) for rank, paper, name, place in ranked],
        "review_mark": None if student is None or grader.role != Role.STUDENT else student.review_mark,
        "penalty": graded.settings.penalty if student is not None and student.mark is not None else 0,
    }


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def undo_exclusion(request: MemberRequest, assignment: Assignment, exclusion_id: int) -> HttpResponse:
    """Let a ranking count again, and show who moves."""
    exclusions = Decision.objects.filter(assignment=assignment, kind=Decision.Kind.EXCLUDE)
    decision = get_object_or_404(exclusions.select_related("grader__person", "made_by"), pk=exclusion_id)
    decision.assignment = assignment
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            result = services.include_again(decision, request.user, form.cleaned_data["reason"])
        except Refused as reason:
            back = reverse("results:results", args=[assignment.pk])
            return refused(request, _("The exclusion was not undone"), str(reason), back=back)
        if result is not None:
            return to_comparison(assignment, result)
        messages.success(request, _("The ranking counts again. Marks do not change."))
        return redirect("results:results", assignment.pk)
    status = 400 if request.method == "POST" else 200
    context = {"assignment": assignment, "decision": decision, "form": form}
    return render(request, "results/undo_exclusion.html", context, status=status)


def to_comparison(assignment: Assignment, result: Result) -> HttpResponse:
    """Go to who moves, as soon as the new result is there."""
    basis = basis_of(assignment)
    if basis is None:
        return redirect("results:results", assignment.pk)
    return redirect("results:comparison", assignment.pk, result.number, basis.result.number)
