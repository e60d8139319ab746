"""The study behind ``peerorder plan``: accuracy of the default rule by class size, k, drop-out and noise.

Borda has an exact law for large classes; the default rule has none, so it is simulated on a grid, with Borda on the
same ballots beside it. ``plan_cache`` holds the results and reads between the points of the grid.
"""

from functools import cache
from itertools import product

import numpy as np

from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.studies.experiment import Cell, Run, begin
from peerorder.studies.runner import Results, Row, Study, average
from peerorder.theory import Forecast, borda_forecast

__all__ = ["COLUMNS", "MISSING", "NOISE", "PAPERS", "SIZES", "N", "cell", "law_of_borda", "measure", "plan"]

# The smallest has room for the largest k; beyond the largest little changes, and ``plan_cache`` says how.
N = (25, 60, 200, 400)
SIZES = (2, 3, 4, 6, 8, 11, 15, 20)
MISSING = (0, 20, 40, 60)
NOISE = (0, 10, 30, 50)
RULES_RUN = ("posterior", "borda")
PAPERS = 400
"""Papers in a run: of small classes there are as many as make up for it, so that small ones are as certain as large."""
RUNS = 2
COLUMNS = (
    *("n", "k", "missing", "noise", "rule", "recovered", "stderr", "law"),
    *("off", "off_stderr", "off_law", "runs"),
)


def cell(n: int, k: int, missing: float, noise: float) -> Cell:
    """Return a class of n on random bundles of k; ``missing`` and ``noise`` in percent."""
    return Cell("random", n, k, f"condorcet:level={noise!r},missing={missing / 100!r}", RULES_RUN)


def measure(run: Run, classes: int | None = None) -> dict[str, float]:
    """Return for every rule the pairwise accuracy and the mean error of places, in percent.

    The means of several classes, by default as many as hold ``PAPERS`` papers.
    """
    noise = NOISES.parse(run.cell.noise)
    classes = max(1, PAPERS // run.cell.n) if classes is None else classes
    sums: dict[str, float] = {}
    for number in range(classes):
        simulated = begin(Run(run.study, run.cell, run.number * classes + number, run.seed))
        profile = noise.draw(
            simulated.bundles, simulated.truth, simulated.stream("noise"), bundle_of=simulated.bundle_of
        )
        for rule in run.cell.rules:
            outcome = RULES.parse(rule).aggregate(profile, simulated.stream(f"rule {rule}"))
            off = float(np.abs(outcome.places - simulated.truth).mean()) / run.cell.n
            for key, value in ((rule, outcome.pairwise_accuracy(simulated.truth)), (f"{rule} off", off)):
                sums[key] = sums.get(key, 0.0) + 100 * value / classes
    return sums


@cache
def law_of_borda(k: int, missing: float, noise: float) -> Forecast:
    """Return the law relative to which ``plan_cache`` keeps both rules; ``missing`` and ``noise`` in percent."""
    return borda_forecast(k, missing=missing / 100, noise=noise / 100)


@cache
def plan() -> Study:
    """Return the study: the default rule and Borda at every point of the grid."""
    cells = {cell(*point): point for point in product(N, SIZES, MISSING, NOISE)}

    def rows(results: Results) -> list[Row]:
        table = []
        for each, runs in results.items():
            n, k, missing, noise = cells[each]
            law = law_of_borda(k, missing, noise)
            for rule in each.rules:
                recovered, stderr = average([run[rule] for run in runs])
                off, off_stderr = average([run[f"{rule} off"] for run in runs])
                point = {"n": n, "k": k, "missing": missing, "noise": noise, "rule": rule}
                pairs = {"recovered": recovered, "stderr": stderr, "law": round(100 * law.pairwise_accuracy, 3)}
                places = {"off": off, "off_stderr": off_stderr, "off_law": round(100 * law.off, 3)}
                table.append({**point, **pairs, **places, "runs": len(runs)})
        return table

    title = "Planning: the default rule and Borda by class size, papers each, drop-out and noise"
    return Study("plan", title, tuple(cells), RUNS, COLUMNS, rows, measure)
