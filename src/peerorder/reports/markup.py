"""HTML from nested calls: whatever is not markup already is escaped, so that forgetting it is not possible."""

from collections.abc import Iterable
from html import escape
from typing import Final

__all__ = ["Markup", "document", "element", "joined", "sectioned"]

_VOID: Final = frozenset({"br", "hr", "meta"})

Attribute = str | int | None


class Markup(str):
    """Text that is HTML already and goes into the page as it is."""

    __slots__ = ()


def joined(*parts: str | None) -> Markup:
    """Put the parts one after the other; plain text is escaped, None is nothing."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts if part is not None))


def element(name: str, /, *children: str | None, **attributes: Attribute) -> Markup:
    """Build an element; ``class_`` is the attribute class, ``aria_label`` aria-label, and None leaves one out."""
    words = [name]
    words += [
        f'{key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    ]
    opening = f"<{' '.join(words)}>"
    return Markup(opening) if name in _VOID else Markup(f"{opening}{joined(*children)}</{name}>")


def document(title: str, css: str, *body: str | None) -> str:
    """Build a whole page that needs nothing else: no network, no script."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", Markup(css)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, element('body', *body), lang='en')}\n"


def sectioned(sections: Iterable[tuple[str, str, str | None]]) -> tuple[Markup, Markup]:
    """Build the contents and the main part of a page from anchors, titles and bodies; None leaves a section out."""
    shown = [(anchor, title, body) for anchor, title, body in sections if body is not None]
    links = [element("li", element("a", title, href=f"#{anchor}")) for anchor, title, _ in shown]
    parts = [
        element(
            "section",
            element("h2", title, id=f"{anchor}-title"),
            body,
            id=anchor,
            aria_labelledby=f"{anchor}-title",
        )
        for anchor, title, body in shown
    ]
    return element("nav", element("ul", *links), aria_label="Contents"), element("main", *parts)
