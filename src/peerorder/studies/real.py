"""Real judges: how well every rule predicts decisions that it has not seen.

There is no truth to compare with, so decisions are held out: a rule merges a random part of a
session's decisions, and its scores predict the rest. A decision between papers of equal score counts
one half. Sessions come from a folder of CSVs of the reader's own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.core.translation import gettext as _
from peerorder.engines import Engine, map_tasks, using
from peerorder.files import Session, output_directory, read_session, write_provenance, write_rows
from peerorder.rules import RULES
from peerorder.studies.journal import code_digest
from peerorder.studies.runner import Row

__all__ = ["COLUMNS", "SPLITS", "Split", "means", "predict", "run_real"]

COLUMNS = ("session", "train", "rule", "predicted", "decisions", "splits")
TRAIN = (30, 70)
SPLITS = 5
# With fewer decisions, a part says nothing about the rest.
FEWEST = 20


@dataclass(frozen=True)
class Split:
    """One division of one session into what rules see and what they must predict."""

    path: Path
    train: int
    number: int
    rules: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        return _("split {number} of {file}, trained on {train}%").format(
            number=self.number, file=self.path.name, train=self.train
        )


@lru_cache(maxsize=4)
def _session(path: Path) -> Session | None:
    return read_session(path)


def predict(split: Split) -> dict[str, float]:
    """Return the percentage of held-out decisions that each rule predicts correctly."""
    session = _session(split.path)
    if session is None:
        raise InputError(_("{path} no longer holds any decisions").format(path=split.path))
    name = (session.name, split.train, split.number)
    order = child(split.seed, "real", *name).permutation(len(session))
    seen = max(1, round(len(session) * split.train / 100))
    profile, hidden = session.profile(order[:seen]), order[seen:]
    result = {}
    for rule in split.rules:
        scores = RULES.parse(rule).aggregate(profile, child(split.seed, "real", *name, rule)).scores
        lead = scores[session.chosen[hidden]] - scores[session.other[hidden]]
        result[rule] = 100 * float(np.mean((np.sign(lead) + 1) / 2))
    return result


def run_real(
    data: Path,
    out: Path,
    *,
    seed: int = 0,
    splits: int | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> tuple[list[Row], list[str]]:
    """Run every rule on every session in a folder; return the rows of ``real.csv``, and the files left out."""
    times = SPLITS if splits is None else splits
    if times < 1:
        raise InputError(_("the number of runs is {times}; it must be at least 1").format(times=times))
    child(seed)
    if not data.is_dir():
        raise InputError(_("`data` {data} is not a folder; give the folder with the session files").format(data=data))
    found, left_out = {}, []
    # Workers may run in another folder.
    for path in sorted(data.resolve().glob("*.csv")):
        session = _session(path)
        if session is None or len(session) < FEWEST:
            left_out.append(path.name)
        else:
            found[path] = len(session)
    if not found:
        wanted = "judge, candidate_chosen and candidate_not_chosen"
        raise InputError(
            _("`data` {data} has no CSV with the columns {wanted} and at least {fewest} decisions").format(
                data=data, wanted=wanted, fewest=FEWEST
            )
        )
    rules = tuple(RULES.names)
    planned = [Split(path, train, t, rules, seed) for path in found for train in TRAIN for t in range(times)]
    output_directory(out)
    results: dict[Split, dict[str, float]] = {}
    progress(0, len(planned))
    with using(engine, workers) as opened:
        for split, result in map_tasks(opened, predict, planned):
            results[split] = result
            progress(len(results), len(planned))
    rows = [
        {
            "session": path.stem,
            "train": train,
            "rule": rule,
            "predicted": round(
                float(np.mean([results[Split(path, train, t, rules, seed)][rule] for t in range(times)])), 3
            ),
            "decisions": decisions,
            "splits": times,
        }
        for path, decisions in found.items()
        for train in TRAIN
        for rule in rules
    ]
    path = out / "real.csv"
    write_rows(path, COLUMNS, rows)
    about = {"study": "real", "data": str(data), "sessions": len(found), "splits": times, "seed": seed}
    write_provenance(path, {**about, "version": __version__, "code": code_digest()})
    _draw(rows, out)
    return rows, left_out


def _draw(rows: list[Row], out: Path) -> None:
    from peerorder.studies.dotplot import figure_real  # loads matplotlib
    from peerorder.studies.figure_style import save

    save(figure_real(rows), out / "real")


def means(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], tuple[float, float | None]]:
    """Return the mean over the sessions and its standard error, for every rule and share of training decisions."""
    result: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        result.setdefault((row["rule"], row["train"]), []).append(row["predicted"])
    return {
        key: (float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None)
        for key, values in result.items()
    }
