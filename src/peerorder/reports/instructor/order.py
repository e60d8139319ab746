"""The order on the page: a figure of all places with their intervals, and a table to search and sort."""

from collections.abc import Collection
from pathlib import Path

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.translation import gettext as _, message, pgettext, translate
from peerorder.reports.charts import band, chart, dots, line, place_axis, strip, whiskers
from peerorder.reports.instructor.explanation_section import anchor
from peerorder.reports.instructor.text import from_to
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import below, column, framed, number
from peerorder.rounds.grading import GradedRound, Marking
from peerorder.rounds.marking import NO_MARK, as_mark
from peerorder.rounds.round import Round

__all__ = ["columns", "figure", "lead", "row", "section", "side", "widths"]

# More papers than this are drawn as a band, and more than that are not all listed.
DOTS = 300
LISTED, TOP, BOTTOM = 1000, 400, 100
STEPS = 120
# Longer tables scroll in a box of their own, so that what is below them is not far away.
TALL = 30
WHERE = message("Likely places")


def widths(graded: GradedRound) -> IntArray | None:
    """Return how many places every paper's interval spans; None where the rule has none."""
    ends = graded.outcome.result.intervals
    return None if ends is None else ends[:, 1] - ends[:, 0] + 1


def section(graded: GradedRound, marking: Marking | None, explained: Collection[int], kept: Path | None) -> Markup:
    """Return the figure where there are intervals, then the table; ``kept`` is the file with every row, if any."""
    return joined(lead(graded), figure(graded), _table(graded, marking, explained, kept))


def lead(graded: GradedRound) -> Markup:
    """Explain intervals, or say that the rule has none."""
    if graded.outcome.result.intervals is None:
        return element(
            "p",
            _(
                "The rule {rule} gives an order without saying how certain it is; the rule posterior does. "
                "Without intervals, do not read much into a difference of a few places."
            ).format(rule=graded.outcome.rule),
        )
    return element(
        "p",
        _(
            "The 90% interval of a paper contains its true place nine times out of ten; the true order is the one "
            "that all "
            "graders together would agree on, given unlimited rankings. If the intervals of two papers overlap widely, "
            "either may be the better one, so do not give them very different marks."
        ),
    )


def figure(graded: GradedRound) -> Markup | None:
    """Draw all places with their intervals; None where the rule has none."""
    ends = graded.outcome.result.intervals
    n = graded.round.profile.n_papers
    if ends is None or n < 2:
        return None
    across, up = place_axis(n, _("place in the order")), place_axis(n, _("90% interval of the true place")).flipped()
    low, high = ends[graded.outcome.order].T
    places = np.arange(1, n + 1)
    if n <= DOTS:
        intervals = list(zip(places.tolist(), low.tolist(), high.tolist(), strict=True))
        marks = [whiskers(intervals, across, up), dots([(place, place) for place in range(1, n + 1)], across, up)]
        caption = _("Every dot is a paper, the best on the left; its line is the 90% interval of its place.")
    else:
        parts = np.array_split(np.arange(n), min(STEPS, n))
        middle = [float(places[part].mean()) for part in parts]
        wide = [(x, *_quantile(low, high, part, 0.1)) for x, part in zip(middle, parts, strict=True)]
        usual = [(x, *_quantile(low, high, part, 0.5)) for x, part in zip(middle, parts, strict=True)]
        marks = [
            band(wide, across, up, "band pale"),
            band(usual, across, up),
            line([(1, 1), (n, n)], across, up),
        ]
        caption = _(
            "The line is the order, the best on the left. The dark band is the typical 90% interval of the papers "
            "there; for one paper in ten the interval extends beyond the light band."
        )
    span = np.median(high - low + 1)
    text = _("Chart of {count:,} places with their 90% intervals, which span {width:,.0f} places in the median.")
    return chart(text.format(count=n, width=span), across, up, *marks, caption=caption)


def _quantile(low: IntArray, high: IntArray, part: IntArray, tail: float) -> tuple[float, float]:
    return float(np.quantile(low[part], tail)), float(np.quantile(high[part], 1 - tail))


