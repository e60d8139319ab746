"""The page's section on calibration: are error bars honest, and are graders seen for what they are."""

from collections.abc import Mapping, Sequence
from typing import Any

from peerorder.core.translation import gettext as _, message, translate
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

_COVERAGE = message(
    "How often the 90% intervals of posterior hold the true place. Bars show two standard errors either way; the "
    "shaded range is from 85% to 95%."
)
_RELIABILITY = message(
    "Graders in bins of the reliability that posterior states; up the mean of their true one, the chance that they "
    "put two random papers in the right order. The larger a mark, the more graders; on the dashed line both are equal."
)


def section(rows: Rows, figures: Mapping[str, str], reliabilities: Rows) -> Markup:
    """What was found, the promises, both figures and the numbers behind them."""
    return joined(
        element("p", _seen(rows, reliabilities)),
        check_table(promises_of_calibration(rows), _("Promises of calibration"), notes=True),
        drawing("calibration", figures, translate(_COVERAGE)),
        drawing("reliability", figures, translate(_RELIABILITY)),
        element("details", element("summary", _("The numbers behind the figures")), _table(rows)),
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
            _("90% intervals contain the true place"),
            _(
                "{low:g} to {high:g}% of the time; up to {most:g}% where they are at most {places:g} places wide "
                "on average"
            ).format(low=WANTED[0], high=WANTED[1], most=MOST_OF_FEW, places=FEW_PLACES),
            tuple(inside),
        ),
        Check(
            _("Reversed graders are flagged as such"),
            _("at least {share:g}%, with {papers} papers each or more").format(
                share=SEEN_THROUGH, papers=ENOUGH_PAPERS
            ),
            tuple(backwards),
        ),
        Check(
            _("Graders of reliability {limit:g} or more are not flagged").format(limit=GOOD),
            _("at most {share:g}%, where qualities go down to 1/2").format(share=WRONGED),
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
    text = _(
        "Classes whose graders are among the types that posterior knows, random bundles. Its 90% intervals contain the "
        "true place in {low:.1f}% of the cases ({where_low}) to {high:.1f}% ({where_high})."
    ).format(low=least["inside"], where_low=_where(least), high=most["inside"], where_high=_where(most))
    if not reliabilities:
        return text
    stated = _(
        "The reliability that it states for graders is on average {points:.1f} points from the true one of those for "
        "whom it states about the same."
    ).format(points=reliability_error(reliabilities))
    return f"{text} {stated}"


_COLUMNS = {
    "inside": message("places inside"),
    "width": message("width in places"),
    "reliability_inside": message("reliabilities inside"),
    "flagged_random": message("random ones flagged"),
    "flagged_reversed": message("reversed ones flagged"),
    "flagged_wrongly": message("honest ones flagged"),
    "flagged_good": message("those of {limit:g} or more flagged"),
}


def _table(rows: Rows) -> Markup:
    lines = []
    for row in rows:
        shown = {key: None if row[key] is None else joined(f"{row[key]:.1f}") for key in _COLUMNS}
        shown["inside"] = joined(shown["inside"], error(row["stderr"]))
        lines.append([row["scenario"], str(row["n"]), str(row["k"]), *shown.values()])
    columns = (_("Graders"), "n", "k", *(translate(name).format(limit=GOOD) for name in _COLUMNS.values()))
    title = _("Percent, except for the width; graders are flagged at 95%.")
    return table(title, columns, lines, numbers=range(1, len(columns)))
