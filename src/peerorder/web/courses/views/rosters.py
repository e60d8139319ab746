"""Upload a roster, see what it would change, and apply it."""

from pathlib import Path

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.core.errors import InputError
from peerorder.files.formats.problems import FileError, Problem
from peerorder.web.audit.services import record
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.forms import ApplyForm, RosterForm
from peerorder.web.courses.models import Course, RosterUpload
from peerorder.web.courses.roster import FIELDS, Busy, Plan, Reading, reading_of
from peerorder.web.courses.services import rosters
from peerorder.web.errors import Refused, refused
from peerorder.web.people.access import accepts_files

# Enough to see whether it is right; all of it is in the file of changes.
SHOWN = 50
# A table of more columns, as a gradebook has them, is folded up.
FEW_COLUMNS = 12


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
@accepts_files
def upload(request: MemberRequest, course: Course) -> HttpResponse:
    """Store the file before anything else is done with it."""
    form = RosterForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        kept = rosters.keep_roster(course, request.user, file.name or "roster.csv", file.read())
        return redirect("courses:roster", course.pk, kept.pk)
    last = course.roster_uploads.filter(applied_at__isnull=False).order_by("-applied_at").first()
    status = 422 if request.method == "POST" else 200
    return render(request, "courses/upload.html", {"course": course, "form": form, "last": last}, status=status)


@in_course(INSTRUCTORS)
@require_safe
def roster(request: MemberRequest, course: Course, upload_id: int) -> HttpResponse:
    """Show exactly what the file would change, or everything that is wrong with it."""
    kept = get_object_or_404(RosterUpload, pk=upload_id, course=course)
    if not kept.content:
        return _redirect_to_upload(request, course)
    try:
        plan = rosters.plan_of(kept)
    except InputError as error:
        return _problems_page(request, course, kept, error)
    return render(request, "courses/roster.html", _context(course, kept, plan))


@in_course(INSTRUCTORS)
@require_POST
def columns(request: MemberRequest, course: Course, upload_id: int) -> HttpResponse:
    """Read the file again, with what somebody says its columns are."""
    kept = get_object_or_404(RosterUpload, pk=upload_id, course=course)
    _read_again(request, kept)
    return redirect("courses:roster", course.pk, kept.pk)


def _read_again(request: MemberRequest, kept: RosterUpload) -> bool:
    """Read the file with the columns that were chosen, where that makes sense; return whether it was read."""
    chosen = request.POST.getlist("field")
    known = reading_of(kept.parsed or {"rows": []}).columns
    if not kept.content or len(chosen) != len(known) or not {*chosen} <= {"", *FIELDS}:
        return False
    try:
        rosters.choose_columns(kept, chosen)
    except Busy as error:
        messages.warning(request, str(error).capitalize())
        return False
    return True


@in_course(INSTRUCTORS)
@require_POST
def apply(request: MemberRequest, course: Course, upload_id: int) -> HttpResponse:
    """Apply what the preview showed."""
    kept = get_object_or_404(RosterUpload, pk=upload_id, course=course)
    form = ApplyForm(request.POST)
    if not kept.content or not form.is_valid():
        return redirect("courses:roster", course.pk, kept.pk)
    chosen = request.POST.getlist("field")
    if chosen and chosen != [column.field for column in reading_of(kept.parsed or {"rows": []}).columns]:
        if _read_again(request, kept):
            what = _(
                "You chose other columns, so the file was read again. Nothing is imported yet: check it, then apply it."
            )
            messages.warning(request, what)
        return redirect("courses:roster", course.pk, kept.pk)
    choices = form.cleaned_data
    try:
        done = rosters.apply_roster(
            kept,
            request.user,
            choices["digest"],
            remove=choices["remove"],
            remove_with_work=choices["remove_with_work"],
        )
    except InputError:
        return redirect("courses:roster", course.pk, kept.pk)
    except rosters.PlanChanged:
        messages.warning(request, _("Nothing was imported: the course changed after this preview. Check the new one."))
        return redirect("courses:roster", course.pk, kept.pk)
    except Refused as error:
        back = reverse("courses:roster", args=[course.pk, kept.pk])
        return refused(request, _("Nothing was changed"), str(error), back=back)
    counts = {"new": done.new, "changed": done.changed, "removed": done.removed}
    summary = _("Roster applied: %(new)d added, %(changed)d changed, %(removed)d removed.") % counts
    messages.success(request, summary)
    if done.new:
        messages.info(request, _("Next, send the new people their links."))
    return redirect("courses:people", course.pk)


