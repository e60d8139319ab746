"""The page's section on collusion: what a team gains under every rule."""

from collections.abc import Mapping, Sequence
from typing import Any

from peerorder.core.translation import gettext as _, message, translate
from peerorder.reports.claims import Case, Check
from peerorder.reports.comparison import standard_error
from peerorder.reports.inline_svg import drawing
from peerorder.reports.labels import rule_name, signed
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import error, missing, table
from peerorder.reports.tables import check_table

__all__ = ["promise_of_collusion", "section"]

Rows = Sequence[Mapping[str, Any]]

# Of the places that a team gains under Borda, posterior lets it gain this share at most.
ALLOWED = 0.5

_LEAD = message(
    "A team of one student in twenty puts its own papers first and everybody else's upside down; the others see "
    "utilities with normal errors of 0.3 (n = 1000, random bundles). The same class is graded once more with the team "
    "ranking honestly: the difference is what its members' papers gain, in places, on average."
)
_CAPTION = message("Places that the papers of a team gain under every rule. Bars show two standard errors either way.")


def section(rows: Rows, figures: Mapping[str, str]) -> Markup:
    """What was done, the promise, the figure and its numbers."""
    return joined(
        element("p", translate(_LEAD), " ", _seen(rows)),
        check_table(promise_of_collusion(rows), _("Promise about collusion"), notes=True),
        drawing("collusion", figures, translate(_CAPTION)),
        _table(rows),
    )


def _seen(rows: Rows) -> str:
    """In words what the figure shows."""
    gained: dict[str, list[float]] = {}
    for row in rows:
        gained.setdefault(row["rule"], []).append(row["gained"])
    means = {rule: sum(values) / len(values) for rule, values in gained.items()}
    least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    return _(
        "Over all bundle sizes, a team gains least under {least} ({least_places} places) and most under {most} "
        "({most_places} places)."
    ).format(
        least=rule_name(least),
        least_places=f"{means[least]:.1f}".replace("-", "\N{MINUS SIGN}"),
        most=rule_name(most),
        most_places=f"{means[most]:.1f}".replace("-", "\N{MINUS SIGN}"),
    )


def promise_of_collusion(rows: Rows) -> list[Check[Case]]:
    """Under posterior a team gains at most half of what it gains under Borda."""
    gained = {(row["rule"], row["k"]): row["gained"] for row in rows}
    cases = [
        Case(
            _("k = {k}, where Borda gives {places:.1f}").format(k=k, places=gained["borda", k]),
            value,
            high=ALLOWED * gained["borda", k],
            unit="",
        )
        for (rule, k), value in gained.items()
        if rule == "posterior" and ("borda", k) in gained
    ]
    if not cases:
        return []
    return [
        Check(_("A team's gain under posterior"), _("at most half of the places it gains under Borda"), tuple(cases))
    ]


def _table(rows: Rows) -> Markup:
    bundles = sorted({row["k"] for row in rows})
    cells = {(row["rule"], row["k"]): row for row in rows}
    lines = [
        [rule_name(rule), *(_cell(cells.get((rule, k))) for k in bundles)]
        for rule in dict.fromkeys(row["rule"] for row in rows)
    ]
    columns = [_("Rule"), *(f"k = {k}" for k in bundles)]
    title = _("Places gained, with standard errors.")
    return table(title, columns, lines, numbers=range(1, len(columns)), class_="fit")


def _cell(row: Mapping[str, Any] | None) -> Markup:
    if row is None:
        return missing()
    return joined(signed(row["gained"]), error(standard_error(row), 2))
