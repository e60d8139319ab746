"""Tables of these pages that are made of results, so that nobody copies numbers by hand.

A page marks where a table belongs by ``<!-- from results: NAME -->`` and ``<!-- end -->``. ``python docs/fill.py``
writes all again from ``docs/extra/results``; `make results` does so, and a test compares.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from peerorder.files import read_rows
from peerorder.reports.real import DIGITS, difference_text, groups
from peerorder.studies.real_figures import KIND_NAMES
from peerorder.studies.real_summary import Cell, summarise
from peerorder.studies.scenarios import OF_TABLE_2, TIED, at_defaults

DOCS = Path(__file__).parent
MARKED = re.compile(r"(<!-- from results: (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
RULE = "posterior"
RULES_ON_REAL = (RULE, "mixture", "plackett-luce", "bradley-terry", "thurstone", "borda")

Rows = Sequence[Mapping[str, Any]]
Cells = dict[tuple[Any, ...], float]


def posterior_tied(rows: Rows) -> str:
    """What it is worth to learn quality by place, where good students grade well."""
    cells: Cells = {
        (row["k"], OF_TABLE_2[row["scenario"]], row["rule"]): row["recovered"]
        for row in rows
        if row["scenario"] in OF_TABLE_2
    }
    rules = {"borda": "Borda", RULE: "`tie-quality-to-place=no`", TIED: "`tie-quality-to-place=yes`"}
    keys = [(k, noise) for k in (5, 8, 12) for noise in (50, 30, 10, 0)]
    lines = [[str(k), str(noise), *(f"{cells[k, noise, rule]:.1f}" for rule in rules)] for k, noise in keys]
    return table(["k", "noise", *rules.values()], lines)


def posterior_robustness(rows: Rows, k: int = 8) -> str:
    """``posterior`` beside the best other rule and Borda in every scenario."""
    found: dict[str, dict[str, float]] = {}
    for row in at_defaults(rows):
        if row["k"] == k:
            found.setdefault(row["scenario"], {})[row["rule"]] = row["recovered"]
    lines = []
    for scenario, cells in found.items():
        best = max((rule for rule in cells if rule != RULE), key=lambda rule: cells[rule])
        lines.append([scenario, f"{cells[RULE]:.1f}", f"{cells[best]:.1f} (`{best}`)", f"{cells['borda']:.1f}"])
    return table(["graders", "`posterior`", "best other rule", "`borda`"], lines)


def real(rows: Rows, measure: str) -> str:
    """Rules on the exercises that nothing is tuned on, and by how much ``posterior`` is higher."""
    lines: list[list[str]] = []
    for kind, half, _title in groups(rows):
        cells = summarise(rows, kind, half, measure) if half == "held-out" else {}
        lines += [
            [KIND_NAMES[kind].lower(), f"`{rule}`", *(shown(cell, DIGITS[measure]) for cell in cells[rule])]
            for rule in RULES_ON_REAL
            if rule in cells
        ]
    trains = sorted({row["train"] for row in rows})
    return table(["exercises", "rule", *(f"trained on {train}%" for train in trains)], lines)


def shown(cell: Cell, digits: int) -> str:
    """A mean, and in brackets the difference."""
    difference = difference_text(cell, digits).replace("*", r"\*")
    return f"{cell.mean.value:.{digits}f}" + (f" ({difference})" if difference else "")


# The results that each table is made of, and how.
TABLES: dict[str, tuple[str, Callable[[Rows], str]]] = {
    "posterior-robustness": ("robustness", posterior_robustness),
    "posterior-tied": ("robustness", posterior_tied),
    "real-predicted": ("real", partial(real, measure="predicted")),
    "real-log-loss": ("real", partial(real, measure="log_loss")),
    "real-brier": ("real", partial(real, measure="brier")),
}


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Rows as Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *lines))


def filled(text: str) -> str:
    """The page with its marked tables made anew; those without results stay as they are."""

    def fill(mark: re.Match[str]) -> str:
        study, make = TABLES[mark[2]]
        results = DOCS / "extra" / "results" / f"{study}.csv"
        return f"{mark[1]}\n{make(read_rows(results))}\n\n{mark[4]}" if results.exists() else mark[0]

    return MARKED.sub(fill, text)


if __name__ == "__main__":
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text("utf-8")
        if MARKED.search(text):
            path.write_text(filled(text), "utf-8")
