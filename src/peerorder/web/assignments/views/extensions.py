"""Extensions of deadlines."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.assignments import extensions as services
from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.forms import ExtensionForm
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import students_of
from peerorder.web.courses.access import INSTRUCTORS, STAFF, MemberRequest
from peerorder.web.courses.models import Member
from peerorder.web.courses.search import by_surname, find_members, section_filters
from peerorder.web.errors import Refused, refused
from peerorder.web.tables import Column, Listing

SUGGESTED = 20
UNDO = "extension withdrawn"
"""Where the session keeps what was withdrawn last."""


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def extensions(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show all extensions, and a form for a new one."""
    initial = {"student": request.GET.get("student", "")}
    if request.method != "POST" and (undo := _pop_withdrawn(request, assignment)) is not None:
        initial = undo
    form = ExtensionForm(request.POST or None, assignment=assignment, now=timezone.now(), initial=initial)
    if request.method == "POST" and form.is_valid() and (answer := _grant(request, assignment, form)):
        return answer
    context = {
        "assignment": assignment,
        "ends": _common_ends(assignment),
        "listing": _listing(request, assignment),
        "form": form,
    }
    return render(request, "assignments/extensions.html", context, status=422 if form.errors else 200)


def _listing(request: MemberRequest, assignment: Assignment) -> Listing:
    """Return a page of the extensions, narrowed and sorted as the address says."""
    names = by_surname("member__")
    columns = [
        Column("name", _("Student"), names),
        Column("hand-in", _("Hand in by"), ("hand_in_by", *names)),
        Column("rank", _("Rank by"), ("rank_by", *names)),
        Column("reason", _("Reason")),
    ]
    listing = Listing.read(request.GET, columns, "name", section_filters(assignment.course))
    rows = Extension.objects.filter(assignment=assignment).select_related("assignment", "member__person")
    if listing.words:
        members = Member.objects.filter(extensions__assignment=assignment)
        rows = rows.filter(member__in=find_members(members, listing.words))
    if section := listing.value("section"):
        rows = rows.filter(member__section=int(section))
    listing.show(listing.sort_rows(rows), request.GET.get("page"), _count_extensions)
    return listing


def _count_extensions(count: int) -> str:
    return ngettext("%(count)d extension", "%(count)d extensions", count) % {"count": count}


def _common_ends(assignment: Assignment) -> list[tuple[str, datetime | None, datetime | None]]:
    """Return what holds for all: its name, until when it is, and the deadline where staff went on before it."""
    rows = (
        (Stage.HANDING_IN, assignment.hand_in_by, _("Hand-in deadline"), _("Handing in ended")),
        (Stage.RANKING, assignment.rank_by, _("Ranking deadline"), _("Ranking ended")),
    )
    ends = []
    for stage, deadline, ahead, over in rows:
        end = assignment.end_of(stage)
        past = Stage(assignment.stage).number > stage.number
        ends.append((over if past else ahead, end, deadline if deadline != end else None))
    return ends


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def extension(request: MemberRequest, assignment: Assignment, extension_id: int) -> HttpResponse:
    """Change one."""
    current = get_object_or_404(
        Extension.objects.select_related("member__person"), pk=extension_id, assignment=assignment
    )
    form = ExtensionForm(request.POST or None, instance=current, assignment=assignment, now=timezone.now())
    if request.method == "POST" and form.is_valid() and (answer := _grant(request, assignment, form)):
        return answer
    context = {"assignment": assignment, "extension": current, "form": form}
    return render(request, "assignments/extension.html", context, status=422 if form.errors else 200)


def _grant(request: MemberRequest, assignment: Assignment, form: ExtensionForm) -> HttpResponse | None:
    member, values = form.member, form.cleaned_data
    if member is None:
        return None
    existing = Extension.objects.of(assignment, member)
    if existing is not None and form.instance.pk is None:
        form.add_error("student", _("This student already has an extension. Change that one, in the list."))
        return None
    try:
        services.grant(
            assignment,
            member,
            values["hand_in_by"],
            values["rank_by"],
            values["note"],
            request.user,
            timezone.now(),
            tell=values["tell"],
        )
    except Refused as reason:
        form.add_error(None, str(reason))
        return None
    messages.success(request, _("%(name)s now has an extension.") % {"name": member})
    for note in form.notes:
        messages.info(request, note)
    return redirect("assignments:extensions", assignment.pk)


@in_assignment(INSTRUCTORS)
@require_POST
def withdraw(request: MemberRequest, assignment: Assignment, extension_id: int) -> HttpResponse:
    """Take one back."""
    extension = get_object_or_404(
        Extension.objects.select_related("assignment", "member__person"), pk=extension_id, assignment=assignment
    )
    try:
        services.withdraw(extension, request.user)
    except Refused as reason:
        return refused(
            request, _("The extension was not withdrawn"), str(reason), back=request.path.rsplit("/", 3)[0] + "/"
        )
    messages.success(
        request,
        _("The extension of %(name)s is withdrawn. If that was a mistake, the form below gives it again.")
        % {"name": extension.member},
    )
    times = {name: _iso(getattr(extension, name)) for name in ("hand_in_by", "rank_by")}
    student = extension.member.student or extension.member.person.email
    request.session[UNDO] = {"assignment": assignment.pk, "student": student, "note": extension.note, **times}
    return redirect("assignments:extensions", assignment.pk)


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None


def _pop_withdrawn(request: MemberRequest, assignment: Assignment) -> dict[str, Any] | None:
    """Return what was withdrawn a moment ago, for the form; once."""
    kept = request.session.get(UNDO)
    if not kept or kept["assignment"] != assignment.pk:
        return None
    del request.session[UNDO]
    times = {name: datetime.fromisoformat(kept[name]) for name in ("hand_in_by", "rank_by") if kept[name]}
    return {"student": kept["student"], "note": kept["note"], **times}


@in_assignment(STAFF)
@require_safe
def students(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show students whose name, id or address holds what was typed, to choose from."""
    everybody = students_of(assignment).select_related("person").order_by(*by_surname())
    matches = everybody.filter(pk__in=find_members(everybody, request.GET.get("student", "")[:254], SUGGESTED))
    return render(request, "assignments/students.html", {"students": matches})
