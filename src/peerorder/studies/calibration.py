"""Calibration: how often the intervals of ``posterior`` hold the truth, and how well it knows its graders.

Only simulated classes can tell, because only there the true places and the graders' true reliabilities are
known. The scenarios are those whose graders are among the kinds that the rule reckons with: what it says about
others is a matter of robustness.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from peerorder.core.errors import InputError
from peerorder.core.outcome import RuleResult
from peerorder.noise import NOISES, Drawn
from peerorder.rules import RULES
from peerorder.studies.experiment import Cell, Run, begin
from peerorder.studies.runner import Results, Row, Study, Table, average

__all__ = ["BINS", "GOOD", "SCENARIOS", "calibration", "measure"]

RULE = "posterior"
SIZES = (200, 1000)
BUNDLES = (5, 8)
RUNS = 10
# Stated reliabilities are put into so many bins of equal width.
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
    """What one class shows: shares in percent for the papers, and counts for the graders, to be added up over runs."""
    begun = begin(run)
    drawn = NOISES.parse(run.cell.noise).drawn(
        begun.bundles, begun.truth, begun.stream("noise"), bundle_of=begun.bundle_of
    )
    (rule,) = run.cell.rules
    found = RULES.parse(rule).aggregate(drawn.profile, begun.stream(f"rule {rule}")).findings
    if found.intervals is None:
        raise InputError(f"{rule} gives no intervals, so there is nothing to calibrate; the rule posterior does")
    low, high = found.intervals.T
    place = begun.truth + 1
    return {
        "inside": 100 * float(np.mean((low <= place) & (place <= high))),
        "width": float(np.mean(high - low + 1)),
        **_flagged(found, drawn),
        **_reliabilities(found, drawn),
    }


def _flagged(found: RuleResult, drawn: Drawn) -> dict[str, float]:
    """How many graders there are of each sort, and how many of them are flagged."""
    flags = np.array(found.flags)
    honest = drawn.role == ""
    sorts = {
        # Somebody who ranks backwards and is called random has not been seen through.
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


def _reliabilities(found: RuleResult, drawn: Drawn) -> dict[str, float]:
    """Stated and true reliabilities added up by bins of the stated one, and how many intervals hold the true one."""
    stated, ends = found.reliability, found.reliability_intervals
    if stated is None or ends is None:
        raise InputError("the rule says nothing about graders, so there is nothing to calibrate")
    true = drawn.reliability
    known = ~np.isnan(true)
    # To the nearest percent: finer than that the rule's kinds of grader do not go.
    low, high = np.round(ends[:, 0], 2), np.round(ends[:, 1], 2)
    held: NDArray[np.bool_] = known & (low <= np.round(true, 2)) & (np.round(true, 2) <= high)
    sums: dict[str, float] = {"known graders": int(known.sum()), "known held": int(held.sum())}
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    for at in np.unique(bins[known]):
        here = known & (bins == at)
        sums[f"bin {at} graders"] = int(here.sum())
        sums[f"bin {at} stated"] = float(stated[here].sum())
        sums[f"bin {at} true"] = float(true[here].sum())
    return sums


@cache
def calibration() -> Study:
    """The posterior in every scenario, in small classes and large ones, with few papers each and more."""
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
            for at in range(BINS):
                graders = _sum(runs, f"bin {at} graders")
                if graders:
                    table.append(
                        {
                            "scenario": scenario,
                            "k": k,
                            "bin": round(at / BINS, 4),
                            "stated": round(_sum(runs, f"bin {at} stated") / graders, 4),
                            "true": round(_sum(runs, f"bin {at} true") / graders, 4),
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
    """Added up over the runs; a bin that nobody of a run is in is not in its results."""
    return sum(run.get(key, 0.0) for run in runs)


def _percent(runs: Sequence[dict[str, float]], part: str, whole: str) -> float | None:
    everybody = _sum(runs, whole)
    return round(100 * _sum(runs, part) / everybody, 3) if everybody else None
