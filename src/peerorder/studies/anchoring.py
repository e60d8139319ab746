"""Anchoring: the error of marks that are based on a few papers marked by staff.

True marks fall with the true place; how they fall is the class's shape. Staff mark a few papers, with an error. Then
the same anchors give marks twice: with the order that the rule computed, and with the true one, which shows the
error that remains when only staff err.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from peerorder.core.arrays import FloatArray, IntArray
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome, RuleResult
from peerorder.core.randomness import Generator
from peerorder.core.translation import gettext as _
from peerorder.marks import AnchoredScale, next_anchors
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.studies.experiment import Cell, Run, SimulatedRound, begin
from peerorder.studies.runner import Results, Row, Study, average

__all__ = ["CHOICES", "SHAPES", "anchoring", "measure", "true_marks"]

ANCHORS = 10
STAFF_ERROR = 5.0
RUNS = 60

SHAPES: dict[str, Callable[[Generator, int], FloatArray]] = {
    "bell curve": lambda rng, n: rng.normal(65, 15, n),
    "evenly spread": lambda rng, n: rng.uniform(30, 100, n),
    "many good ones": lambda rng, n: 100 * rng.beta(5, 1.5, n),
    "two groups": lambda rng, n: np.where(rng.random(n) < 0.35, rng.normal(45, 6, n), rng.normal(78, 7, n)),
    "many full marks": lambda rng, n: rng.normal(85, 15, n),
}
"""Distributions of true marks over a class."""


def chosen(outcome: Outcome, k: int, rng: Generator) -> IntArray:
    """Return the anchors that peerorder suggests."""
    del rng
    return np.array([each.paper for each in next_anchors(outcome, k)], np.int64)


def evenly(outcome: Outcome, k: int, rng: Generator) -> IntArray:
    """Return anchors at equal distances in the order."""
    del rng
    n = len(outcome.order)
    return outcome.order[np.floor((np.arange(k) + 0.5) / k * n).astype(np.int64)]


def at_random(outcome: Outcome, k: int, rng: Generator) -> IntArray:
    """Return random papers."""
    return rng.choice(len(outcome.order), k, replace=False)


CHOICES: dict[str, Callable[[Outcome, int, Generator], IntArray]] = {
    "chosen": chosen,
    "evenly": evenly,
    "random": at_random,
}
"""Ways to choose the papers that staff mark."""


def true_marks(shape: str, truth: IntArray, rng: Generator) -> FloatArray:
    """Draw a true mark from 0 to 100 for every paper, higher for better places."""
    marks = np.sort(np.clip(SHAPES[shape](rng, len(truth)), 0, 100))[::-1]
    return np.ascontiguousarray(marks[truth])


def measure(run: Run) -> dict[str, float]:
    """Return mean errors in marks, for every shape and choice: with the computed order and with the true one."""
    simulated = begin(run)
    noise = NOISES.parse(run.cell.noise)
    profile = noise.draw(simulated.bundles, simulated.truth, simulated.stream("noise"), bundle_of=simulated.bundle_of)
    (rule,) = run.cell.rules
    outcome = RULES.parse(rule).aggregate(profile, simulated.stream(f"rule {rule}"))
    known = _true_order(outcome, simulated)
    result: dict[str, float] = {}
    for shape in SHAPES:
        marks = true_marks(shape, simulated.truth, simulated.stream(f"marks {shape}"))
        off = simulated.stream(f"staff {shape}").normal(0, STAFF_ERROR, len(marks))
        for name, choice in CHOICES.items():
            anchors = choice(outcome, ANCHORS, simulated.stream(f"anchors {shape}"))
            by_staff = np.clip(marks[anchors] + off[anchors], 0, 100)
            scale = AnchoredScale(anchors, by_staff, STAFF_ERROR)
            given = scale.fit(outcome)
            if given.low is None or given.high is None:
                raise InputError(
                    _("{rule} gives no intervals, so there is nothing to calibrate; the rule posterior does").format(
                        rule=rule
                    )
                )
            key = f"{shape}/{name}"
            result[f"{key}/error"] = float(np.mean(np.abs(given.marks - marks)))
            result[f"{key}/known"] = float(np.mean(np.abs(scale.marks(known) - marks)))
            result[f"{key}/inside"] = 100 * float(np.mean((given.low <= marks) & (marks <= given.high)))
            # The papers that staff marked: by the curve, and by their own mark.
            result[f"{key}/smoothed"] = float(np.mean(np.abs(given.marks[anchors] - marks[anchors])))
            result[f"{key}/kept"] = float(np.mean(np.abs(by_staff - marks[anchors])))
            result[f"{key}/width"] = float(np.mean(given.high - given.low))
    return result


def _true_order(outcome: Outcome, simulated: SimulatedRound) -> Outcome:
    """Return the outcome of a rule that makes no mistakes."""
    return Outcome(
        order=np.argsort(simulated.truth),
        result=RuleResult(scores=-simulated.truth.astype(np.float64)),
        rule="the truth",
        options={},
        profile=outcome.profile,
        generator={},
    )


@cache
def anchoring() -> Study:
    """Return the study: ten anchors in a class of 300 that ranks six papers each."""
    cells = (Cell("random", 300, 6, "condorcet:level=30", ("posterior",)),)

    def rows(results: Results) -> list[Row]:
        table = []
        for runs in results.values():
            for shape in SHAPES:
                for choice in CHOICES:
                    of = {
                        what: average([run[f"{shape}/{choice}/{what}"] for run in runs])
                        for what in ("error", "known", "inside", "width", "smoothed", "kept")
                    }
                    table.append(
                        {
                            "marks": shape,
                            "anchors": choice,
                            "error": of["error"][0],
                            "stderr": of["error"][1],
                            "known": of["known"][0],
                            "ratio": round(of["error"][0] / of["known"][0], 3),
                            "inside": of["inside"][0],
                            "width": of["width"][0],
                            "smoothed": of["smoothed"][0],
                            "kept": of["kept"][0],
                            "runs": len(runs),
                        }
                    )
        return table

    columns = (
        *("marks", "anchors", "error", "stderr", "known", "ratio", "inside", "width"),
        *("smoothed", "kept", "runs"),
    )
    return Study(
        "anchoring", "Anchoring: marks from a few papers that staff marked", cells, RUNS, columns, rows, measure
    )
