"""Real people: how well every rule predicts judgements that it has not seen.

There is no truth to compare with, so judgements are held out: a rule merges a random part of an exercise, and predicts
the rest. Decisions between two papers are divided one by one; of lists, all that a grader said is seen or held out.
Exercises come from a folder of the reader's own. ``real_summary`` says what the numbers amount to.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from peerorder._version import __version__
from peerorder.core.arrays import FloatArray, Int32Array
from peerorder.core.errors import InputError
from peerorder.core.outcome import Outcome
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator, child
from peerorder.core.translation import gettext as _
from peerorder.engines import Engine, map_tasks, using
from peerorder.files import Exercise, output_directory, read_exercise, write_provenance, write_rows
from peerorder.files.tables.exercises import HALVES, exercise_files, half_of
from peerorder.rules import RULES
from peerorder.rules.contests import list_pairs
from peerorder.studies.journal import code_digest
from peerorder.studies.real_summary import BINS, DIFFERENCES, RELIABILITY, differences, reliability_rows
from peerorder.studies.runner import Row

__all__ = ["COLUMNS", "SPLITS", "TRAIN", "Score", "Split", "judge", "predict", "run_real", "split_exercise"]

COLUMNS = ("exercise", "kind", "half", "train", "rule", "predicted", "brier", "log_loss", "comparisons", "splits")
TRAIN = (20, 30, 50, 70)
SPLITS = 2
# Lists take little time, and few graders make a single split uncertain.
MORE_SPLITS = {"pairs": 1, "lists": 5}
# With fewer decisions, a part says nothing about the rest; with more, a single merge takes minutes.
DECISIONS = range(20, 50_001)
FEWEST_GRADERS = 7
PAPERS = range(4, 61)
# The size of a class exercise: of more graders, every split draws this many.
CLASS = 30
# For a paper, as many decisions as anybody makes about one: of more, every split draws this many. A few papers with
# thousands of decisions would take longer than all other exercises.
DECISIONS_A_PAPER = 100
FEWEST_SEEN = 2


@dataclass(frozen=True)
class Split:
    """One division of one exercise into what rules see and what they must predict."""

    path: Path
    train: int
    number: int
    rules: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return _("split {number} of {file}, trained on {train}%").format(
            number=self.number, file=self.path.name, train=self.train
        )


@dataclass(frozen=True, eq=False)
class Score:
    """Sums over held-out comparisons: how many, how many predicted correctly, the loss, and all by probability.

    ``bins`` has, for every bin of the probability that the favourite wins, that probability, how often it did, and the
    number of comparisons. Without probabilities, losses are not a number and the bins are empty.
    """

    comparisons: int
    right: float
    brier: float
    log_loss: float
    bins: FloatArray

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.comparisons + other.comparisons,
            self.right + other.right,
            self.brier + other.brier,
            self.log_loss + other.log_loss,
            self.bins + other.bins,
        )


@lru_cache(maxsize=4)
def _exercise(path: Path) -> Exercise | None:
    """Read an exercise, if there is one and it has a fitting size."""
    exercise = read_exercise(path)
    if exercise is None:
        return None
    # Graders who are held out have said something that can be predicted.
    exercise = replace(exercise, profile=exercise.profile.select(exercise.profile.informative))
    profile = exercise.profile
    if exercise.kind == "pairs":
        return exercise if len(profile) in DECISIONS else None
    return exercise if len(np.unique(profile.grader)) >= FEWEST_GRADERS and profile.n_papers in PAPERS else None


def split_exercise(exercise: Exercise, train: int, rng: Generator) -> tuple[Profile, Profile]:
    """Divide an exercise at random into ballots to learn from, ``train`` percent, and ballots to predict."""
    profile = exercise.profile
    unit = np.arange(len(profile)) if exercise.kind == "pairs" else profile.grader
    most = CLASS if exercise.kind == "lists" else DECISIONS_A_PAPER * profile.n_papers
    units = rng.permutation(np.unique(unit))[:most]
    seen = max(FEWEST_SEEN, round(len(units) * train / 100))
    part = profile.select(np.isin(unit, units[:seen]))
    # Without the graders who are held out: rules would learn their number.
    graders, grader = np.unique(part.grader, return_inverse=True)
    known = Profile(
        part.papers, part.start, part.n_papers, grader=grader, authored=part.authored[graders], levels=part.levels
    )
    return known, profile.select(np.isin(unit, units[seen:]))


def predict(split: Split) -> dict[str, Score]:
    """Return how well each rule predicts the held-out comparisons."""
    exercise = _exercise(split.path)
    if exercise is None:
        raise InputError(_("{path} no longer holds an exercise").format(path=split.path))
    name = (exercise.name, split.train, split.number)
    known, hidden = split_exercise(exercise, split.train, child(split.seed, "real", *name))
    above, below, untied = list_pairs(hidden.papers, hidden.start, hidden.tie_levels)
    above, below = above[untied > 0], below[untied > 0]
    return {
        rule: judge(RULES.parse(rule).aggregate(known, child(split.seed, "real", *name, rule)), above, below)
        for rule in split.rules
    }


def judge(outcome: Outcome, above: Int32Array, below: Int32Array) -> Score:
    """Compare what a rule predicts with comparisons in which somebody put one paper above another."""
    right = float(np.sum((np.sign(outcome.scores[above] - outcome.scores[below]) + 1) / 2))
    if outcome.result.preferences is None:
        return Score(len(above), right, np.nan, np.nan, np.zeros((BINS, 3)))
    chance = outcome.preference(above, below)
    # The loss of something that was held for impossible is large but finite.
    log_loss = -np.log(np.maximum(chance, np.finfo(float).tiny))
    favourite = np.maximum(chance, 1 - chance)
    happened = (np.sign(chance - 0.5) + 1) / 2
    index = np.minimum(((favourite - 0.5) * 2 * BINS).astype(int), BINS - 1)
    columns = (favourite, happened, np.ones(len(chance)))
    bins = np.stack([np.bincount(index, column, BINS) for column in columns], axis=1).astype(np.float64)
    return Score(len(above), right, float(np.sum((1 - chance) ** 2)), float(np.sum(log_loss)), bins)


def run_real(
    data: Path,
    out: Path,
    *,
    half: str | None = None,
    seed: int = 0,
    splits: int | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> tuple[list[Row], list[str]]:
    """Run every rule on every exercise in a folder; return the rows of ``real.csv``, and the files left out.

    ``half`` is one of ``HALVES``; without it, both are run.
    """
    times = SPLITS if splits is None else splits
    if times < 1:
        raise InputError(_("the number of runs is {times}; it must be at least 1").format(times=times))
    if half is not None and half not in HALVES:
        raise InputError(
            _("`half` is {half!r}; it must be one of {halves}").format(half=half, halves=", ".join(HALVES))
        )
    child(seed)
    if not data.is_dir():
        raise InputError(_("`data` {data} is not a folder; give the folder with the exercises").format(data=data))
    # Workers may run in another folder.
    files = exercise_files(data.resolve())
    chosen = {name: path for name, path in files.items() if half in (None, half_of(name))}
    exercises = {path: exercise.kind for path in chosen.values() if (exercise := _exercise(path)) is not None}
    left_out = [path.name for path in chosen.values() if path not in exercises]
    if not exercises:
        raise InputError(
            _(
                "`data` {data} has no exercise: no CSV with the columns judge, candidate_chosen and "
                "candidate_not_chosen, or grader, paper and rank, and no .soc or .toc file of PrefLib, with enough "
                "judgements"
            ).format(data=data)
        )
    rules = tuple(RULES.names)
    planned = {
        (path, train): [Split(path, train, t, rules, seed) for t in range(times * MORE_SPLITS[kind])]
        for path, kind in exercises.items()
        for train in TRAIN
    }
    todo = [split for cell in planned.values() for split in cell]
    output_directory(out)
    results: dict[Split, dict[str, Score]] = {}
    progress(0, len(todo))
    with using(engine, workers) as opened:
        for split, result in map_tasks(opened, predict, todo):
            results[split] = result
            progress(len(results), len(todo))
    rows, bins = [], []
    for (path, train), cell in planned.items():
        head = {"exercise": path.stem, "kind": exercises[path], "half": half_of(path.stem), "train": train}
        for rule in rules:
            # One after another in their order, so that rounding does not depend on who was done first.
            total = sum((results[split][rule] for split in cell[1:]), results[cell[0]][rule])
            rows.append({**head, "rule": rule, **_shares(total), "splits": len(cell)})
            bins.append(({**head, "rule": rule}, total.bins))
    about = {"study": "real", "data": data.resolve().name, "exercises": len(exercises), "splits": times, "seed": seed}
    about |= {"half": half or "both", "version": __version__, "code": code_digest()}
    tables = {
        "real": (COLUMNS, rows),
        "real-differences": (DIFFERENCES, differences(rows)),
        "real-reliability": (RELIABILITY, reliability_rows(bins)),
    }
    for name, (columns, lines) in tables.items():
        write_rows(out / f"{name}.csv", columns, lines)
        write_provenance(out / f"{name}.csv", about)
    _draw(rows, tables["real-reliability"][1], out)
    return rows, left_out


def _shares(total: Score) -> Row:
    def mean(value: float, digits: int) -> float | None:
        return None if np.isnan(value) else round(value / total.comparisons, digits)

    return {
        "predicted": mean(100 * total.right, 3),
        "brier": mean(total.brier, 5),
        "log_loss": mean(total.log_loss, 5),
        "comparisons": total.comparisons,
    }


def _draw(rows: list[Row], reliability: list[Row], out: Path) -> None:
    from peerorder.studies.figure_style import save  # loads matplotlib
    from peerorder.studies.real_figures import figure_preferences, figure_real

    save(figure_real(rows), out / "real")
    if reliability:
        save(figure_preferences(reliability), out / "real-reliability")