@in_course(INSTRUCTORS)
@require_safe
def changes(request: MemberRequest, course: Course, upload_id: int) -> HttpResponse:
    """Return all changes as a file, for large classes."""
    from peerorder.files import table_bytes
    from peerorder.files.formats.kinds import EXPORT

    kept = get_object_or_404(RosterUpload, pk=upload_id, course=course)
    if not kept.content:
        return _redirect_to_upload(request, course)
    try:
        plan = rosters.plan_of(kept)
    except InputError:
        return redirect("courses:roster", course.pk, kept.pk)
    rows = [(row.student, row.name or "", "new", "", "", "") for row in plan.new]
    for change in plan.changed:
        who = (change.member.student, change.member.person.name, "changed")
        rows += [(*who, each.what, each.old, each.new) for each in change.differences]
    for member in (*plan.missing, *plan.missing_with_work):
        worked = "handed in or ranked" if member in plan.missing_with_work else ""
        rows.append((member.student, member.person.name, "not on the roster", worked, "", ""))
    names = ("student", "name", "change", "what", "old", "new")
    columns = {name: [row[index] for row in rows] for index, name in enumerate(names)}
    data = table_bytes(Path("changes.csv"), columns, EXPORT)
    if request.method == "GET":
        record("roster changes exported", request.user, course=course, upload=kept.pk)
    return HttpResponse(
        data,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="changes.csv"'},
    )


def _context(course: Course, kept: RosterUpload, plan: Plan) -> dict[str, object]:
    lists = (plan.new, plan.changed, plan.missing, plan.missing_with_work)
    return {
        "course": course,
        "upload": kept,
        "plan": plan,
        "new": plan.new[:SHOWN],
        "changed": plan.changed[:SHOWN],
        "missing": plan.missing[:SHOWN],
        "missing_with_work": plan.missing_with_work[:SHOWN],
        "gone": len(plan.missing) + len(plan.missing_with_work),
        "shown": SHOWN,
        "cut": any(len(some) > SHOWN for some in lists),
        "digest": plan.digest,
        **(_reading(plan.reading) if plan.reading is not None else {}),
    }


def _reading(reading: Reading) -> dict[str, object]:
    # Where all columns have our own names there is little to look at.
    is_new = any(column.title.lower() != column.field for column in reading.columns)
    return {
        "reading": reading,
        "fields": FIELDS.items(),
        "problems": reading.problems[:SHOWN],
        "left_out": reading.left_out[:SHOWN],
        "rows_left_out": len({problem.row for problem in reading.problems if problem.row is not None}),
        "open_columns": not reading.rows or (is_new and len(reading.columns) <= FEW_COLUMNS),
    }


def _problems_page(request: MemberRequest, course: Course, kept: RosterUpload, error: InputError) -> HttpResponse:
    problems = error.problems if isinstance(error, FileError) else ()
    if not problems:
        problems = (Problem(Path(kept.name), None, None, str(error), _("choose another file")),)
    reading = reading_of(kept.parsed or {"rows": []})
    context = {
        "course": course,
        "upload": kept,
        **_reading(reading),
        "problems": problems[:SHOWN],
        "count": max(reading.count, len(problems)),
        "form": RosterForm(),
    }
    return render(request, "courses/roster_problems.html", context, status=422)


def _redirect_to_upload(request: MemberRequest, course: Course) -> HttpResponse:
    messages.warning(
        request, _("This file was deleted because a person in it was erased. Upload it again without that person.")
    )
    return redirect("courses:upload", course.pk)
