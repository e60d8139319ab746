"""The robustness study on the page: every rule, every kind of grader, and what ``posterior`` is held to."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from peerorder.core.translation import gettext as _, message, translate
from peerorder.reports.acceptance import RULE, TARGETS, above_borda, near_the_best, on_table_2, target_checks
from peerorder.reports.comparison import Comparison, Verdict, standard_error
from peerorder.reports.inline_svg import drawing
from peerorder.reports.labels import rule_name, signed
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import (
    Numbers,
    block_table,
    column,
    difference,
    error,
    missing,
    missing_cell,
    number,
    numbered,
    ours,
    table,
)
from peerorder.reports.tables import check_table, differences, footnotes
from peerorder.studies.published import published
from peerorder.studies.scenarios import COMPLETE_LISTS, OF_TABLE_2, TIED, at_defaults, panels

__all__ = ["robustness", "robustness_table", "table_2_with_every_rule"]

Rows = Sequence[Mapping[str, Any]]
Row = Mapping[str, Any]

_CAPTION = message(
    "Percent recovered by every rule in every scenario. The darker a cell, the closer the rule comes to the best "
    "one of its row; from five points behind, cells are white."
)


def robustness(rows: Rows, figures: Mapping[str, str]) -> Markup:
    """The figure, what is checked, and a table for every k."""
    lead = _(
        "Random bundles, n = 1000. In every row the best rule is in bold, and so is any rule within two standard "
        "errors of the difference from it."
    )
    lists = _("With complete lists, 20 graders who wrote none of the papers rank all 10.")
    complete = any(row["scenario"] in COMPLETE_LISTS for row in rows)
    kept = check_table(target_checks(rows), _("What posterior is held to."), differences())
    compared = [*near_the_best(rows), *above_borda(rows), *above_borda(rows, stray=True)]
    missed = _missed_table([c for c in compared if c.verdict is Verdict.BEYOND])
    plain = at_defaults(rows)
    tables = [robustness_table(plain, k) for k in panels(plain)]
    return joined(
        element("p", lead),
        element("p", lists) if complete else None,
        drawing("robustness", figures, translate(_CAPTION)),
        kept,
        missed,
        *tables,
    )


def table_2_with_every_rule(rows: Rows, _figures: Mapping[str, str]) -> Markup | None:
    """Return the cells of Table 2 with one column per rule, and the targets of ``posterior``."""
    chosen = [row for row in rows if row["scenario"] in OF_TABLE_2]
    if not chosen:
        return None
    lead = _(
        "The scenarios above that are cells of the article's Table 2: Condorcet graders, the better the author the "
        "better the grader. Below our number, the article's own where it prints one; in bold the best rule of a "
        "row, and "
        "any within two standard errors of the difference from it. The runs are others than those of Table 2 itself."
    )
    tied, untold = on_table_2(rows, TIED), on_table_2(rows, RULE)
    as_shown = sorted([*tied, *untold], key=lambda c: (c.k, -OF_TABLE_2[c.scenario or ""]))
    beyond = numbered("4", as_shown)
    held = joined(_target_table(tied, untold, beyond), footnotes(beyond, beyond)) if tied or untold else None
    return joined(element("p", lead), _every_rule(chosen), held)


def _missed_table(comparisons: Sequence[Comparison]) -> Markup | None:
    """Where ``posterior`` is not what it is held to, against the best other rule or Borda."""
    if not comparisons:
        return None
    rows = [
        (
            c.scenario or "",
            str(c.k),
            ours(c.recovered, c.stderr),
            rule_name(c.against),
            ours(c.reference, c.reference_stderr),
            difference(c, {}),
            c.limit,
        )
        for c in comparisons
    ]
    columns = (
        _("Graders"),
        "k",
        "Posterior",
        _("beside"),
        _("which has"),
        _("difference ± s.e."),
        _("limit"),
    )
    title = _("Where it is not kept. Both rules run on the same ballots, so true standard errors are smaller.")
    return table(title, columns, rows, numbers=(1, 2, 4, 5), class_="fit")


def robustness_table(rows: Rows, k: int) -> Markup:
    """Scenarios by rules for one k; the best of a row, and what cannot be told from it, in bold."""
    chosen = [row for row in rows if row["k"] == k]
    rules = list(dict.fromkeys(row["rule"] for row in chosen))
    lines = []
    for scenario in dict.fromkeys(row["scenario"] for row in chosen):
        cells = {row["rule"]: row for row in chosen if row["scenario"] == scenario}
        lines.append([scenario, *_across(cells, rules)])
    columns = [_("Graders"), *map(rule_name, rules)]
    title = _("k = {k}: percent recovered, with standard errors.").format(k=k)
    return table(title, columns, lines, numbers=range(1, len(columns)))


def _every_rule(rows: Rows) -> Markup:
    rules = sorted(dict.fromkeys(row["rule"] for row in rows), key=lambda rule: rule != TIED)
    paper = {(row["k"], row["noise"], row["rule"]): row["recovered"] for row in published("table2")}
    lines: dict[tuple[int, float], list[Markup]] = {}
    for k in sorted({row["k"] for row in rows}):
        for scenario, noise in OF_TABLE_2.items():
            cells = {row["rule"]: row for row in rows if (row["k"], row["scenario"]) == (k, scenario)}
            if cells:
                printed = {rule: paper.get((k, noise, rule)) for rule in rules}
                lines[k, noise] = [number(cell) for cell in _across(cells, rules, printed)]
    head = element("tr", column(_("Noise level")), *(column(rule_name(rule), "number") for rule in rules))
    label = _("Table 2 with every rule")
    title = _("Table 2 with every rule: percent recovered, with standard errors; below, the printed number.")
    return block_table(label, title, [head], lines)


def _target_table(tied: Sequence[Comparison], untold: Sequence[Comparison], numbers: Numbers) -> Markup:
    """What was asked for beforehand, with quality tied to place and without."""
    cells = {(c.k, OF_TABLE_2[c.scenario or ""], c.rule): c for c in (*tied, *untold)}
    recovered, less = _("recovered"), _("less target")
    below = (_("Noise level"), _("Target"), recovered, less, recovered, less, _("at least"))
    rows: dict[tuple[int, float], list[Markup]] = {}
    for k, noise in {(k, noise) for k, noise, _rule in cells}:
        on, off = (cells.get((k, noise, rule)) for rule in (TIED, RULE))
        data = [*_against(on, numbers), *_against(off, numbers)]
        data.append(missing_cell() if off is None else number(signed(-off.tolerance)))
        rows[k, noise] = [number(f"{TARGETS[k, noise]:.1f}"), *data]
    label = _("Posterior against its targets")
    title = _(
        "Posterior against its targets: with the option tie-quality-to-place, whose assumption holds here, and "
        "without, "
        "where less is asked."
    )
    groups = [
        element("th", text, colspan=n, scope="colgroup")
        for text, n in ((_("Quality tied to place"), 2), (_("Not tied"), 3))
    ]
    above = element("tr", element("td", colspan=2), *groups)
    heads = element("tr", column(below[0]), *(column(text, "number") for text in below[1:]))
    return block_table(label, title, [above, heads], rows, class_="fit")


def _against(c: Comparison | None, numbers: Numbers) -> list[Markup]:
    if c is None:
        return [missing_cell(), missing_cell()]
    return [number(ours(c.recovered, c.stderr)), number(difference(c, numbers, stderr=False))]


def _across(
    cells: Mapping[str, Row], rules: Sequence[str], printed: Mapping[str, float | None] | None = None
) -> list[Markup]:
    """Return one row of a table: a cell for every rule, with the printed number below where there is one."""
    best = max(cells.values(), key=lambda row: row["recovered"])
    paper = printed or {}
    return [_among_the_best(cells[rule], best, paper.get(rule)) if rule in cells else missing() for rule in rules]


def _among_the_best(row: Row, best: Row, paper: float | None) -> Markup:
    margin = 2 * math.hypot(standard_error(row) or 0.0, standard_error(best) or 0.0)
    text = f"{row['recovered']:.1f}"
    value = element("strong", text) if best["recovered"] - row["recovered"] <= margin else element("span", text)
    return joined(
        value,
        error(standard_error(row)),
        element("span", _("printed {number:.1f}").format(number=paper), class_="printed")
        if paper is not None
        else None,
    )
