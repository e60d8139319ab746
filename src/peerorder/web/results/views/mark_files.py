"""Files of marks: downloads, gradebooks, and decisions from a file."""

from typing import Any

from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.core.errors import InputError
from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest
from peerorder.web.errors import Refused, refused
from peerorder.web.people.access import accepts_files
from peerorder.web.results import services
from peerorder.web.results.bulk_decisions import plan_decisions, read_upload
from peerorder.web.results.gradebooks import fill_gradebook
from peerorder.web.results.mark_files import FileName, MarkFiles, files_of_draft, files_of_release
from peerorder.web.results.mark_forms import FileForm, GradebookForm
from peerorder.web.results.mark_sheets import basis_of
from peerorder.web.results.models import Release
from peerorder.web.results.views.decisions import decisions_context
from peerorder.web.results.views.exclusions import to_comparison
from peerorder.web.results.views.marks import LISTED, changes_context, no_result

SALT = "peerorder decisions"
LONGEST_PLAN = 100_000


# Downloads.


@in_assignment(INSTRUCTORS)
@require_safe
def files(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """List what can be downloaded, of a release or of the draft."""
    chosen = _requested_files(request, assignment)
    if chosen is None:
        return no_result(request, assignment)
    return render(request, "results/files.html", _context(assignment, chosen, GradebookForm()))


@in_assignment(INSTRUCTORS)
@require_safe
def download(request: MemberRequest, assignment: Assignment, file: str) -> HttpResponse:
    """Send one file; that is recorded."""
    chosen = _requested_files(request, assignment)
    if chosen is None or file not in chosen.names:
        raise Http404
    content = chosen.content(FileName(file))
    if request.method == "GET":
        result, release = chosen.result.number, chosen.release.number if chosen.release is not None else None
        record("marks file", request.user, assignment=assignment, file=file, result=result, release=release)
    # A page with styles and scripts of its own is none of ours: it is kept, and opened from where it was kept.
    return _attachment(content, file, "application/octet-stream" if file.endswith(".html") else "text/csv")


def _requested_files(request: MemberRequest, assignment: Assignment) -> MarkFiles | None:
    """Return the files of the release that the address names, or else of the draft."""
    number = request.GET.get("release", "") or request.POST.get("release", "")
    if not number:
        return files_of_draft(assignment)
    if not number.isdecimal() or len(number) > 6:
        raise Http404
    release = get_object_or_404(Release.objects.select_related("result"), assignment=assignment, number=int(number))
    files = files_of_release(assignment, release)
    if files is None:
        raise Http404
    return files


def _attachment(content: bytes, name: str, kind: str) -> HttpResponse:
    answer = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _context(assignment: Assignment, chosen: MarkFiles, form: GradebookForm, **more: Any) -> dict[str, Any]:
    releases = Release.objects.filter(assignment=assignment, marks=True, result__isnull=False).order_by("-number")
    return {
        "assignment": assignment,
        "files": chosen,
        "names": chosen.names,
        "releases": releases,
        "form": form,
        "has_marks": chosen.graded.marking is not None,
        **more,
    }


# Gradebooks.


@in_assignment(INSTRUCTORS)
@require_POST
@accepts_files
def gradebook(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Fill in the gradebook that was sent, and send it back; asked by htmx, only say what would be filled in."""
    chosen = _requested_files(request, assignment)
    if chosen is None:
        return no_result(request, assignment)
    form = GradebookForm(request.POST, request.FILES)
    book, problem = None, ""
    if form.is_valid():
        said = form.cleaned_data
        options = {"column": said["column"] or None, "review_column": said["review_column"] or None}
        options |= {"points": said["points"], "replace": said["force"]}
        try:
            book = fill_gradebook(chosen, said["file"].read(), **options)
        except Refused as error:
            problem = str(error)
    if request.htmx:
        return render(request, "results/gradebook_filled.html", {"book": book, "problem": problem, "form": form})
    if book is None:
        return render(request, "results/files.html", _context(assignment, chosen, form, problem=problem), status=422)
    record("gradebook filled", request.user, assignment=assignment, filled=book.filled, system=book.system)
    name = form.cleaned_data["file"].name or "gradebook.csv"
    stem, _dot, ending = name.rpartition(".")
    called = f"{slugify(stem)[:60] or 'gradebook'}-filled.{slugify(ending)[:5] or 'csv'}"
    return _attachment(book.data, called, "text/csv")


# Decisions from a file.


@in_assignment(INSTRUCTORS)
@require_POST
@accepts_files
def upload(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show what the decisions in a file would change, or all that is wrong with them. Nothing is decided yet."""
    basis = basis_of(assignment)
    if basis is None:
        return no_result(request, assignment)
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return render(
            request, "results/decisions.html", {**decisions_context(request, assignment), "form": form}, status=422
        )
    file = form.cleaned_data["file"]
    try:
        plan = plan_decisions(basis, read_upload(file.name or "", file.read()))
    except (TypeError, ValueError, KeyError):
        # What the process said is not to be trusted.
        return refused(request, _("No decisions were made"), _("This file cannot be read. Save it again as CSV."))
    except InputError as error:
        return refused(request, _("No decisions were made"), str(error).capitalize())
    token = signing.dumps([assignment.pk, plan.decisions], salt=SALT, compress=True)
    if len(token) > LONGEST_PLAN:
        text = _("This file is too long, because its reasons are long. Split it into several files.")
        return refused(request, _("No decisions were made"), text, status=413)
    context = {
        "assignment": assignment,
        "name": file.name,
        "plan": plan,
        "token": token,
        **changes_context(plan.changes),
        "problems": plan.problems[:LISTED],
        "form": FileForm(),
    }
    return render(request, "results/decisions_upload.html", context, status=422 if plan.problems else 200)


@in_assignment(INSTRUCTORS)
@require_http_methods(["POST"])
def apply(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Make the decisions that the page before showed, all or none."""
    back = reverse("results:decisions", args=[assignment.pk])
    try:
        where, decisions = signing.loads(request.POST.get("plan", ""), salt=SALT, max_age=24 * 3600)
    except signing.BadSignature:
        text = _("This page is too old. Upload the file again.")
        return refused(request, _("No decisions were made"), text, status=400, back=back)
    if where != assignment.pk:
        raise Http404
    try:
        result = services.decide_all(assignment, [services.NewDecision(*each) for each in decisions], request.user)
    except Refused as error:
        return refused(request, _("No decisions were made"), str(error), back=back)
    said = ngettext("%(count)d decision made.", "%(count)d decisions made.", len(decisions))
    messages.success(request, said % {"count": len(decisions)})
    return redirect(back) if result is None else to_comparison(assignment, result)
