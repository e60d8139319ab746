"""HTML from nested calls: whatever is not markup already is escaped, so that forgetting it is not possible."""

from html import escape
from typing import Final

__all__ = ["Markup", "element", "joined"]

_VOID: Final = frozenset({"br", "hr", "meta"})

Attribute = str | int | None


class Markup(str):
    """Text that is HTML already and goes into the page as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Tell templates, of Django for one, that there is nothing to escape."""
        return self


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
