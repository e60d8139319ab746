"""The page's section on calibration: are error bars honest, and are graders seen for what they are."""

from collections.abc import Mapping, Sequence
from typing import Any

from peerorder.reports.claims import Case, Check
from peerorder.reports.inline_svg import drawing
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import error, table
from peerorder.reports.tables import check_table
from peerorder.studies.calibration import GOOD
from peerorder.studies.calibration_figures import WANTED, reliability_error

__all__ = ["promises_of_calibration", "section"]

Rows = Sequence[Mapping[str, Any]]

# Intervals of a few whole places cannot hold the truth in exactly nine cases of ten: they may do so more often.
FEW_PLACES = 10.0
MOST_OF_FEW = 98.0
# Percent of the reversed graders to be flagged, from this bundle size on; percent of the good ones at most.
SEEN_THROUGH = 80.0
ENOUGH_PAPERS = 8
WRONGED = 1.0
DOUBTED = "condorcet 50"

_COVERAGE = (
    "How often the 90% intervals of posterior hold the true place. Bars show two standard errors either way; the "
    "shaded range is from 85% to 95%."
)
_RELIABILITY = (
    "Graders in bins of the reliability that posterior states; up the mean of their true one, the chance that they "
    "put two random papers in the right order. The larger a mark, the more graders; on the dashed line both are equal."
)


def section(rows: Rows, figures: Mapping[str, str], reliabilities: Rows) -> Markup:
    """What was found, the promises, both figures and the numbers behind them."""
    return joined(
        element("p", _seen(rows, reliabilities)),
        check_table(promises_of_calibration(rows), "Promises of calibration", notes=True),
        drawing("calibration", figures, _COVERAGE),
        drawing("reliability", figures, _RELIABILITY),
        element("details", element("summary", "The numbers behind the figures"), _table(rows)),
    )


def promises_of_calibration(rows: Rows) -> list[Check[Case]]:
    """Intervals that hold what they promise, reversed graders seen through, and good ones left in peace."""
    inside = [Case(_where(row), row["inside"], WANTED[0], _most(row)) for row in rows]
    backwards = [
        Case(_where(row), row["flagged_reversed"], low=SEEN_THROUGH)
        for row in rows
        if row["flagged_reversed"] is not None and row["k"] >= ENOUGH_PAPERS
    ]
    wronged = [
        Case(_where(row), row["flagged_good"], high=WRONGED)
        for row in rows
        if row["flagged_good"] is not None and row["scenario"].startswith(DOUBTED)
    ]
    result = [
        Check(
            "90% intervals hold the true place",
            f"{WANTED[0]:g} to {WANTED[1]:g}% of the time; up to {MOST_OF_FEW:g}% where they are "
            f"at most {FEW_PLACES:g} places wide on average",
            tuple(inside),
        ),
        Check(
            "Reversed graders are flagged as such",
            f"at least {SEEN_THROUGH:g}%, with {ENOUGH_PAPERS} papers each or more",
            tuple(backwards),
        ),
        Check(
            f"Graders of reliability {GOOD:g} or more are not flagged",
            f"at most {WRONGED:g}%, where qualities go down to 1/2",
            tuple(wronged),
        ),
    ]
    return [each for each in result if each.cases]


def _most(row: Mapping[str, Any]) -> float:
    return MOST_OF_FEW if row["width"] <= FEW_PLACES else WANTED[1]


def _where(row: Mapping[str, Any]) -> str:
    return f"{row['scenario']}, n = {row['n']}, k = {row['k']}"


def _seen(rows: Rows, reliabilities: Rows) -> str:
    """In words what the figures show."""
    least, most = (choose(rows, key=lambda row: row["inside"]) for choose in (min, max))
    text = (
        "Classes whose graders are among the kinds that posterior reckons with, random bundles. Its 90% intervals hold "
        f"the true place in {least['inside']:.1f}% of the cases ({_where(least)}) to {most['inside']:.1f}% "
        f"({_where(most)})."
    )
    if reliabilities:
        text += (
            f" The reliability that it states for graders is on average {reliability_error(reliabilities):.1f} points "
            "from the true one of those for whom it states about the same."
        )
    return text


_COLUMNS = {
    "inside": "places inside",
    "width": "width in places",
    "reliability_inside": "reliabilities inside",
    "flagged_random": "random ones flagged",
    "flagged_reversed": "reversed ones flagged",
    "flagged_wrongly": "honest ones flagged",
    "flagged_good": f"those of {GOOD:g} or more flagged",
}


def _table(rows: Rows) -> Markup:
    lines = []
    for row in rows:
        shown = {key: None if row[key] is None else joined(f"{row[key]:.1f}") for key in _COLUMNS}
        shown["inside"] = joined(shown["inside"], error(row["stderr"]))
        lines.append([row["scenario"], str(row["n"]), str(row["k"]), *shown.values()])
    columns = ("Graders", "n", "k", *_COLUMNS.values())
    title = "Percent, except for the width; graders are flagged at 95%."
    return table(title, columns, lines, numbers=range(1, len(columns)))
