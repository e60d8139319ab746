"""What the tables of our pages are made of: boxes, headings, numbers with errors, differences with marks."""

from collections.abc import Iterable, Mapping, Sequence

from peerorder.core.translation import gettext as _
from peerorder.reports.comparison import Comparison, Verdict
from peerorder.reports.labels import signed
from peerorder.reports.markup import Markup, element, joined

__all__ = [
    "UNKNOWN",
    "Numbers",
    "below",
    "block_table",
    "bullets",
    "column",
    "difference",
    "error",
    "framed",
    "missing",
    "missing_cell",
    "number",
    "numbered",
    "ours",
    "present",
    "scrollable",
    "table",
    "tally",
]

Numbers = Mapping[Comparison, str]
"""The number of the note under the table, for every comparison that has one."""

UNKNOWN = Markup("\N{EN DASH}")
"""What stands in the cell of something that is not known."""


def missing() -> Markup:
    """Return what stands in the place of a number that there is none of."""
    return element("span", _("not run"), class_="quiet")


def missing_cell() -> Markup:
    """Return the cell of such a number."""
    return element("td", missing(), class_="cell")


def scrollable(label: str, *content: str, class_: str = "wide") -> Markup:
    """Put things into a box that scrolls sideways, by keyboard too, so that the page itself never has to."""
    return element("div", *content, class_=class_, tabindex=0, role="region", aria_label=label)


def present(values: Iterable[str], order: Sequence[str]) -> list[str]:
    """List the values that occur, those with a set order first."""
    result = dict.fromkeys(values)
    return [x for x in order if x in result] + [x for x in result if x not in order]


def below(text: str) -> Markup | None:
    """Return a small line below the content of a cell; nothing where there is no text."""
    return element("span", text, class_="quiet below") if text else None


def bullets(texts: Sequence[str], class_: str | None = None, most: int | None = None) -> Markup | None:
    """A list, of more texts than ``most`` with how many more there are; nothing where there are none."""
    rest = 0 if most is None else len(texts) - most
    more = [_("and {count:,} more").format(count=rest)] if rest > 0 else []
    items = [element("li", text) for text in (*texts[:most], *more)]
    return element("ul", *items, class_=class_) if items else None


def tally(within: int, compared: int) -> Markup:
    """How many numbers are within their limits; with a sign, not by colour alone, where that is not all."""
    text = _("{count:,} of {total:,}").format(count=within, total=compared)
    if within == compared:
        return joined(text)
    return element("strong", f"\N{BLACK UP-POINTING TRIANGLE} {text}", class_="beyond")


def column(text: str, class_: str | None = None) -> Markup:
    """The heading of a column."""
    return element("th", text, scope="col", class_=class_)


def framed(
    label: str,
    title: str,
    heads: Iterable[Markup],
    *bodies: Markup,
    box: str = "wide",
    **attributes: str | None,
) -> Markup:
    """A table in a box that scrolls: its title, its rows of headings and its bodies."""
    # The span wraps at the width of the screen, where the caption is as wide as its table.
    caption = element("caption", element("span", title))
    content = element("table", caption, element("thead", *heads), *bodies, **attributes)
    return scrollable(label, content, class_=box)


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str | None]],
    *,
    numbers: Iterable[int] = (),
    class_: str | None = None,
) -> Markup:
    """A table whose first column names the row; columns in ``numbers`` stand to the right.

    A dash stands for what is not known, None; a column in which nothing is known is left out.
    """
    rows, right = list(rows), frozenset(numbers)
    known = [index for index in range(len(columns)) if not rows or any(row[index] is not None for row in rows)]
    sides = ["number" if index in right else None for index in known]
    cells = [[UNKNOWN if (cell := row[index]) is None else cell for index in known] for row in rows]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row", class_=sides[0]),
            *(element("td", cell, class_=side) for cell, side in zip(row[1:], sides[1:], strict=True)),
        )
        for row in cells
    ]
    head = element("tr", *(column(columns[index], side) for index, side in zip(known, sides, strict=True)))
    return framed(title, title, [head], element("tbody", *body), class_=class_)


def block_table(
    label: str,
    title: str,
    heads: Sequence[Markup],
    rows: Mapping[tuple[int, float], Sequence[Markup]],
    class_: str = "cells",
) -> Markup:
    """A table of cells by k and noise: a block of rows for each k, the highest noise first."""
    bodies = []
    for size in sorted({k for k, _noise in rows}):
        block = {noise: cells for (k, noise), cells in rows.items() if k == size}
        width = 1 + len(next(iter(block.values())))
        lines = [element("tr", element("th", f"k = {size}", colspan=width, scope="rowgroup", class_="block"))]
        for noise in sorted(block, reverse=True):
            level = element("th", f"{noise:g}%" if noise else _("0% (perfect)"), scope="row")
            lines.append(element("tr", level, *block[noise]))
        bodies.append(element("tbody", *lines))
    return framed(label, title, heads, *bodies, class_=class_)


def error(stderr: float | None, digits: int = 1) -> Markup | None:
    """A standard error after a number, where there is one."""
    return None if stderr is None else element("span", f" \N{PLUS-MINUS SIGN} {stderr:.{digits}f}", class_="quiet")


def ours(recovered: float | None, stderr: float | None) -> Markup:
    """A mean with its standard error, where there is one."""
    if recovered is None:
        return UNKNOWN
    return joined(f"{recovered:.2f}", element("small", f" ± {stderr:.2f}") if stderr is not None else None)


def number(*content: str | None) -> Markup:
    """A cell that holds one number."""
    return element("td", *content, class_="number")


def difference(c: Comparison, numbers: Numbers, stderr: bool = True) -> Markup:
    """Show the difference; beyond its tolerance with a sign, spoken words and a footnote, not by colour alone."""
    value = c.difference or 0.0
    error = element("small", f" ± {c.difference_stderr:.2f}") if stderr and c.difference_stderr is not None else None
    text = joined(signed(value), error)
    if c.verdict is not Verdict.BEYOND:
        return element("span", text, class_="difference")
    arrow = "\N{BLACK UP-POINTING TRIANGLE}" if value > 0 else "\N{BLACK DOWN-POINTING TRIANGLE}"
    note = numbers.get(c)
    link = (
        element("a", note, href=f"#note-{note}", id=f"mark-{note}", aria_label=_("Note {number}").format(number=note))
        if note
        else None
    )
    return element(
        "strong",
        element("span", f"{arrow} ", aria_hidden="true"),
        text,
        element("span", " ", _("beyond tolerance"), class_="sr"),
        element("sup", link) if link else None,
        class_="difference",
    )


def numbered(section: str, comparisons: Iterable[Comparison]) -> dict[Comparison, str]:
    """Give a number to a note for everything beyond its tolerance: 1.1, 1.2, ..., unique in the page."""
    beyond = [c for c in comparisons if c.verdict is Verdict.BEYOND]
    return {c: f"{section}.{index}" for index, c in enumerate(beyond, start=1)}
