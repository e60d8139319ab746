"""One result: its order, its graders, how it covers the papers, and why a paper stands where it stands."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _, ngettext
from django.views.decorators.http import require_safe

from peerorder.reports.markup import Markup, element, joined
from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import STAFF, MemberRequest
from peerorder.web.courses.models import Role
from peerorder.web.papers.models import Paper
from peerorder.web.people.access import View
from peerorder.web.results.mark_sheets import basis_of, trial_sheet
from peerorder.web.results.models import Result
from peerorder.web.results.order_table import ROWS, NamedSheet, OrderTable
from peerorder.web.results.queries import exclusions_of, results_of
from peerorder.web.results.result_data import load
from peerorder.web.tables import Listing

if TYPE_CHECKING:
    from peerorder.reports.instructor.people import People
    from peerorder.reports.instructor.rule_contrast import Contrast
    from peerorder.rounds import GradedRound

PAGES = {"order": "result", "graders": "graders", "coverage": "coverage", "borda": "contrast"}
PAGES |= {"provenance": "provenance"}
"""The sections of the report, and the addresses under which they are here."""
TITLES = {
    "result": _("Order"),
    "graders": _("Graders"),
    "coverage": _("Coverage"),
    "contrast": _("Posterior and Borda"),
    "provenance": _("How it was computed"),
}
# Of each kind.
GRADERS = 60


def result_of(assignment: Assignment, number: int) -> Result:
    """Return a result by its number; there is no page of one elsewhere."""
    result = get_object_or_404(Result.objects.select_related("requested_by"), assignment=assignment, number=number)
    result.assignment = assignment
    return result


def with_result(view: Callable[..., HttpResponse]) -> View:
    """Give a view a result that is ready; of one that is not, say how far it is, or why there is none."""

    @in_assignment(STAFF)
    @require_safe
    @wraps(view)
    def guarded(request: MemberRequest, assignment: Assignment, number: int, **kwargs: Any) -> HttpResponse:
        result = result_of(assignment, number)
        if not result.is_ready:
            return not_ready(request, assignment, result)
        return view(request, assignment, result, **kwargs)

    return guarded


def not_ready(request: MemberRequest, assignment: Assignment, result: Result) -> HttpResponse:
    """Say how far a result is, or why there is none."""
    state = next(each for each in results_of(assignment) if each.result == result)
    context = {
        "assignment": assignment,
        "result": result,
        "state": state,
        "job": state.job,
        "instructs": request.member.role == Role.INSTRUCTOR,
    }
    return render(request, "results/not_ready.html", context)


def _page(request: MemberRequest, assignment: Assignment, result: Result, name: str) -> dict[str, Any]:
    basis = basis_of(assignment)
    return {
        "assignment": assignment,
        "result": result,
        "chosen": basis.result if basis is not None else None,
        "instructs": request.member.role == Role.INSTRUCTOR,
        "pages": [
            (page, reverse(f"results:{page}", args=[assignment.pk, result.number]), TITLES[page]) for page in TITLES
        ],
        "page_name": name,
        "title": TITLES[name],
    }


@with_result
def order(request: MemberRequest, assignment: Assignment, result: Result) -> HttpResponse:
    """Show the order with its intervals: as a figure, and as a table that can be searched and sorted."""
    from peerorder.reports.instructor import order as section
    from peerorder.reports.instructor.coverage import covered
    from peerorder.reports.instructor.page import summary

    named = NamedSheet(trial_sheet(result), assignment)

    def paper_at(paper: int) -> str:
        return reverse("results:paper", args=[assignment.pk, result.number, paper])

    table = OrderTable.read(named, request.GET, paper_at)
    context = {"table": table.html(), "listing": table.listing}
    # Going back in the browser asks for the whole page.
    if request.htmx and not request.htmx.history_restore_request:
        return render(request, "results/_order_list.html", context)

    def section_at(name: str) -> str:
        return reverse(f"results:{PAGES[name]}", args=[assignment.pk, result.number])

    graded = named.graded
    covered_papers = covered(graded.round.profile)
    context |= _page(request, assignment, result, "result") | {
        "penalty": graded.marking is not None and graded.settings.penalty,
        "summary": summary(graded, covered_papers, load(result).people, section_at),
        "lead": section.lead(graded),
        "figure": section.figure(graded),
    }
    return render(request, "results/order.html", context)


@with_result
def graders(request: MemberRequest, assignment: Assignment, result: Result) -> HttpResponse:
    """Show the graders to look at, with the evidence, then all; an instructor can exclude a ranking."""
    from peerorder.reports.instructor import people

    named = NamedSheet(trial_sheet(result), assignment)
    exclusion = _exclusion(request, assignment, result)
    members, persons = named.sheet.members, load(result).people
    act = exclusion and (lambda number: exclusion(members[number]))
    listing = Listing.read(request.GET, [], "")
    who = people.by_reliability(named.graded, persons)
    wanted = [number for number in who.tolist() if named.matches(members[number], listing.words)]
    page = listing.show(wanted, request.GET.get("page"), _count_graders, ROWS)
    table = people.listed(named.graded, persons, np.array(page.object_list, np.int64), act)
    context = {"table": table, "listing": listing}
    if request.htmx and not request.htmx.history_restore_request:
        return render(request, "results/_grader_list.html", context)
    context |= _page(request, assignment, result, "graders") | {
        "section": people.section(named.graded, persons, act, GRADERS),
        "knows_reliability": named.graded.outcome.result.reliability is not None,
    }
    return render(request, "results/graders.html", context)


def _count_graders(count: int) -> str:
    return ngettext("%(count)s grader", "%(count)s graders", count) % {
        "count": number_format(count, force_grouping=True)
    }


def _exclusion(
    request: MemberRequest, assignment: Assignment, result: Result, back: str = ""
) -> Callable[[int], Markup] | None:
    """Return what leads to the exclusion of a ranking, or undoes it, by the id of the member; for instructors."""
    if request.member.role != Role.INSTRUCTOR:
        return None
    excluded = {each.grader_id: each.pk for each in exclusions_of(assignment) if each.undone_at is None}

    def link(member: int) -> Markup:
        if member in excluded:
            href = reverse("results:undo-exclusion", args=[assignment.pk, excluded[member]])
            return element("a", str(_("Undo exclusion")), href=href, class_="below act")
        href = reverse("results:exclude", args=[assignment.pk, result.number, member])
        return element("a", str(_("Exclude ranking")), href=f"{href}{back}", class_="below act")

    return link


@with_result
def coverage(request: MemberRequest, assignment: Assignment, result: Result) -> HttpResponse:
    """Show how many rankings papers have, and what can be compared."""
    from peerorder.reports.instructor import coverage as section

    graded = NamedSheet(trial_sheet(result), assignment).graded
    html = section.section(graded.round, section.covered(graded.round.profile))
    return _section(request, assignment, result, "coverage", html)


@with_result
def contrast(request: MemberRequest, assignment: Assignment, result: Result) -> HttpResponse:
    """Show where the default rule and Borda differ."""
    from peerorder.reports.instructor import rule_contrast
    from peerorder.reports.table_cells import below

    named = NamedSheet(trial_sheet(result), assignment)
    differences = _contrast(named.graded, load(result).people)

    def called(number: int) -> Markup:
        paper = named.sheet.papers[number]
        href = reverse("results:paper", args=[assignment.pk, result.number, paper])
        return joined(element("a", named.graded.round.papers[number], href=href), below(named.about(paper)))

    html = rule_contrast.section(named.graded, differences, called)
    context = {"heading": rule_contrast.title(named.graded, differences)} if differences is not None else {}
    return _section(request, assignment, result, "contrast", html, **context)


def _contrast(graded: "GradedRound", people: "People") -> "Contrast | None":
    from peerorder.reports.instructor.rule_contrast import contrasted

    known = graded.outcome.result.reliability is not None
    return contrasted(graded, np.concatenate([people.flagged, people.doubtful]) if known else None)


@with_result
def provenance(request: MemberRequest, assignment: Assignment, result: Result) -> HttpResponse:
    """Show everything that gives the same result again."""
    from peerorder.reports.instructor import provenance as section

    graded = NamedSheet(trial_sheet(result), assignment).graded
    return _section(request, assignment, result, "provenance", section.section(graded, None))


def _section(
    request: MemberRequest, assignment: Assignment, result: Result, name: str, html: Markup | None, **more: object
) -> HttpResponse:
    context = _page(request, assignment, result, name) | {"section": html, **more}
    return render(request, "results/section.html", context)


@with_result
def paper(request: MemberRequest, assignment: Assignment, result: Result, paper_id: int) -> HttpResponse:
    """Show why a paper stands where it stands."""
    from peerorder.reports.instructor import explanation_section
    from peerorder.rounds import explain

    chosen = get_object_or_404(Paper, pk=paper_id, assignment=assignment)
    named = NamedSheet(trial_sheet(result), assignment)
    if paper_id not in named.sheet.paper_number:
        raise Http404
    whys = explain(named.graded, [named.sheet.paper_number[paper_id]], quick=True)
    act, number = _exclusion(request, assignment, result, f"?paper={paper_id}"), named.graded.round.grader_number
    members = named.sheet.members
    context = _page(request, assignment, result, "result") | {
        "paper": chosen,
        "paper_name": named.names.paper[paper_id],
        "about": named.about(paper_id),
        "section": explanation_section.section(whys, act and (lambda grader: act(members[number[grader]]))),
    }
    return render(request, "results/paper.html", context)
