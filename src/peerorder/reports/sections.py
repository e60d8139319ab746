"""Sections: what our reports are made of, as HTML that can stand in any page.

A section has no styles or scripts of its own, neither elements nor attributes. A page that shows sections brings
``base.css``, ``charts.css``, ``report.css`` and ``report.js`` (in ``static/peerorder``): a page of the web app links
them, a page in a file (``peerorder.reports.standalone``) contains them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from peerorder.core.translation import gettext as _
from peerorder.reports.markup import Markup, element, joined

__all__ = ["Section", "arrange", "facts", "key_facts"]


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    id: str
    title: str
    html: Markup


def arrange(sections: Sequence[Section]) -> Markup:
    """Put the sections below each other: a summary, whose title is only read aloud, links to the others, and these."""
    summary, *others = sections
    links = [element("li", element("a", section.title, href=f"#{section.id}")) for section in others]
    contents = element("nav", element("ul", *links), aria_label=_("Contents"))
    return element("div", _shown(summary, "sr"), contents, *map(_shown, others), class_="sections")


def _shown(section: Section, class_: str | None = None) -> Markup:
    title = f"{section.id}-title"
    heading = element("h2", section.title, id=title, class_=class_)
    return element("section", heading, section.html, id=section.id, aria_labelledby=title)


def key_facts(values: Mapping[str, str]) -> Markup:
    """What to know first, in large type."""
    cards = [element("div", element("dt", name), element("dd", value)) for name, value in values.items()]
    return element("dl", *cards, class_="key-facts")


def facts(values: Mapping[str, str]) -> Markup:
    """A list of names and values."""
    items = [joined(element("dt", name), element("dd", value)) for name, value in values.items()]
    return element("dl", *items, class_="facts")
