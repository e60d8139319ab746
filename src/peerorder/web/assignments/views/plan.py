"""How many papers each student should rank."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from peerorder.core.errors import InputError
from peerorder.web.assignments.planner import QUALITIES, advise
from peerorder.web.courses import queries
from peerorder.web.courses.access import STAFF, MemberRequest, in_course
from peerorder.web.courses.models import Course


class PlanForm(forms.Form):
    """About the class."""

    n = forms.IntegerField(label=_("Students with a paper"), min_value=3, max_value=1_000_000)
    dropout = forms.FloatField(
        label=_("Percentage who will not rank"), min_value=0, max_value=95, required=False, initial=20
    )
    graders = forms.ChoiceField(label=_("Graders are"), choices=QUALITIES, required=False, initial="average")
    minutes = forms.FloatField(
        label=_("Minutes to read a paper"), min_value=0.1, max_value=1000, required=False, initial=15
    )
    k = forms.IntegerField(
        label=_("Papers to rank per student"), min_value=2, max_value=50, required=False, help_text=_("To be marked.")
    )


@in_course(STAFF)
@require_safe
def plan(request: MemberRequest, course: Course) -> HttpResponse:
    """Show the table: on a page of its own, or in the part of the form that asks for it."""
    given = {"n": str(max(3, queries.students_of(course).count())), "dropout": "20", "graders": "average"}
    given |= {"minutes": "15", **{name: str(value) for name, value in request.GET.items() if value}}
    # The field of the form around has another name.
    given.setdefault("k", given.get("papers_each", ""))
    form = PlanForm(given)
    context: dict[str, Any] = {"course": course, "form": form, "plan": None, "problem": ""}
    if form.is_valid():
        values = form.cleaned_data
        try:
            context["plan"] = advise(
                values["n"],
                values["k"],
                20.0 if values["dropout"] is None else values["dropout"],
                values["graders"] or "average",
                values["minutes"] or 15.0,
            )
        except InputError as error:
            context["problem"] = str(error)
    fragment = bool(getattr(request, "htmx", False))
    # In the form of an assignment the number can be taken over.
    context["fills"] = fragment and "fills" in request.GET
    return render(request, "assignments/plan_table.html" if fragment else "assignments/plan.html", context)
