"""The tabs under the title of a course or an assignment, for staff."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from peerorder.web.hooks import Hook

badges: Hook[Callable[[Any], dict[str, int]]] = Hook()
"""How much waits for staff behind the tabs of an assignment, by the name of a tab."""


@dataclass(frozen=True)
class Tab:
    """One page, or several that belong together."""

    label: Promise
    view: str
    """Its page."""
    views: tuple[str, ...] = ()
    """The others, by their names or the beginnings of these."""
    for_instructors: bool = False
    name: str = ""
    """By which badges are given."""
    stages: tuple[str, ...] = ()
    """When there is something to see; always, where there are none."""

    def holds(self, view: str) -> bool:
        """Return whether a view belongs here."""
        return view == self.view or view.startswith(self.views)


BEGUN = ("handing-in", "ranking", "review", "released")
COURSE = (
    Tab(pgettext_lazy("tab", "Overview"), "home:course"),
    Tab(pgettext_lazy("tab", "People"), "courses:people", ("courses:", "home:member", "home:erase", "people:")),
    Tab(pgettext_lazy("tab", "Staff"), "courses:staff", ("courses:invite",)),
    Tab(pgettext_lazy("tab", "E-mails"), "courses:mails", ("courses:mails",)),
    Tab(pgettext_lazy("tab", "Audit log"), "courses:audit-log", for_instructors=True),
    Tab(
        pgettext_lazy("tab", "Settings"),
        "courses:settings",
        ("courses:archive", "courses:bring_back", "home:delete"),
        for_instructors=True,
    ),
)
ASSIGNMENT = (
    Tab(pgettext_lazy("tab", "Overview"), "lifecycle:assignment", ("lifecycle:", "ranking:preview")),
    Tab(pgettext_lazy("tab", "Progress"), "monitor:monitor", ("monitor:",), stages=BEGUN),
    Tab(pgettext_lazy("tab", "Papers"), "papers:papers", ("papers:", "ranking:paper")),
    Tab(
        pgettext_lazy("tab", "Problems"),
        "ranking:problems",
        ("ranking:problems", "ranking:answer"),
        name="problems",
        stages=BEGUN,
    ),
    Tab(
        pgettext_lazy("tab", "Extensions"),
        "assignments:extensions",
        ("assignments:extension",),
        for_instructors=True,
    ),
    Tab(pgettext_lazy("tab", "Results"), "results:results", ("results:",), stages=BEGUN[1:]),
    Tab(
        pgettext_lazy("tab", "Settings"),
        "assignments:edit",
        ("lifecycle:export", "lifecycle:delete"),
        for_instructors=True,
    ),
)


def course_tabs(course: Any, *, instructs: bool, view: str) -> list[dict[str, Any]]:
    """Return the tabs of a course."""
    return _render_tabs([tab for tab in COURSE if instructs or not tab.for_instructors], course.pk, view, {})


def assignment_tabs(assignment: Any, *, instructs: bool, view: str) -> list[dict[str, Any]]:
    """Return the tabs of an assignment."""
    tabs = [
        tab
        for tab in ASSIGNMENT
        if (instructs or not tab.for_instructors) and (not tab.stages or assignment.stage in tab.stages)
    ]
    waiting = {name: count for badge in badges for name, count in badge(assignment).items()}
    return _render_tabs(tabs, assignment.pk, view, waiting)


def _render_tabs(tabs: list[Tab], number: int, view: str, waiting: dict[str, int]) -> list[dict[str, Any]]:
    # The last that holds it: later tabs are more special than earlier ones.
    current = next((tab for tab in reversed(tabs) if tab.holds(view)), None)
    return [
        {
            "label": tab.label,
            "address": reverse(tab.view, args=[number]),
            "current": "page" if tab.view == view else "true" if tab is current else "",
            "badge": waiting.get(tab.name, 0),
        }
        for tab in tabs
    ]
