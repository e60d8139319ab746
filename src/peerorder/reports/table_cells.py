"""What the tables of our pages are made of: boxes, headings, numbers with errors, differences with marks."""

from collections.abc import Iterable, Mapping, Sequence

from peerorder.reports.comparison import Comparison, Verdict
from peerorder.reports.labels import signed
from peerorder.reports.markup import Markup, element, joined

__all__ = [
    "MISSING",
    "MISSING_CELL",
    "Numbers",
    "below",
    "block",
    "caption",
    "column",
    "difference",
    "level",
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

MISSING = element("span", "not run", class_="quiet")
"""What stands in the cell of a number that there is none of."""

MISSING_CELL = element("td", MISSING, class_="cell")


def scrollable(label: str, *content: str) -> Markup:
    """Put things into a box that scrolls sideways, by keyboard too, so that the page itself never has to."""
    return element("div", *content, class_="wide", tabindex=0, role="region", aria_label=label)


def present(values: Iterable[str], order: Sequence[str]) -> list[str]:
    """List the values that occur, those with a set order first."""
    found = dict.fromkeys(values)
    return [x for x in order if x in found] + [x for x in found if x not in order]


def caption(text: str) -> Markup:
    """A line above a table."""
    # The span wraps at the width of the screen, where the caption is as wide as its table.
    return element("caption", element("span", text))


def below(text: str) -> Markup | None:
    """A small line under what stands in a cell; nothing where there is no text."""
    return element("span", text, class_="quiet below") if text else None


def tally(within: int, compared: int) -> Markup:
    """How many numbers are within their limits; with a sign, not by colour alone, where that is not all."""
    text = f"{within} of {compared}"
    if within == compared:
        return joined(text)
    return element("strong", f"\N{BLACK UP-POINTING TRIANGLE} {text}", class_="beyond")


def block(k: int, width: int) -> Markup:
    """A row above those of one bundle size."""
    return element("tr", element("th", f"k = {k}", colspan=width, scope="rowgroup", class_="block"))


def level(noise: float) -> Markup:
    """The heading of a row for one level of noise."""
    return element("th", f"{noise:g}%" if noise else "0% (perfect)", scope="row")


def column(text: str, class_: str | None = None) -> Markup:
    """The heading of a column."""
    return element("th", text, scope="col", class_=class_)


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Iterable[int] = (),
    class_: str | None = None,
) -> Markup:
    """A table whose first column names the row; columns in ``numbers`` stand to the right."""
    right = frozenset(numbers)
    kinds = ["number" if index in right else None for index in range(len(columns))]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row", class_=kinds[0]),
            *(element("td", cell, class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True)),
        )
        for row in rows
    ]
    head = element("tr", *map(column, columns, kinds))
    return scrollable(
        title, element("table", caption(title), element("thead", head), element("tbody", *body), class_=class_)
    )


def ours(recovered: float | None, stderr: float | None) -> Markup:
    """A mean with its standard error, where there is one."""
    if recovered is None:
        return joined("\N{EN DASH}")
    return joined(f"{recovered:.2f}", element("small", f" ± {stderr:.2f}") if stderr is not None else None)


def number(content: Markup) -> Markup:
    """A cell that holds one number."""
    return element("td", content, class_="number")


def difference(c: Comparison, numbers: Numbers, stderr: bool = True) -> Markup:
    """Show the difference; beyond its tolerance with a sign, spoken words and a footnote, not by colour alone."""
    value = c.difference or 0.0
    error = element("small", f" ± {c.difference_stderr:.2f}") if stderr and c.difference_stderr is not None else None
    text = joined(signed(value), error)
    if c.verdict is not Verdict.BEYOND:
        return element("span", text, class_="difference")
    arrow = "\N{BLACK UP-POINTING TRIANGLE}" if value > 0 else "\N{BLACK DOWN-POINTING TRIANGLE}"
    note = numbers.get(c)
    link = element("a", note, href=f"#note-{note}", id=f"mark-{note}", aria_label=f"Note {note}") if note else None
    return element(
        "strong",
        element("span", f"{arrow} ", aria_hidden="true"),
        text,
        element("span", " beyond tolerance", class_="sr"),
        element("sup", link) if link else None,
        class_="difference",
    )


def numbered(section: str, comparisons: Iterable[Comparison]) -> dict[Comparison, str]:
    """Give a number to a note for everything beyond its tolerance: 1.1, 1.2, ..., unique in the page."""
    beyond = [c for c in comparisons if c.verdict is Verdict.BEYOND]
    return {c: f"{section}.{at}" for at, c in enumerate(beyond, start=1)}
