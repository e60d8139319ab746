"""The design system of the pages, every part of it."""

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from peerorder.web.assignments.models import Stage
from peerorder.web.people.access import PersonRequest, logged_in

ICONS = (
    *("academic-cap", "arrow-down-tray", "arrow-up-tray", "chart-bar", "check", "check-circle", "clock"),
    *("document-text", "envelope", "exclamation-triangle", "eye", "link", "list-bullet", "magnifying-glass"),
    *("pencil", "photo", "plus", "trash", "user-circle", "users"),
)


class Example(forms.Form):
    """Fields of all kinds."""

    title = forms.CharField(label=_("Title"), help_text=_("What students see first."))
    text = forms.CharField(label=_("Text"), widget=forms.Textarea, required=False)
    number = forms.IntegerField(label=_("Number"), min_value=2, initial=5)
    due = forms.DateTimeField(
        label=_("Due"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"}), required=False
    )
    section = forms.ChoiceField(label=_("Section"), choices=[("", _("All")), ("a", _("Monday")), ("b", _("Thursday"))])
    ways = forms.MultipleChoiceField(
        label=_("Formats"), choices=[("t", _("Text")), ("p", "PDF")], widget=forms.CheckboxSelectMultiple
    )
    file = forms.FileField(label=_("File"))


@logged_in
@require_safe
def style_guide(request: PersonRequest) -> HttpResponse:
    """Show every component of the design system."""
    refused = Example({"title": "", "number": "1", "section": "x"}, prefix="refused")
    context = {"icons": ICONS, "stages": list(Stage), "form": Example(), "refused": refused}
    return render(request, "home/style_guide.html", context)
