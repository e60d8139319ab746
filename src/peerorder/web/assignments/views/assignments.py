"""Make an assignment, and change its settings."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from peerorder.web.assignments import services
from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.forms import LONGEST_TEXT, TEXTS, AssignmentForm, AttachmentForm
from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.planner import QUALITIES
from peerorder.web.courses import queries
from peerorder.web.courses.access import INSTRUCTORS, MemberRequest, in_course
from peerorder.web.courses.models import Course
from peerorder.web.errors import Refused, refused
from peerorder.web.markdown import as_html


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: MemberRequest, course: Course) -> HttpResponse:
    """Make an assignment."""
    form = AssignmentForm(request.POST or None, course=course, now=timezone.now())
    if request.method == "POST" and form.is_valid():
        assignment = services.make(course, form.cleaned_data, request.user)
        _say(
            request,
            form,
            _("“%(title)s” is saved as a draft. Students will see it once you open it.") % {"title": assignment.title},
        )
        return redirect("lifecycle:assignment", assignment.pk)
    return _form(request, course, None, form)


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Change an assignment."""
    before = Assignment.objects.get(pk=assignment.pk)
    form = AssignmentForm(request.POST or None, instance=assignment, course=assignment.course, now=timezone.now())
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        changed = [
            name for name in values if not form.fields[name].disabled and _now(before, name) != _new(values[name])
        ]
        try:
            services.change(before, values, changed, request.user)
        except Refused as reason:
            return refused(request, _("The settings were not changed"), str(reason), back=request.path)
        _say(request, form, _("Saved.") if changed else _("Nothing was changed."))
        return redirect("lifecycle:assignment", assignment.pk)
    return _form(request, assignment.course, before, form)


@in_course(INSTRUCTORS)
@require_POST
def preview(request: MemberRequest, course: Course) -> HttpResponse:
    """Show the task, the instructions or the solution as students will see it, as a part of the page."""
    text = next((request.POST[name] for name in TEXTS if name in request.POST), "")
    return render(request, "markdown_preview.html", {"preview": as_html(text[:LONGEST_TEXT])})


def _now(assignment: Assignment, name: str) -> Any:
    return set(assignment.sections.all()) if name == "sections" else getattr(assignment, name)


def _new(value: Any) -> Any:
    return set(value) if isinstance(value, QuerySet) else value


def _say(request: MemberRequest, form: AssignmentForm, what: str) -> None:
    messages.success(request, what)
    for note in form.notes:
        messages.warning(request, note)


def _form(request: MemberRequest, course: Course, assignment: Assignment | None, form: AssignmentForm) -> HttpResponse:
    context = {
        "course": course,
        "assignment": assignment,
        "form": form,
        "groups": form.groups(),
        "texts": TEXTS,
        "attachment_form": AttachmentForm(),
        "n": max(3, queries.students_of(course).count()),
        "qualities": QUALITIES,
    }
    return render(request, "assignments/form.html", context, status=422 if form.errors else 200)
