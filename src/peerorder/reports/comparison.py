"""Our numbers next to the article's: differences, tolerances and verdicts as plain records, before any layout.

The page and the terminal show the same records. Everything is in percent of pairs in the right order.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from peerorder.core.errors import InputError
from peerorder.core.text import number_range
from peerorder.core.translation import gettext as _
from peerorder.reports.claims import Check
from peerorder.reports.labels import plain_count, rule_name, scheme_name, signed

__all__ = [
    "Comparison",
    "Verdict",
    "across_sizes",
    "against_law",
    "against_paper",
    "checks",
    "compare_row",
    "finished",
    "restart_against_borda",
    "runs_a_cell",
    "standard_error",
]

Row = Mapping[str, Any]
Rows = Sequence[Row]
Law = Mapping[int, float]
NoisyLaw = Mapping[tuple[int, float], float]

# How far a number may be from the printed one. RSD in Table 1 is allowed three of its standard errors where that is
# more: on copies that are not joined, single runs differ by points.
_TOLERANCE = {"table1": {"borda": 0.7, "rsd": 1.0}, "table2": {"borda": 0.6, "rsd": 1.5, "mc4": 0.8}}
_SIZE_TOLERANCE = 0.4
_LAW_TOLERANCE = {"figure2": 0.3, "table2": 0.5}

_COLUMNS = {
    "table1": ("k", "n", "scheme", "rule", "recovered", "stderr", "runs", "paper"),
    "table2": ("k", "noise", "rule", "recovered", "stderr", "runs", "paper"),
    "figure2": ("k", "rule", "recovered", "stderr", "runs"),
    "robustness": ("scenario", "k", "rule", "recovered", "stderr", "runs"),
}


class Verdict(StrEnum):
    """What a comparison says."""

    WITHIN = "within tolerance"
    BEYOND = "beyond tolerance"
    NEW = "not in the article"


@dataclass(frozen=True)
class Comparison:
    """One number of ours beside what it is held against.

    ``reference`` is None where there is nothing to hold it against, ``stderr`` where one run alone
    has no standard error. ``against`` says what the reference is: ``paper``, ``table1`` for the same k
    in a smaller class, ``law``, ``target``, or the rule whose number it is. A one-sided comparison only asks that
    ours is not lower by more than the tolerance; a negative tolerance asks that it is higher.
    """

    study: str
    k: int
    rule: str
    recovered: float
    stderr: float | None
    runs: int
    reference: float | None
    tolerance: float
    n: int | None = None
    scheme: str | None = None
    noise: float | None = None
    scenario: str | None = None
    reference_stderr: float | None = None
    against: str = "paper"
    one_sided: bool = False

    @property
    def difference(self) -> float | None:
        """Ours less the reference, rounded so that 74.0 - 73.3 is 0.7 and no more."""
        return None if self.reference is None else round(self.recovered - self.reference, 9)

    @property
    def difference_stderr(self) -> float | None:
        """The standard error of the difference, as far as standard errors are known."""
        known = [x for x in (self.stderr, self.reference_stderr) if x is not None]
        return math.hypot(*known) if known else None

    @property
    def excess(self) -> float | None:
        """How far the difference is beyond the tolerance, in the direction that counts; below 0 it is within."""
        if self.difference is None:
            return None
        return (-self.difference if self.one_sided else abs(self.difference)) - self.tolerance

    @property
    def verdict(self) -> Verdict:
        """Within the tolerance, its edge included; beyond it; or new."""
        if self.difference is None:
            return Verdict.NEW
        return Verdict.WITHIN if (self.excess or 0.0) <= 0 else Verdict.BEYOND

    @property
    def shown(self) -> str:
        """The difference as people write it."""
        return signed(self.difference or 0.0)

    @property
    def sentence(self) -> str:
        """Where, what it is, and what it should be."""
        return _("{where}: {difference} ({limit})").format(where=self.where, difference=self.shown, limit=self.limit)

    @property
    def limit(self) -> str:
        """What is asked of the difference, in words."""
        if self.one_sided and self.tolerance <= 0:
            return _("at least {points:.2f} is asked").format(points=abs(self.tolerance))
        return _("{points:.2f} are allowed").format(points=self.tolerance)

    @property
    def where(self) -> str:
        """The cell in words, such as ``k=8, noise 50%, RSD``."""
        parts = [*([self.scenario] if self.scenario is not None else []), f"k={self.k}"]
        parts += [f"n={plain_count(self.n)}"] if self.n is not None else []
        parts += [scheme_name(self.scheme)] if self.scheme is not None else []
        parts += [_("noise {level:g}%").format(level=self.noise)] if self.noise is not None else []
        return ", ".join([*parts, rule_name(self.rule)])


def against_paper(study: str, rows: Rows) -> list[Comparison]:
    """Every number of ``table1`` or ``table2`` beside the one that the article prints.

    Left out are rules that the article does not have and, from Table 1, the rows for a larger n, which
    stand for a remark in its text; numbers of its rules that it does not print have no reference.
    """
    tolerance = _TOLERANCE[study]
    records = []
    for row in finished(study, rows):
        if row["rule"] not in tolerance and row["paper"] is not None:
            raise InputError(
                _("{study} has a number of the article for {rule}, which is none of its rules there").format(
                    study=study, rule=row["rule"]
                )
            )
        if row["rule"] in tolerance and not (study == "table1" and row["paper"] is None):
            allowed = tolerance[row["rule"]]
            if study == "table1" and row["rule"] == "rsd":
                allowed = max(allowed, 3 * (standard_error(row) or 0.0))
            records.append(compare_row(study, row, row["paper"], allowed))
    return records


def across_sizes(rows: Rows) -> list[Comparison]:
    """Compare each larger n with the n that Table 1 has for the same k: the article remarks that they look the same."""
    done = finished("table1", rows)
    printed = {(row["k"], row["scheme"], row["rule"]): row for row in done if row["paper"] is not None}
    records = []
    for row in done:
        small = printed.get((row["k"], row["scheme"], row["rule"]))
        if row["paper"] is None and small is not None:
            records.append(compare_row("table1", row, small, _SIZE_TOLERANCE, "table1"))
    return records


def restart_against_borda(rows: Rows) -> list[Comparison]:
    """``mc4-restart`` beside Borda in every cell of Table 2; one standard error of the difference is allowed."""
    done = finished("table2", rows)
    borda = {(row["k"], row["noise"]): row for row in done if row["rule"] == "borda"}
    records = []
    for row in done:
        other = borda.get((row["k"], row["noise"]))
        if row["rule"] == "mc4-restart" and other is not None:
            allowed = math.hypot(standard_error(row) or 0.0, standard_error(other) or 0.0)
            records.append(compare_row("table2", row, other, allowed, "borda"))
    return records


def against_law(study: str, rows: Rows, law: Law | NoisyLaw) -> list[Comparison]:
    """Borda in ``figure2``, or in ``table2`` for each noise, beside its exact law, wherever the law is given."""
    records = []
    for row in finished(study, rows):
        cell: Any = (row["k"], row["noise"]) if study == "table2" else row["k"]
        if row["rule"] == "borda" and cell in law:
            records.append(compare_row(study, row, law[cell], _LAW_TOLERANCE[study], "law"))
    return records


def checks(
    tables: Mapping[str, Rows], law: Law | None = None, noisy_law: NoisyLaw | None = None
) -> list[Check[Comparison]]:
    """Return all checks that the available tables allow, in the order of the article."""
    table1, table2, figure2 = (tables.get(name, ()) for name in ("table1", "table2", "figure2"))
    result = [
        Check(
            _("Table 1 against the article"),
            _("Borda within 0.7 points; RSD within 1.0 or three of its standard errors, whichever is more"),
            tuple(against_paper("table1", table1)),
        ),
        Check(
            _("A class of 10,000 against one of about 1000"),
            _("within {points} points").format(points=_SIZE_TOLERANCE),
            tuple(across_sizes(table1)),
        ),
        Check(
            _("Figure 2 against the exact law of Borda"),
            _("within {points} points").format(points=_LAW_TOLERANCE["figure2"]),
            tuple(against_law("figure2", figure2, law or {})),
        ),
        Check(
            _("Table 2 against the article"),
            _("Borda within 0.6 points, MC4 within 0.8, RSD within 1.5"),
            tuple(against_paper("table2", table2)),
        ),
        Check(
            _("MC4 with restart against Borda, in Table 2"),
            _("not lower by more than one standard error of the difference"),
            tuple(restart_against_borda(table2)),
        ),
        Check(
            _("Borda in Table 2 against the exact law for erring graders"),
            _("within {points} points").format(points=_LAW_TOLERANCE["table2"]),
            tuple(against_law("table2", table2, noisy_law or {})),
        ),
    ]
    return [check for check in result if check.compared]


def runs_a_cell(tables: Mapping[str, Rows]) -> str:
    """How many runs the means in the tables are of: one number, or from the fewest to the most."""
    runs = sorted({row["runs"] for rows in tables.values() for row in rows if "runs" in row})
    return "" if not runs else number_range(runs[0], runs[-1])


def standard_error(row: Row) -> float | None:
    """Read the standard error of a row; one run alone has none, whatever the row says."""
    return None if row["stderr"] is None or row["runs"] < 2 else float(row["stderr"])


def finished(study: str, rows: Rows) -> Rows:
    """Keep the rows that have a number; a study stopped half-way may hold others."""
    for row in rows:
        for column in _COLUMNS[study]:
            if column not in row:
                raise InputError(
                    _("{study} lacks the column {column}; it needs {columns}").format(
                        study=study, column=column, columns=", ".join(_COLUMNS[study])
                    )
                )
    return [row for row in rows if row["recovered"] is not None]


def compare_row(
    study: str, row: Row, reference: float | Row | None, tolerance: float, against: str = "paper"
) -> Comparison:
    """Compare the number of a row with a reference, or with that of another row."""
    other = reference if isinstance(reference, Mapping) else {"recovered": reference, "stderr": None}
    return Comparison(
        study=study,
        k=row["k"],
        n=row.get("n"),
        scheme=row.get("scheme"),
        noise=row.get("noise"),
        scenario=row.get("scenario"),
        rule=row["rule"],
        recovered=row["recovered"],
        stderr=standard_error(row),
        runs=row["runs"],
        reference=other["recovered"],
        tolerance=tolerance,
        reference_stderr=standard_error(other),
        against=against,
        one_sided=study == "robustness" or against == "borda",
    )
