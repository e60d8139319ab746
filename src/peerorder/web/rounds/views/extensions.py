"""Extensions of deadlines."""

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.access import INSTRUCTORS, STAFF, Asked, in_assignment
from peerorder.web.errors import refused
from peerorder.web.jobs.registry import Refused
from peerorder.web.rounds import extensions as services
from peerorder.web.rounds.forms import ExtensionForm
from peerorder.web.rounds.models import Assignment, Extension
from peerorder.web.rounds.queries import students_of

SUGGESTED = 20


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def extensions(request: Asked, assignment: Assignment) -> HttpResponse:
    """All of them, and a form for a new one."""
    form = ExtensionForm(
        request.POST or None,
        assignment=assignment,
        now=timezone.now(),
        initial={"student": request.GET.get("student", "")},
    )
    if request.method == "POST" and form.is_valid() and (answer := _granted(request, assignment, form)):
        return answer
    found = Extension.objects.filter(assignment=assignment).select_related("member__person")
    context = {
        "assignment": assignment,
        "extensions": found.order_by("member__person__name", "pk"),
        "form": form,
        "suggested": students_of(assignment).select_related("person").order_by("person__name")[:SUGGESTED],
    }
    return render(request, "rounds/extensions.html", context, status=422 if form.errors else 200)


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def extension(request: Asked, assignment: Assignment, extension_id: int) -> HttpResponse:
    """Change one."""
    found = get_object_or_404(
        Extension.objects.select_related("member__person"), pk=extension_id, assignment=assignment
    )
    form = ExtensionForm(request.POST or None, instance=found, assignment=assignment, now=timezone.now())
    if request.method == "POST" and form.is_valid() and (answer := _granted(request, assignment, form)):
        return answer
    context = {"assignment": assignment, "extension": found, "form": form}
    return render(request, "rounds/extension.html", context, status=422 if form.errors else 200)


def _granted(request: Asked, assignment: Assignment, form: ExtensionForm) -> HttpResponse | None:
    member, values = form.member, form.cleaned_data
    if member is None:
        return None
    there = Extension.objects.of(assignment, member)
    if there is not None and form.instance.pk is None:
        form.add_error("student", _("This student has an extension already. Change that one, in the list."))
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
    messages.success(request, _("%(name)s has more time now.") % {"name": member})
    for note in form.notes:
        messages.info(request, note)
    return redirect("rounds:extensions", assignment.pk)


@in_assignment(INSTRUCTORS)
@require_POST
def withdraw(request: Asked, assignment: Assignment, extension_id: int) -> HttpResponse:
    """Take one back."""
    found = get_object_or_404(
        Extension.objects.select_related("assignment", "member__person"), pk=extension_id, assignment=assignment
    )
    try:
        services.withdraw(found, request.user)
    except Refused as reason:
        return refused(request, _("This extension stays"), str(reason), back=request.path.rsplit("/", 3)[0] + "/")
    messages.success(request, _("The extension of %(name)s is withdrawn.") % {"name": found.member})
    return redirect("rounds:extensions", assignment.pk)


@in_assignment(STAFF)
@require_safe
def students(request: Asked, assignment: Assignment) -> HttpResponse:
    """Students whose name, id or address holds what was typed, to choose from."""
    text = request.GET.get("student", "").replace("\0", "").strip()[:254]
    fits = Q(person__name__icontains=text) | Q(student__icontains=text) | Q(person__email__icontains=text)
    found = students_of(assignment).filter(fits).select_related("person").order_by("person__name")[:SUGGESTED]
    return render(request, "rounds/students.html", {"students": found})
