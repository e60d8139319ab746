"""Two results side by side, and choosing the one that marks are made of."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest
from peerorder.web.courses.models import Role
from peerorder.web.errors import Refused, refused
from peerorder.web.results import services
from peerorder.web.results.mark_changes import moves
from peerorder.web.results.mark_sheets import basis_of, trial_sheet
from peerorder.web.results.order_table import ROWS, NamedSheet
from peerorder.web.results.queries import exclusions_of
from peerorder.web.results.views.result import not_ready, result_of

CHOICES = {
    "moves": gettext_lazy("Students who move"),
    "marks": gettext_lazy("Students whose mark changes"),
    "ranking": gettext_lazy("Students whose mark for ranking changes"),
}


@in_assignment(STAFF)
@require_safe
def comparison(request: MemberRequest, assignment: Assignment, number: int, other: int) -> HttpResponse:
    """Show who moves, and whose mark changes, from the other result to this one; an instructor can choose it."""
    result, before = result_of(assignment, number), result_of(assignment, other)
    for each in (result, before):
        if not each.is_ready:
            return not_ready(request, assignment, each)
    basis = basis_of(assignment)
    named = NamedSheet(trial_sheet(result), assignment)
    changed = moves(trial_sheet(before), named.sheet)
    listed = {
        "moves": [move for move in changed if move.is_move],
        "marks": [move for move in changed if move.changes_mark],
        "ranking": [move for move in changed if move.changes_review_mark],
    }
    only = request.GET.get("only", "")
    only = only if only in listed else "moves"
    page = Paginator(listed[only], ROWS).get_page(request.GET.get("page"))
    apart = set(result.excluded) ^ set(before.excluded)
    exclusions = [each for each in exclusions_of(assignment) if each.pk in apart]
    to_undo = [each for each in exclusions if each.pk in result.excluded and each.undone_at is None]
    context = {
        "assignment": assignment,
        "result": result,
        "before": before,
        "basis": basis,
        "is_chosen": basis is not None and basis.result_id == result.pk,
        "from_chosen": basis is not None and basis.result_id == before.pk,
        "instructs": request.member.role == Role.INSTRUCTOR,
        "has_marks": named.graded.marking is not None,
        "moved": len(listed["moves"]),
        "most": max((abs(move.places) for move in changed), default=0),
        "marks": len(listed["marks"]),
        "review_marks": len(listed["ranking"]),
        "choices": CHOICES.items(),
        "only": only,
        "title": CHOICES[only],
        "query": f"only={only}",
        "page": page,
        "rows": [(named.person(move.member), move) for move in page],
        "exclusions": exclusions,
        "undo": to_undo[0] if len(to_undo) == 1 else None,
    }
    return render(request, "results/comparison.html", context)


@in_assignment(INSTRUCTORS)
@require_POST
def choose(request: MemberRequest, assignment: Assignment, number: int) -> HttpResponse:
    """Make marks of this result from now on."""
    result = result_of(assignment, number)
    revision = request.POST.get("revision", "")
    back = reverse("results:results", args=[assignment.pk])
    try:
        services.choose_result(assignment, result, request.user, int(revision) if revision.isdecimal() else -1)
    except Refused as reason:
        return refused(request, _("The result was not chosen"), str(reason), back=back)
    messages.success(request, _("Marks are now based on result %(number)d.") % {"number": result.number})
    return redirect(back)
