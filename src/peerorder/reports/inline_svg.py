"""SVG files into a page: unique ids, no styles, colours that follow the page's theme, a name for screen readers."""

import re
from collections.abc import Mapping
from html import escape, unescape

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.reports.markup import Markup, element
from peerorder.reports.table_cells import scrollable
from peerorder.studies.figure_style import COLOURS

__all__ = ["drawing", "inlined"]

_ROOT = re.compile(r"<svg\b[^>]*>")
_METADATA = re.compile(r"<metadata>.*?</metadata>\s*|<title>.*?</title>\s*", re.DOTALL)
_DESCRIPTION = re.compile(r"<dc:description>(.*?)</dc:description>", re.DOTALL)
_STYLES = re.compile(r"<defs>\s*<style.*?</style>\s*</defs>\s*", re.DOTALL)
_STYLE = re.compile(r'(?<= )style="([^"]*)"')
_ID = re.compile(r'(\bid="|href="#|url\(#)')
# The greys of figures have other names in the style sheets of pages.
_NAMES = {value: {"faint": "soft", "mist": "shade"}.get(name, name) for name, value in COLOURS.items()}
_COLOUR = re.compile(r"(?<=\")#[0-9a-f]{6}\b")


def drawing(name: str, figures: Mapping[str, str], caption: str) -> Markup | None:
    """Put the SVG of this name into a box that scrolls, with its caption; nothing where there is none."""
    if name not in figures:
        return None
    picture = scrollable(
        _("Figure, may scroll: {name}").format(name=name), inlined(figures[name], f"drawing-{name}", caption)
    )
    return element("figure", picture, element("figcaption", caption), class_="drawing")


def inlined(svg: str, prefix: str, fallback: str) -> Markup:
    """Turn an SVG file of ours into markup that can stand inside a page.

    Parameters
    ----------
    svg
        The whole file.
    prefix
        Put before every id, since matplotlib gives the parts of every figure the same ones.
    fallback
        What a screen reader says where the file has no description.
    """
    root = _ROOT.search(svg)
    view = re.search(r'viewBox="([-\d. ]+)"', root.group()) if root else None
    if root is None or view is None:
        raise InputError(
            _("the figure {figure} is not an SVG with a viewBox; draw it with peerorder.studies.figures").format(
                figure=prefix
            )
        )
    described = _DESCRIPTION.search(svg)
    label = unescape(described.group(1)) if described else fallback
    drawing = _METADATA.sub("", svg[root.end() :].rstrip())
    drawing = _ID.sub(rf"\g<1>{prefix}-", drawing)
    # Styles become attributes, which every page allows; the rule for all elements stands in charts.css.
    drawing = _STYLE.sub(_attributes, _STYLES.sub("", drawing))
    drawing = _COLOUR.sub(_themed, drawing)
    opening = (
        f'<svg id="{escape(prefix)}" role="img" aria-label="{escape(label)}" viewBox="{view.group(1)}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    )
    return Markup(opening + drawing)


def _attributes(match: re.Match[str]) -> str:
    pairs = (each.split(":", 1) for each in match.group(1).split(";") if each.strip())
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, value in pairs)


def _themed(match: re.Match[str]) -> str:
    colour = match.group()
    return f"var(--{_NAMES[colour]}, {colour})" if colour in _NAMES else colour
