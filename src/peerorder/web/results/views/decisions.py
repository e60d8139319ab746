"""Decide individual cases: set a mark, use a paper as anchor, take points off; see its effect first, and undo it."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from peerorder.core.errors import InputError
from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import STAFF, MemberRequest
from peerorder.web.courses.models import Member, Role
from peerorder.web.database.sql import LARGEST
from peerorder.web.errors import Refused, refused
from peerorder.web.papers.models import Paper
from peerorder.web.papers.queries import authors_of
from peerorder.web.results import services
from peerorder.web.results.mark_changes import mark_changes, sheet_with
from peerorder.web.results.mark_forms import DecisionForm, FileForm, UndoForm
from peerorder.web.results.mark_sheets import ANCHORED, Sheet, basis_of, draft_of, release_in_force
from peerorder.web.results.mark_summaries import source_of
from peerorder.web.results.models import Basis, Decision
from peerorder.web.results.views.marks import LISTED, changes_context, no_result

KINDS = (Decision.Kind.MARK, Decision.Kind.PENALTY, Decision.Kind.ANCHOR)


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def decide(request: MemberRequest, assignment: Assignment, paper_id: int) -> HttpResponse:
    """Show one case; on the way to a decision, show what it would change first."""
    paper = get_object_or_404(Paper.objects.select_related("current"), pk=min(paper_id, LARGEST), assignment=assignment)
    basis = basis_of(assignment)
    if basis is None:
        return no_result(request, assignment)
    kind = request.POST.get("kind")
    if request.method != "POST" or kind not in KINDS:
        return _case(request, basis, paper)
    form = DecisionForm(Decision.Kind(kind), basis, paper.pk, None, request.POST)
    if not form.is_valid():
        return _case(request, basis, paper, form, status=422)
    meanwhile = _in_force(paper).get(form.kind)
    if (meanwhile.pk if meanwhile is not None else None) != form.cleaned_data["seen"]:
        return _meanwhile(request, basis, paper, form, meanwhile)
    if "confirm" not in request.POST:
        return _preview(request, basis, paper, form)
    value, reason = form.cleaned_data["value"], form.cleaned_data["reason"]
    try:
        services.decide(assignment, form.kind, paper, value, reason, request.user, form.cleaned_data["seen"])
    except Refused as error:
        latest = _in_force(paper).get(form.kind)
        if latest != meanwhile:
            return _meanwhile(request, basis, paper, form, latest)
        return refused(request, _("The decision was not made"), str(error), back=_address(paper))
    messages.success(request, _("Decided: %(kind)s, %(value)s.") % {"kind": form.kind.label, "value": value})
    if release_in_force(assignment) is not None:
        messages.warning(request, _("Students still see the released marks until you release the corrected ones."))
    return redirect(_address(paper))


def _case(
    request: MemberRequest, basis: Basis, paper: Paper, refused_form: DecisionForm | None = None, *, status: int = 200
) -> HttpResponse:
    """Show where a paper stands, its mark and where that comes from, its decisions, and the forms for new ones."""
    in_force, sheet = _in_force(paper), draft_of(basis)
    forms = []
    for kind in KINDS:
        seen = in_force.get(kind)
        form = DecisionForm(kind, basis, paper.pk, None if seen is None else seen.pk)
        forms.append(refused_form if refused_form is not None and refused_form.kind == kind else form)
    number = sheet.paper_number.get(paper.pk)
    marked = [(each, sheet.students.get(each.pk), sheet.ranking_penalty(each.pk)) for each in _authors(paper)]
    context = {
        **_about(basis, paper),
        "authors": marked,
        "penalised": any(penalty for *_rest, penalty in marked),
        "instructs": request.member.role == Role.INSTRUCTOR,
        **(_place(sheet, number) if number is not None else {}),
        "source": source_of(sheet, paper.pk),
        "in_force": [in_force[kind] for kind in KINDS if kind in in_force],
        "history": Decision.objects.filter(paper=paper, undone_at__isnull=False)
        .select_related("made_by", "undone_by")
        .order_by("-pk"),
        "forms": forms,
        "form": refused_form,
        "has_scale": bool(basis.settings.get("marks")),
        "letters": sheet.letters,
    }
    return render(request, "results/decide.html", context, status=status)


def _place(sheet: Sheet, number: int) -> dict[str, Any]:
    """Return where a paper stands, by its number in the result."""
    graded = sheet.graded
    ends = graded.outcome.result.intervals
    return {
        "place": int(graded.places[number]),
        "interval": None if ends is None else ends[number].tolist(),
        "papers": len(sheet.papers),
        "rankings": int(graded.round.profile.rankings[number]),
    }


def _preview(request: MemberRequest, basis: Basis, paper: Paper, form: DecisionForm) -> HttpResponse:
    seen = form.cleaned_data["seen"]
    try:
        after = sheet_with(basis, [] if seen is None else [seen], [form.made])
    except InputError as error:
        form.add_error("value", str(error).capitalize())
        return _case(request, basis, paper, form, status=422)
    context = {
        **_about(basis, paper),
        **changes_context(mark_changes(draft_of(basis), after)),
        "penalties": [(each, points) for each in _authors(paper) if (points := after.ranking_penalty(each.pk))],
        "form": form,
        "replaced": _in_force(paper).get(form.kind),
    }
    return render(request, "results/decide_preview.html", context)


def _meanwhile(
    request: MemberRequest, basis: Basis, paper: Paper, form: DecisionForm, decision: Decision | None
) -> HttpResponse:
    """Show what somebody else decided since the form was made, and what was typed: nothing is changed, nothing lost."""
    last = Decision.objects.filter(paper=paper, kind=form.kind).select_related("made_by", "undone_by").order_by("-pk")
    context = {**_about(basis, paper), "form": form, "decision": decision, "last": last.first()}
    return render(request, "results/decide_meanwhile.html", context, status=409)


def _authors(paper: Paper) -> list[Member]:
    return [each.member for each in paper.authorships.select_related("member__person").order_by("pk")]


def _in_force(paper: Paper) -> dict[str, Decision]:
    made = Decision.objects.filter(paper=paper, undone_at=None).select_related("made_by")
    return {each.kind: each for each in made}


def _about(basis: Basis, paper: Paper) -> dict[str, Any]:
    return {
        "assignment": basis.assignment,
        "basis": basis,
        "paper": paper,
        "whose": authors_of([paper.pk])[paper.pk],
        "anchored": basis.settings.get("marks") == ANCHORED,
    }


def _address(paper: Paper) -> str:
    return reverse("results:decide", args=[paper.assignment_id, paper.pk])


# Undo one.


@in_assignment(STAFF)
@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: MemberRequest, assignment: Assignment, decision_id: int) -> HttpResponse:
    """Show what undoing a decision on a paper would change; then undo it, with a reason."""
    about = Decision.objects.select_related("paper", "made_by", "undone_by").filter(assignment=assignment)
    decision = get_object_or_404(about.exclude(paper=None), pk=min(decision_id, LARGEST))
    basis = basis_of(assignment)
    paper = decision.paper
    if basis is None or paper is None:
        return no_result(request, assignment)
    if decision.undone_at is not None:
        text = _("%(who)s has already undone this decision: %(why)s")
        text %= {"who": decision.undone_by, "why": decision.undone_because}
        return refused(request, _("The decision was already undone"), text, back=_address(paper))
    form = UndoForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            services.undo(decision, request.user, form.cleaned_data["reason"])
        except Refused as error:
            return refused(request, _("The decision was not undone"), str(error), back=_address(paper))
        messages.success(request, _("Decision undone."))
        return redirect(_address(paper))
    try:
        changes = changes_context(mark_changes(draft_of(basis), sheet_with(basis, [decision.pk])))
    except InputError as error:
        return refused(request, _("This decision cannot be undone now"), str(error).capitalize(), back=_address(paper))
    context = {**_about(basis, paper), **changes, "decision": decision, "form": form}
    return render(request, "results/undo.html", context, status=422 if form.errors else 200)


# All decisions.


@in_assignment(STAFF)
@require_safe
def decisions(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show every decision: those in force first, then those that were undone."""
    return render(request, "results/decisions.html", decisions_context(request, assignment))


def decisions_context(request: MemberRequest, assignment: Assignment) -> dict[str, Any]:
    """Return a page of decisions, and the form to upload more."""
    decisions = Decision.objects.filter(assignment=assignment)
    decisions = decisions.select_related("made_by", "undone_by", "grader__person")
    only = request.GET.get("only", "")
    if only in ("in-force", "undone"):
        decisions = decisions.filter(undone_at__isnull=only == "in-force")
    page = Paginator(decisions.order_by(F("undone_at").desc(nulls_first=True), "-pk"), LISTED).get_page(
        request.GET.get("page")
    )
    whose = authors_of([each.paper_id for each in page.object_list if each.paper_id is not None])
    return {
        "assignment": assignment,
        "page": page,
        "decisions": [(each, whose.get(each.paper_id or 0) or each.grader) for each in page.object_list],
        "only": only,
        "form": FileForm(),
        "instructs": request.member.role == Role.INSTRUCTOR,
    }
