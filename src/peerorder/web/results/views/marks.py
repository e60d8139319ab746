"""The scale with its preview, and the marks of all students."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_POST, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest
from peerorder.web.courses.models import Member, Role
from peerorder.web.courses.search import by_surname, find_members, section_filters
from peerorder.web.errors import Refused, refused
from peerorder.web.papers.models import Paper
from peerorder.web.results import services
from peerorder.web.results.mark_changes import Change, mark_changes
from peerorder.web.results.mark_charts import earlier_strip, marks_chart
from peerorder.web.results.mark_forms import ScaleForm
from peerorder.web.results.mark_sheets import Sheet, StudentMark, basis_of, draft_of, release_in_force
from peerorder.web.results.mark_summaries import (
    boundaries,
    doubts,
    earlier_rounds,
    mean_reasons,
    summary,
    unmarked_papers,
)
from peerorder.web.results.models import Basis, Decision
from peerorder.web.results.release_audience import waiting_release
from peerorder.web.tables import Column, Listing

LISTED = 50


def no_result(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Say that there is nothing to make marks of yet."""
    return render(request, "results/no_result.html", {"assignment": assignment})


@in_assignment(STAFF)
@require_safe
def marks(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show the scale that is saved, what it gives, and everybody's mark."""
    basis = basis_of(assignment)
    if basis is None:
        return no_result(request, assignment)
    if request.htmx and request.htmx.target == "rows":
        return render(request, "results/marks_students.html", _students(request, assignment, draft_of(basis)))
    return _page(request, basis, ScaleForm(basis))


@in_assignment(STAFF)
@require_safe
def preview(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show what a scale would give that is not saved."""
    basis = basis_of(assignment)
    if basis is None:
        return no_result(request, assignment)
    form = ScaleForm(basis, request.GET)
    form.is_valid()
    if not request.htmx:
        return _page(request, basis, form)
    shown = _preview(assignment, form.sheet, draft_of(basis)) if form.sheet is not None else {}
    return render(request, "results/marks_preview.html", {"assignment": assignment, "form": form, **shown})


@in_assignment(INSTRUCTORS)
@require_POST
def scale(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Save the scale. Where somebody else changed it meanwhile, nothing is saved, and nothing is lost."""
    basis = basis_of(assignment)
    if basis is None:
        return refused(request, _("No result yet"), _("Marks are based on a result. Compute one first."))
    form = ScaleForm(basis, request.POST)
    if not form.is_valid():
        return _page(request, basis, form, status=422)
    try:
        services.set_scale(assignment, form.settings, request.user, form.cleaned_data["revision"])
    except Refused as error:
        # What was typed stays; saved again, it is meant.
        data = {**request.POST.dict(), "revision": str(basis.revision)}
        return _page(request, basis, ScaleForm(basis, data), status=409, conflict=str(error))
    messages.success(request, _("Scale saved. Students will see the marks once you release them."))
    return redirect("results:marks", assignment.pk)


def _page(
    request: MemberRequest, basis: Basis, form: ScaleForm, *, status: int = 200, conflict: str = ""
) -> HttpResponse:
    assignment = basis.assignment
    shown: Sheet | None = (saved := draft_of(basis))
    if form.is_bound:
        shown = form.sheet if form.is_valid() else None
    context = {
        "assignment": assignment,
        "basis": basis,
        "form": form,
        "instructs": request.member.role == Role.INSTRUCTOR,
        "conflict": conflict,
        "release": release_in_force(assignment),
        "waiting": waiting_release(assignment),
        "anchors": Decision.objects.filter(assignment=assignment, kind=Decision.Kind.ANCHOR, undone_at=None).count(),
        **(_preview(assignment, shown, saved) if shown is not None else {}),
        **_students(request, assignment, saved),
    }
    return render(request, "results/marks.html", context, status=status)


def _preview(assignment: Assignment, sheet: Sheet, saved: Sheet) -> dict[str, Any]:
    """Return what a scale gives, and how that differs from the one that is saved."""
    if sheet.graded.marking is None:
        return {"sheet": sheet}
    changed = mark_changes(saved, sheet) if saved.graded.marking is not None else []
    alike = saved.letters == sheet.letters
    numbers = summary(sheet)
    return {
        "sheet": sheet,
        "summary": numbers,
        "mean_reasons": mean_reasons(sheet, numbers.mean),
        "chart": marks_chart(sheet),
        "boundaries": boundaries(sheet, saved if changed else None),
        **changes_context([each for each in changed if each.crosses] if alike else []),
        "changed": len(changed),
        "alike": alike,
        "doubts": doubts(sheet),
        "unranked": unmarked_papers(sheet),
        "earlier": [(each, earlier_strip(each.summary)) for each in earlier_rounds(assignment)],
    }


def changes_context(changed: Sequence[Change]) -> dict[str, Any]:
    """Return who would get a different mark, as far as that is listed, and how many."""
    names = _members_by_id({each.member for each in changed[:LISTED]})
    return {
        "changes": [(names.get(each.member), each) for each in changed[:LISTED]],
        "changed": len(changed),
        "crossings": sum(each.crosses for each in changed),
        "more": max(len(changed) - LISTED, 0),
    }


def _students(request: MemberRequest, assignment: Assignment, sheet: Sheet) -> dict[str, Any]:
    """Return a page of all students with their marks, narrowed and sorted as the address says."""
    listing = Listing.read(request.GET, _columns(), "place", section_filters(assignment.course))
    students = sheet.students
    everybody = Member.objects.filter(course=assignment.course_id, role=Role.STUDENT)
    if listing.words:
        students = {pk: students[pk] for pk in find_members(everybody, listing.words) if pk in students}
    if section := listing.value("section"):
        in_section = set(everybody.filter(section=int(section)).values_list("pk", flat=True))
        students = {pk: student for pk, student in students.items() if pk in in_section}
    sort = listing.sort.removeprefix("-")
    if sort == "name":
        order = everybody.order_by(*by_surname()).values_list("pk", flat=True)
        rows = [students[pk] for pk in order if pk in students]
    else:
        rows = sorted(students.values(), key=lambda each: _rank(each, sort))
    page = listing.show(rows[::-1] if listing.is_descending else rows, request.GET.get("page"), count_students)
    names = _members_by_id({each.member for each in page.object_list})
    decided: dict[int | None, list[Decision]] = {}
    papers = [each.paper for each in page.object_list if each.paper is not None]
    for each in Decision.objects.filter(assignment=assignment, undone_at=None, paper__in=papers).order_by("pk"):
        decided.setdefault(each.paper_id, []).append(each)
    late = set(Paper.objects.filter(pk__in=papers, current__late=True).values_list("pk", flat=True))
    page.object_list = [
        (
            names.get(each.member),
            each,
            decided.get(each.paper, []),
            each.paper in late,
            sheet.ranking_penalty(each.member),
        )
        for each in page.object_list
    ]
    return {"assignment": assignment, "listing": listing}


def _columns() -> list[Column]:
    return [
        Column("name", _("Name"), ("name",)),
        Column("place", _("Place"), ("place",)),
        Column("mark", _("Mark"), ("mark",)),
        Column("review", _("Mark for ranking"), ("review",)),
        Column("decisions", _("Decisions and penalties")),
    ]


def count_students(count: int) -> str:
    """Return how many students there are, in words."""
    return ngettext("%(count)s student", "%(count)s students", count) % {
        "count": number_format(count, force_grouping=True)
    }


def _rank(student: StudentMark, sort: str) -> tuple[Any, ...]:
    """Return what students are sorted by; those without a place or a mark come last."""
    place = student.place or 10**9
    if sort == "review":
        return (student.review_mark is None, -(student.review_mark or 0.0), place)
    if sort == "mark" and not isinstance(student.mark, str):
        return (student.mark is None, -(student.mark or 0.0), place)
    # Letters fall with the place.
    return (student.mark is None and sort == "mark", place)


def _members_by_id(members: set[int]) -> dict[int, Member]:
    return {each.pk: each for each in Member.objects.filter(pk__in=members).select_related("person")}
