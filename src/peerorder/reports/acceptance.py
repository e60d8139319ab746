"""What ``posterior`` is held to in the robustness study, as comparisons: set beforehand, kept or not kept here."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from peerorder.core.translation import gettext as _
from peerorder.reports.claims import Check
from peerorder.reports.comparison import Comparison, compare_row, finished
from peerorder.studies.scenarios import OF_TABLE_2, TIED, at_defaults

__all__ = ["RULE", "TARGETS", "above_borda", "near_the_best", "on_table_2", "target_checks"]

Rows = Sequence[Mapping[str, Any]]

RULE = "posterior"
# Percent recovered in Table 2's cells, by k and noise level, where the rule knows that good students grade well.
TARGETS = {
    (5, 50): 87.2,
    (5, 30): 90.7,
    (5, 10): 93.9,
    (5, 0): 95.6,
    (8, 50): 94.6,
    (8, 30): 96.3,
    (8, 10): 97.7,
    (8, 0): 98.3,
    (12, 50): 97.4,
    (12, 30): 98.3,
    (12, 10): 99.0,
    (12, 0): 99.3,
}
# How much less it may be, by k, where the rule is not told.
UNTOLD = {5: 3.2, 8: 1.5, 12: 0.6}
BEHIND_THE_BEST = 0.5
BEHIND_BORDA = 0.3
AHEAD_OF_BORDA = 3.0
STRAY, STRAY_K = ("thurstone 0.3, 20% random", "thurstone 0.3, 10% reversed"), 8


def on_table_2(rows: Rows, rule: str) -> list[Comparison]:
    """Hold ``posterior``, or ``posterior`` with quality tied to place, against the targets for Table 2's cells."""
    records = []
    for row in finished("robustness", rows):
        target = TARGETS.get((row["k"], OF_TABLE_2.get(row["scenario"], -1)))
        if row["rule"] == rule and target is not None:
            allowed = 0.0 if rule == TIED else UNTOLD[row["k"]]
            records.append(compare_row("robustness", row, target, allowed, "target"))
    return records


def near_the_best(rows: Rows) -> list[Comparison]:
    """``posterior`` beside the best other rule, in every scenario and at every k."""
    records = []
    for ours, others in _rivals(rows):
        best = max(others, key=lambda row: row["recovered"])
        records.append(compare_row("robustness", ours, best, BEHIND_THE_BEST, best["rule"]))
    return records


def above_borda(rows: Rows, stray: bool = False) -> list[Comparison]:
    """``posterior`` beside Borda: everywhere, or where some graders are random or reversed and it must lead."""
    records = []
    for ours, others in _rivals(rows):
        if not stray or (ours["scenario"] in STRAY and ours["k"] == STRAY_K):
            allowed = -AHEAD_OF_BORDA if stray else BEHIND_BORDA
            borda = [row for row in others if row["rule"] == "borda"]
            records += [compare_row("robustness", ours, row, allowed, "borda") for row in borda]
    return records


def target_checks(rows: Rows) -> list[Check[Comparison]]:
    """Everything that ``posterior`` is held to, with what the rows at hand say about it."""
    off = ", ".join(_("{points} at k = {k}").format(points=allowed, k=k) for k, allowed in UNTOLD.items())
    result = [
        Check(
            _("Posterior on Table 2, quality tied to place"),
            _("not below its targets at noise 50, 30, 10 and 0"),
            tuple(on_table_2(rows, TIED)),
        ),
        Check(
            _("Posterior on Table 2"),
            _("below the same targets by at most {limits}").format(limits=off),
            tuple(on_table_2(rows, RULE)),
        ),
        Check(
            _("Posterior against the best other rule"),
            _("not below by more than {points} points in any scenario").format(points=BEHIND_THE_BEST),
            tuple(near_the_best(rows)),
        ),
        Check(
            _("Posterior against Borda"),
            _("not below by more than {points} points in any scenario").format(points=BEHIND_BORDA),
            tuple(above_borda(rows)),
        ),
        Check(
            _("Posterior against Borda, random or reversed graders"),
            _("above by at least {points:g} points at k = {k}").format(points=AHEAD_OF_BORDA, k=STRAY_K),
            tuple(above_borda(rows, stray=True)),
        ),
    ]
    return [check for check in result if check.compared]


def _rivals(rows: Rows) -> Iterator[tuple[Mapping[str, Any], Rows]]:
    """For every scenario and k, the row of ``posterior`` and those of all other rules, options left alone."""
    cells: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for row in at_defaults(finished("robustness", rows)):
        cells.setdefault((row["scenario"], row["k"]), []).append(row)
    for cell in cells.values():
        ours = [row for row in cell if row["rule"] == RULE]
        others = [row for row in cell if row["rule"] != RULE]
        if ours and others:
            yield ours[0], others
