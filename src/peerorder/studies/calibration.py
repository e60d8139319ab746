"""Calibration: how often the intervals of ``posterior`` contain the truth, and how well it estimates reliabilities.

Only simulated classes can tell, because only there the true places and the graders' true reliabilities are
known. The scenarios are those whose graders are among the grader types of the rule's model: others are a
matter of robustness.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from peerorder.core.errors import InputError
from peerorder.core.outcome import RuleResult
from peerorder.core.translation import gettext as _
from peerorder.noise import NOISES, SimulatedClass
from peerorder.rules import RULES
from peerorder.studies.experiment import Cell, Run, begin
from peerorder.studies.runner import Results, Row, Study, Table, average

__all__ = ["BINS", "GOOD", "SCENARIOS", "calibration", "measure"]

RULE = "posterior"
SIZES = (200, 1000)
BUNDLES = (5, 8)
RUNS = 10
# Stated reliabilities are put into this many bins of equal width.
BINS = 20
# A grader of this reliability or more should not be flagged.
GOOD = 0.65

SCENARIOS: dict[str, str] = {
    "perfect": "perfect",
    "condorcet 30, tied to place": "condorcet:level=30",
    "condorcet 50, tied to place": "condorcet:level=50",
    "condorcet 30, independent": "condorcet:level=30,tied=no",
    "condorcet 50, independent": "condorcet:level=50,tied=no",
    "plackett-luce 0.5": "plackett-luce:scale=0.5",
    "thurstone 0.2": "thurstone:sigma=0.2",
    "thurstone 0.5": "thurstone:sigma=0.5",
    "thurstone 1": "thurstone:sigma=1",
    "thurstone 0.3, 20% random": "thurstone:sigma=0.3,random=0.2",
    "thurstone 0.3, 10% reversed": "thurstone:sigma=0.3,reversed=0.1",
}
"""The noise model of every scenario, by the name that tables and figures show."""


def measure(run: Run) -> dict[str, float]:
    """Measure one class: shares in percent for the papers, and counts for the graders, to be added up over runs."""
    simulated = begin(run)
    drawn = NOISES.parse(run.cell.noise).draw_class(
        simulated.bundles, simulated.truth, simulated.stream("noise"), bundle_of=simulated.bundle_of
    )
    (rule,) = run.cell.rules
    result = RULES.parse(rule).aggregate(drawn.profile, simulated.stream(f"rule {rule}")).result
    if result.intervals is None:
        raise InputError(
            _("{rule} gives no intervals, so there is nothing to calibrate; the rule posterior does").format(rule=rule)
        )
    low, high = result.intervals.T
    place = simulated.truth + 1
    return {
        "inside": 100 * float(np.mean((low <= place) & (place <= high))),
        "width": float(np.mean(high - low + 1)),
        **_flagged(result, drawn),
        **_reliabilities(result, drawn),
    }


def _flagged(result: RuleResult, drawn: SimulatedClass) -> dict[str, float]:
    """Count the graders of each sort, and those who are flagged."""
    flags = np.array(result.flags)
    honest = drawn.role == ""
    sorts = {
        # A grader who ranks backwards and is flagged as random has not been recognised.
        "random": (drawn.role == "random", flags == "random"),
        "reversed": (drawn.role == "reversed", flags == "reversed"),
        "honest": (honest, flags != ""),
        "good": (honest & (drawn.reliability >= GOOD), flags != ""),
    }
    counts: dict[str, float] = {}
    for name, (who, seen) in sorts.items():
        counts[f"{name} graders"] = int(who.sum())
        counts[f"{name} flagged"] = int((who & seen).sum())
    return counts


def _reliabilities(result: RuleResult, drawn: SimulatedClass) -> dict[str, float]:
    """Sum stated and true reliabilities by bins of the stated one, and count intervals that contain the true one."""
    stated, ends = result.reliability, result.reliability_intervals
    if stated is None or ends is None:
        raise InputError(_("the rule does not estimate reliability, so there is nothing to calibrate"))
    true = drawn.reliability
    known = ~np.isnan(true)
    # To the nearest percent: the rule's grader types are no finer.
    low, high = np.round(ends[:, 0], 2), np.round(ends[:, 1], 2)
    held: NDArray[np.bool_] = known & (low <= np.round(true, 2)) & (np.round(true, 2) <= high)
    sums: dict[str, float] = {"known graders": int(known.sum()), "known held": int(held.sum())}
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    for index in np.unique(bins[known]):
        members = known & (bins == index)
        sums[f"bin {index} graders"] = int(members.sum())
        sums[f"bin {index} stated"] = float(stated[members].sum())
        sums[f"bin {index} true"] = float(true[members].sum())
    return sums


@cache
def calibration() -> Study:
    """Return the study: the posterior in every scenario, in small and large classes, with few papers each and more."""
    cells = {
        Cell("random", n, k, noise, (RULE,)): name for name, noise in SCENARIOS.items() for n in SIZES for k in BUNDLES
    }

    def rows(results: Results) -> list[Row]:
        table = []
        for cell, runs in results.items():
            inside, stderr = average([run["inside"] for run in runs])
            table.append(
                {
                    "scenario": cells[cell],
                    "n": cell.n,
                    "k": cell.k,
                    "inside": inside,
                    "stderr": stderr,
                    "width": average([run["width"] for run in runs])[0],
                    "reliability_inside": _percent(runs, "known held", "known graders"),
                    "flagged_random": _percent(runs, "random flagged", "random graders"),
                    "flagged_reversed": _percent(runs, "reversed flagged", "reversed graders"),
                    "flagged_wrongly": _percent(runs, "honest flagged", "honest graders"),
                    "flagged_good": _percent(runs, "good flagged", "good graders"),
                    "runs": len(runs),
                }
            )
        return table

    def reliabilities(results: Results) -> list[Row]:
        table = []
        for scenario, k in dict.fromkeys((cells[cell], cell.k) for cell in results):
            runs = [run for cell in results if (cells[cell], cell.k) == (scenario, k) for run in results[cell]]
            for index in range(BINS):
                graders = _sum(runs, f"bin {index} graders")
                if graders:
                    table.append(
                        {
                            "scenario": scenario,
                            "k": k,
                            "bin": round(index / BINS, 4),
                            "stated": round(_sum(runs, f"bin {index} stated") / graders, 4),
                            "true": round(_sum(runs, f"bin {index} true") / graders, 4),
                            "graders": int(graders),
                        }
                    )
        return table

    columns = (
        *("scenario", "n", "k", "inside", "stderr", "width", "reliability_inside"),
        *("flagged_random", "flagged_reversed", "flagged_wrongly", "flagged_good", "runs"),
    )
    return Study(
        name="calibration",
        title="Calibration: what the posterior says about papers and graders, and the truth",
        cells=tuple(cells),
        runs=RUNS,
        columns=columns,
        rows=rows,
        measure=measure,
        beside=(Table("reliability", ("scenario", "k", "bin", "stated", "true", "graders"), reliabilities),),
    )


def _sum(runs: Sequence[dict[str, float]], key: str) -> float:
    """Sum over the runs; an empty bin of a run is not in its results."""
    return sum(run.get(key, 0.0) for run in runs)


def _percent(runs: Sequence[dict[str, float]], part: str, whole: str) -> float | None:
    everybody = _sum(runs, whole)
    return round(100 * _sum(runs, part) / everybody, 3) if everybody else None
