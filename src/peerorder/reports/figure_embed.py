"""A figure of ours inside a page: the drawing in a box that scrolls, and its caption."""

from collections.abc import Mapping

from peerorder.reports.inline_svg import inlined
from peerorder.reports.markup import Markup, element
from peerorder.reports.table_cells import scrollable

__all__ = ["drawing"]


def drawing(name: str, figures: Mapping[str, str], caption: str) -> Markup | None:
    """Put the SVG of this name into a page; nothing where there is none."""
    if name not in figures:
        return None
    picture = scrollable(f"Figure, may scroll: {name}", inlined(figures[name], f"drawing-{name}", caption))
    return element("figure", picture, element("figcaption", caption), class_="drawing")
