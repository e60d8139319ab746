"""The studies, as data: Table 1, Figure 2, Table 2 and Figure 3 of the article, the robustness matrix, and more."""

import difflib
from functools import cache

from peerorder.core.errors import UnknownNameError
from peerorder.core.translation import gettext as _
from peerorder.rules import RULES
from peerorder.studies.calibration import calibration
from peerorder.studies.collusion import collusion
from peerorder.studies.experiment import Cell
from peerorder.studies.plan_study import plan
from peerorder.studies.published import published
from peerorder.studies.runner import Results, Row, Study, summary
from peerorder.studies.scenarios import COMPLETE_LISTS, OF_TABLE_2, SCENARIOS, TIED

__all__ = ["GROUPS", "OF_THE_PAPER", "STUDIES", "study"]

OF_THE_PAPER = ("table1", "figure2", "table2", "figure3")
STUDIES = (*OF_THE_PAPER, "robustness", "collusion", "calibration", "plan")
# What is asked for by one name and run together.
GROUPS = {"all": OF_THE_PAPER, "robustness": ("robustness", "collusion")}

N = 1000
LARGE_N = 10_000
PERFECT_RULES = ("borda", "rsd")
# A few graders who each rank everything: 45 pairs in a run, so a run is cheap and its accuracy is coarse.
LIST_LENGTH, LIST_GRADERS, LIST_RUNS = 10, 20, 10


def study(name: str) -> Study:
    """Return the study of that name."""
    makers = (_table1, _figure2, _table2, _figure3, _robustness, collusion, calibration, plan)
    if name not in STUDIES:
        near = difflib.get_close_matches(name.lower(), STUDIES, n=1)
        text = _("there is no study called {name!r}; there are {names}")
        if near:
            text = _("there is no study called {name!r}; did you mean {near}?")
        raise UnknownNameError(text.format(name=name, names=", ".join(STUDIES), near="".join(near)))
    return dict(zip(STUDIES, makers, strict=True))[name]()


@cache
def _table1() -> Study:
    """Return Table 1: perfect graders on three bundle graphs; and the remark that n = 10,000 looks the same."""
    printed = published("table1")
    settings = dict.fromkeys((row["scheme"], row["n"], row["k"]) for row in printed)
    cells = [Cell(scheme, n, k, "perfect", PERFECT_RULES) for scheme, n, k in settings]
    cells += [Cell("random", LARGE_N, k, "perfect", ("borda",)) for k in (3, 8, 12)]
    paper = {(row["scheme"], row["n"], row["k"], row["rule"]): row["recovered"] for row in printed}

    def rows(results: Results) -> list[Row]:
        return [
            {
                "k": cell.k,
                "n": cell.n,
                "scheme": cell.scheme,
                "rule": rule,
                **summary(runs, rule),
                "paper": paper.get((cell.scheme, cell.n, cell.k, rule)),
            }
            for cell, runs in results.items()
            for rule in cell.rules
        ]

    columns = ("k", "n", "scheme", "rule", "recovered", "stderr", "runs", "paper")
    return Study("table1", "Table 1: perfect grading on different bundle graphs", tuple(cells), 50, columns, rows)


@cache
def _table2() -> Study:
    """Return Table 2: noisy graders on random bundles, with cells and a rule that the article does not have."""
    printed = published("table2")
    rules = (*dict.fromkeys(row["rule"] for row in printed), "mc4-restart")
    settings = dict.fromkeys((row["k"], row["noise"]) for row in printed)
    cells = {Cell("random", N, k, f"condorcet:level={noise}", rules): noise for k, noise in settings}
    paper = {(row["k"], row["noise"], row["rule"]): row["recovered"] for row in printed}

    def rows(results: Results) -> list[Row]:
        return [
            {
                "k": cell.k,
                "noise": cells[cell],
                "rule": rule,
                **summary(runs, rule),
                "paper": paper.get((cell.k, cells[cell], rule)),
            }
            for cell, runs in results.items()
            for rule in cell.rules
        ]

    columns = ("k", "noise", "rule", "recovered", "stderr", "runs", "paper")
    return Study("table2", "Table 2: imperfect grading on random bundles", tuple(cells), 50, columns, rows)


@cache
def _figure2() -> Study:
    """Return Figure 2: Borda against RSD for every bundle size from 2 to 25."""
    cells = tuple(Cell("random", N, k, "perfect", PERFECT_RULES) for k in range(2, 26))

    def rows(results: Results) -> list[Row]:
        return [
            {"k": cell.k, "rule": rule, **summary(runs, rule)} for cell, runs in results.items() for rule in cell.rules
        ]

    columns = ("k", "rule", "recovered", "stderr", "runs")
    return Study("figure2", "Figure 2: Borda and RSD by bundle size, perfect grading", cells, 50, columns, rows)


@cache
def _figure3() -> Study:
    """Return Figure 3: the scatter of single runs of Borda and RSD, with perfect and with very noisy graders."""
    cells = {Cell("random", N, 8, f"condorcet:level={noise}", PERFECT_RULES): noise for noise in (0, 50)}

    def rows(results: Results) -> list[Row]:
        return [
            {"noise": cells[cell], "run": number, "rule": rule, "recovered": round(run[rule], 4)}
            for cell, runs in results.items()
            for number, run in enumerate(runs)
            for rule in cell.rules
        ]

    columns = ("noise", "run", "rule", "recovered")
    return Study("figure3", "Figure 3: 500 single runs of Borda and RSD", tuple(cells), 500, columns, rows)


@cache
def _robustness() -> Study:
    """Return the study of every rule in every scenario; and where good students grade well, the rule for that."""
    rules = tuple(RULES.names)
    cells = {
        Cell("random", N, k, noise, (*rules, TIED) if name in OF_TABLE_2 else rules): name
        for k in (5, 8, 12)
        for name, noise in SCENARIOS.items()
    } | {
        Cell("complete", LIST_LENGTH, LIST_LENGTH, noise, rules, graders=LIST_GRADERS): name
        for name, noise in COMPLETE_LISTS.items()
    }

    def rows(results: Results) -> list[Row]:
        return [
            {"scenario": cells[cell], "k": cell.k, "rule": rule, **summary(runs, rule)}
            for cell, runs in results.items()
            for rule in cell.rules
        ]

    columns = ("scenario", "k", "rule", "recovered", "stderr", "runs")
    return Study(
        name="robustness",
        title="Robustness: every rule in every scenario",
        cells=tuple(cells),
        runs=20,
        columns=columns,
        rows=rows,
        times=lambda cell: 1 if cell.graders is None else LIST_RUNS,
    )
