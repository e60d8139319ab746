"""``Study``: a declared set of cells, and how their runs become a table. One runner serves all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.core.translation import gettext as _
from peerorder.engines import Engine, SameProcess, map_tasks, using
from peerorder.studies.experiment import Cell, Run, perform
from peerorder.studies.journal import Journal

__all__ = ["Results", "Row", "Study", "Table", "average", "run_studies", "summary"]

Row = dict[str, Any]
Results = Mapping[Cell, Sequence[dict[str, float]]]
"""For every cell its runs in order, each with the measured numbers: the pairwise accuracy of every rule in percent."""


@dataclass(frozen=True)
class Table:
    """One more table made of a study's results, in a file of its own."""

    name: str
    columns: tuple[str, ...]
    rows: Callable[[Results], list[Row]]


@dataclass(frozen=True)
class Study:
    """An experiment as data: its cells, the number of runs of each, and the table made of the results.

    ``measure`` is what a run measures, by default pairwise accuracy in percent; it must be importable by name.
    ``beside`` are further tables of the same results. ``times`` says how many times as many runs a cell gets, for
    cells whose runs are cheap and scatter widely.
    """

    name: str
    title: str
    cells: tuple[Cell, ...]
    runs: int
    columns: tuple[str, ...]
    rows: Callable[[Results], list[Row]]
    measure: Callable[[Run], dict[str, float]] | None = None
    beside: tuple[Table, ...] = ()
    times: Callable[[Cell], int] = lambda cell: 1  # noqa: ARG005

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables: the one of the study's own name first."""
        return (Table(self.name, self.columns, self.rows), *self.beside)

    def planned(self, seed: int, runs: int | None) -> list[Run]:
        """Return every run of every cell."""
        each = self.runs if runs is None else runs
        if each < 1:
            raise InputError(_("`runs` is {times}; it must be at least 1").format(times=each))
        child(seed)  # raises for a bad seed
        return [Run(self.name, cell, number, seed) for cell in self.cells for number in range(each * self.times(cell))]


def run_studies(
    studies: Iterable[Study],
    *,
    seed: int = 0,
    runs: int | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    journals: Mapping[str, Journal] | None = None,
    part: slice = slice(None),
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> dict[str, Results]:
    """Run everything that is not in the journals, by study; return the results of each study by its name.

    ``progress(done, total)`` is called at the start and after every run. Results do not depend on
    ``workers``, on the order in which runs finish, or on how often the work was interrupted. Rules, schemes and noises
    that exist in this process alone are run in it.

    Parameters
    ----------
    workers
        Processes of this machine that share the work; by default one for each core.
    engine
        What runs the work instead, as opened by ``peerorder.engines.open_engine``.
    part
        Which runs of every study to run, by their positions in its plan.
    """
    measures = {study: study.measure or perform for study in studies}
    if not all(cell.portable for study in measures for cell in study.cells):
        engine = SameProcess()
    planned = [run for study in measures for run in study.planned(seed, runs)[part]]
    kept = journals or {}
    found: dict[Run, dict[str, float]] = {}
    for run in planned:
        result = kept[run.study].get(run.key) if run.study in kept else None
        if result is not None:
            found[run] = result
    progress(len(found), len(planned))
    with using(engine, workers) as opened:
        for measure in dict.fromkeys(measures.values()):
            names = {study.name for study in measures if measures[study] is measure}
            todo = [run for run in planned if run.study in names and run not in found]
            for run, result in map_tasks(opened, measure, todo):
                found[run] = result
                if run.study in kept:
                    kept[run.study].add(run.key, result)
                progress(len(found), len(planned))
    results: dict[str, dict[Cell, list[dict[str, float]]]] = {}
    for run in planned:
        results.setdefault(run.study, {}).setdefault(run.cell, []).append(found[run])
    return {name: dict(cells) for name, cells in results.items()}


def summary(runs: Sequence[dict[str, float]], rule: str) -> dict[str, float | int | None]:
    """Return mean, standard error and number of runs of one rule, rounded as the tables print them."""
    mean, error = average([run[rule] for run in runs])
    return {"recovered": mean, "stderr": error, "runs": len(runs)}


def average(values: Sequence[float]) -> tuple[float, float | None]:
    """Return mean and standard error, rounded as the tables print them; one value alone has no standard error."""
    numbers = np.array(values)
    error = round(float(numbers.std(ddof=1) / np.sqrt(len(numbers))), 3) if len(numbers) > 1 else None
    return round(float(numbers.mean()), 3), error
