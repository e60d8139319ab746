"""What predictions of real judgements amount to: means over exercises, paired differences, and reliability."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from peerorder.core.arrays import FloatArray

__all__ = [
    "BINS",
    "DIFFERENCES",
    "MEASURES",
    "REFERENCE",
    "RELIABILITY",
    "Cell",
    "Mean",
    "Part",
    "differences",
    "means",
    "parts",
    "reliability_rows",
    "summarise",
]

Rows = Sequence[Mapping[str, Any]]

REFERENCE = "posterior"
MEASURES = ("predicted", "brier", "log_loss")
DIFFERENCES = (
    "kind",
    "half",
    "train",
    "rule",
    "against",
    "exercises",
    *(column for measure in MEASURES for column in (measure, f"{measure}_stderr")),
)
RELIABILITY = ("kind", "half", "train", "rule", "bin", "probability", "happened", "comparisons")
# Of the probability that the favourite of two papers wins, from 0.5 to 1.
BINS = 10
# A difference of more standard errors than this is marked.
CLEAR = 2.0


class Part(NamedTuple):
    """Exercises that are summarised together, at one share of training data."""

    kind: str
    half: str
    train: int


class Mean(NamedTuple):
    """A mean over exercises with its standard error, None where there is one exercise."""

    value: float
    stderr: float | None
    exercises: int

    @property
    def clear(self) -> bool:
        """Whether the mean is more than two standard errors from 0."""
        return self.stderr is not None and abs(self.value) > CLEAR * self.stderr


class Cell(NamedTuple):
    """The mean of a rule, and by how much that of the reference is higher; None for the reference itself."""

    mean: Mean
    difference: Mean | None


def parts(rows: Rows) -> list[Part]:
    """Return all parts that the rows have: pairs first, and the half that nothing was tuned on first."""
    found = {Part(row["kind"], row["half"], row["train"]) for row in rows}
    return sorted(found, key=lambda part: (part.kind != "pairs", part.half, part.train))


def means(rows: Rows, measure: str = "predicted") -> dict[tuple[Part, str], Mean]:
    """Return the mean over exercises of every part and rule, for rules that have this measure."""
    values: dict[tuple[Part, str], list[float]] = {}
    for row in rows:
        if row[measure] is not None:
            values.setdefault((Part(row["kind"], row["half"], row["train"]), row["rule"]), []).append(row[measure])
    return {key: _mean(each) for key, each in values.items()}


def differences(rows: Rows, reference: str = REFERENCE) -> list[dict[str, Any]]:
    """Return the reference rule less each other rule, exercise by exercise: means and their standard errors.

    Exercises differ far more from each other than rules do on one exercise, so these errors are much smaller than
    those of the means.
    """
    cells = _by_exercise(rows)
    result = []
    for (part, rule), theirs in cells.items():
        ours = cells.get((part, reference), {})
        if rule == reference or not ours.keys() & theirs.keys():
            continue
        line = {**part._asdict(), "rule": reference, "against": rule, "exercises": len(ours.keys() & theirs.keys())}
        for measure in MEASURES:
            mean = _difference(ours, theirs, measure)
            line[measure] = None if mean is None else round(mean.value, 5)
            line[f"{measure}_stderr"] = None if mean is None or mean.stderr is None else round(mean.stderr, 5)
        result.append(line)
    order = {part: index for index, part in enumerate(parts(rows))}
    return sorted(result, key=lambda line: order[Part(line["kind"], line["half"], line["train"])])


def summarise(rows: Rows, kind: str, half: str, measure: str) -> dict[str, list[Cell]]:
    """Return a cell for every share of training data of every rule that has this measure, the best rule first."""
    chosen = [row for row in rows if (row["kind"], row["half"]) == (kind, half)]
    result, cells = means(chosen, measure), _by_exercise(chosen)
    table: dict[str, list[Cell]] = {}
    for part in parts(chosen):
        ours = cells.get((part, REFERENCE), {})
        for of, rule in result:
            if of == part:
                gap = None if rule == REFERENCE else _difference(ours, cells[part, rule], measure)
                table.setdefault(rule, []).append(Cell(result[part, rule], gap))
    sign = -1 if measure == "predicted" else 1
    return dict(sorted(table.items(), key=lambda item: sign * item[1][-1].mean.value))


def reliability_rows(bins: Iterable[tuple[Mapping[str, Any], FloatArray]]) -> list[dict[str, Any]]:
    """Add up the bins of all exercises: the mean probability that favourites win, and how often they did."""
    total: dict[tuple[Part, str], FloatArray] = {}
    for head, each in bins:
        key = Part(head["kind"], head["half"], head["train"]), head["rule"]
        total[key] = total.get(key, np.zeros((BINS, 3))) + each
    return [
        {
            **part._asdict(),
            "rule": rule,
            "bin": round(0.5 + index / (2 * BINS), 2),
            "probability": round(probability / count, 5),
            "happened": round(happened / count, 5),
            "comparisons": int(count),
        }
        for (part, rule), table in sorted(total.items(), key=lambda item: (item[0][0], item[0][1]))
        for index, (probability, happened, count) in enumerate(table.tolist())
        if count
    ]


def _by_exercise(rows: Rows) -> dict[tuple[Part, str], dict[str, Mapping[str, Any]]]:
    result: dict[tuple[Part, str], dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        part = Part(row["kind"], row["half"], row["train"])
        result.setdefault((part, row["rule"]), {})[row["exercise"]] = row
    return result


def _difference(
    ours: Mapping[str, Mapping[str, Any]], theirs: Mapping[str, Mapping[str, Any]], measure: str
) -> Mean | None:
    """Return the mean over exercises of one rule less another, where both have this measure."""
    pairs = [(row[measure], theirs[exercise][measure]) for exercise, row in ours.items() if exercise in theirs]
    gaps = [one - other for one, other in pairs if one is not None and other is not None]
    return _mean(gaps) if gaps else None


def _mean(values: Sequence[float]) -> Mean:
    stderr = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None
    return Mean(float(np.mean(values)), stderr, len(values))