def _table(graded: GradedRound, marking: Marking | None, explained: Collection[int], kept: Path | None) -> Markup:
    outcome, n = graded.outcome, graded.round.profile.n_papers
    shown = outcome.order if n <= LISTED else np.concatenate([outcome.order[:TOP], outcome.order[-BOTTOM:]])
    if n <= LISTED:
        text = _("All {count:,} papers in order.")
    elif kept:
        text = _("The first {top} and the last {bottom} of {count:,} papers; all are in {file}.")
    else:
        text = _("The first {top} and the last {bottom} of {count:,} papers.")
    text = text.format(top=TOP, bottom=BOTTOM, count=n, file=kept)
    titles = columns(graded, marking)
    head = element("tr", *(column(translate(name), side(name)) for name in titles))
    rows, authors = [], _authors(graded.round)
    for index, paper in enumerate(shown.tolist()):
        if index == TOP and n > LISTED:
            rows.append(element("tr", element("td", "\N{HORIZONTAL ELLIPSIS}", colspan=len(titles)), class_="gap"))
        href = f"#{anchor(paper)}" if paper in explained else None
        rows.append(row(graded, marking, paper, authors.get(paper, ""), href))
    tall = len(shown) > TALL
    box, label = "wide tall" if tall else "wide", _("The order of all papers")
    return joined(
        framed(
            label,
            text,
            [head],
            element("tbody", *rows),
            box=box,
            class_="order",
            id="order-table",
            # What report.js writes.
            data_find=_("Find a paper"),
            data_shown=_("Papers shown: {count}"),
        ),
        element("p", _scroll(len(shown)), class_="quiet hint") if tall else None,
    )


def _scroll(rows: int) -> str:
    return _("Scroll inside the table to see all {count:,} rows.").format(count=rows)


def columns(graded: GradedRound, marking: Marking | None) -> list[str]:
    """Return the columns of the table, as ``row`` fills them; translate them where they are shown."""
    middle = [message("Mark")] if marking is not None else []
    where = message("Score") if graded.outcome.result.intervals is None else WHERE
    return [message("Place"), message("Paper"), *middle, where, message("Rankings")]


def side(name: str) -> str | None:
    """Return the class of a column: numbers are aligned to the right."""
    return None if name in ("Paper", WHERE) else "number"


def _authors(read: Round) -> dict[int, str]:
    """Return the names of the authors of every paper, where the roster has them."""
    names: dict[int, list[str]] = {}
    if read.people is not None:
        for paper, name in zip(read.profile.authored.tolist(), read.people.names, strict=True):
            if paper >= 0 and name:
                names.setdefault(paper, []).append(name)
    return {paper: ", ".join(several) for paper, several in names.items()}


def row(graded: GradedRound, marking: Marking | None, paper: int, authors: str, href: str | None) -> Markup:
    """Return the row of a paper, by its number: its name links to ``href``, with its authors below."""
    outcome, read = graded.outcome, graded.round
    name = read.papers[paper]
    ends = outcome.result.intervals
    place = int(graded.places[paper])
    cells = [
        number(graded.place_label(paper)),
        element(
            "th",
            element("a", name, href=href) if href else name,
            below(authors),
            scope="row",
        ),
    ]
    if marking is not None:
        cells.append(_mark_cell(marking, paper))
    if ends is None:
        cells.append(number(f"{outcome.scores[paper]:.3f}"))
    else:
        low, high = ends[paper].tolist()
        n = read.profile.n_papers
        cells.append(
            element("td", from_to(low, high), strip((low - 1) / n, high / n, (place - 0.5) / n), class_="likely")
        )
    cells.append(number(f"{read.profile.rankings[paper]:,}"))
    return element("tr", *cells)


def _mark_cell(marking: Marking, paper: int) -> Markup:
    span = None
    if marking.low is not None and marking.high is not None:
        low, high = as_mark(marking.low[paper]), as_mark(marking.high[paper])
        if NO_MARK not in (low, high):
            span = element("small", " ", pgettext("marks", "{low} to {high}").format(low=low, high=high))
    return number(as_mark(marking.marks[paper]), span)
