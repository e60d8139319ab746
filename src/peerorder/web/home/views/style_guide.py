"""The design system of the pages, every part of it."""

from typing import Any

from django import forms
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy as _, ngettext
from django.views.decorators.http import require_safe

from peerorder.web.assignments.models import Stage
from peerorder.web.people.access import PersonRequest, logged_in
from peerorder.web.tables import Column, Filter, Listing

ICONS = (
    *("academic-cap", "arrow-down-tray", "arrow-up-tray", "chart-bar", "check", "check-circle", "clock"),
    *("document-text", "envelope", "exclamation-triangle", "eye", "link", "list-bullet", "magnifying-glass"),
    *("pencil", "photo", "plus", "trash", "user-circle", "users"),
)


STUDENTS: list[dict[str, Any]] = [
    {"name": name, "section": section, "papers": papers}
    for name, section, papers in (
        ("Dahl, Ingrid", "1", 0),
        ("Nair, Priya", "1", 3),
        ("Okafor, Amara", "2", 5),
        ("Santos, Rafael", "2", 1),
    )
]


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
    context = {
        "icons": ICONS,
        "stages": list(Stage),
        "form": Example(),
        "refused": refused,
        "listing": _listing(request),
    }
    return render(request, "home/style_guide.html", context)


def _listing(request: PersonRequest) -> Listing:
    columns = [
        Column("name", gettext("Name"), ("name",)),
        Column("section", gettext("Section"), ("section",)),
        Column("papers", gettext("Papers ranked"), ("papers",), is_number=True),
    ]
    sections = Filter("section", gettext("Section"), [(each, each) for each in ("1", "2")], gettext("All sections"))
    listing = Listing.read(request.GET, columns, "name", [sections])
    words, section = listing.words.lower(), listing.value("section")
    rows = [row for row in STUDENTS if words in row["name"].lower() and section in ("", row["section"])]
    rows.sort(key=lambda row: row[listing.sort.removeprefix("-")], reverse=listing.is_descending)
    listing.show(rows, request.GET.get("page"), _count, size=3)
    return listing


def _count(students: int) -> str:
    return ngettext("%(count)d student", "%(count)d students", students) % {"count": students}
