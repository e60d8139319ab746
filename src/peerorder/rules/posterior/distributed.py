"""Chains on several workers: each sees the whole data, and goes from one stretch of sweeps to the next through files.

A task reads a chain and writes it where it is afterwards, so that it may run twice and anywhere.
"""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

from peerorder.core.arrays import FloatArray
from peerorder.core.jit import processor
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator
from peerorder.core.scratch import replace_file
from peerorder.core.workers import Workers
from peerorder.rules.posterior.chains import Chains, Problem
from peerorder.rules.posterior.grid import Grid, grid_for
from peerorder.rules.posterior.layout import make_layout
from peerorder.rules.posterior.state import Tally

__all__ = ["on_workers"]


@dataclass(frozen=True)
class Stretch:
    """Some sweeps of one chain: a task."""

    problem: Path
    before: Path
    after: Path
    tally: Path
    sweeps: int
    adapting: int
    kept: int


@dataclass(frozen=True)
class WorkerChains:
    """Chains in files."""

    workers: Workers
    problem: Path
    chains: int
    foreign: list[str]
    """Processors of workers that differ from the one here."""
    stages: Iterator[int] = field(default_factory=count)

    def advance(self, sweeps: int, adapting: int, kept: int) -> list[Tally]:
        """Run some more sweeps of every chain, and return what each leaves behind."""
        stage = next(self.stages)
        tasks = [
            Stretch(
                self.problem,
                self.workers.folder / f"chain-{number}-{stage}",
                self.workers.folder / f"chain-{number}-{stage + 1}",
                self.workers.folder / f"tally-{number}-{stage}",
                sweeps,
                adapting,
                kept,
            )
            for number in range(self.chains)
        ]
        self.foreign.extend(name for name in self.workers.run(advance, tasks) if name != processor())
        tallies = [_load(task.tally) for task in tasks]
        for task in tasks:
            task.before.unlink()
            task.tally.unlink()
        return tallies


@contextmanager
def on_workers(
    workers: Workers,
    foreign: list[str],
    profile: Profile,
    grid: Grid,
    start: FloatArray,
    tied_to_place: bool,
    streams: list[Generator],
) -> Iterator[Chains]:
    """Begin chains that run on workers; ``foreign`` collects the names of other processors than the one here."""
    path = workers.folder / "problem"
    _save(path, (profile, tied_to_place))
    problem = Problem(profile, make_layout(profile), grid, tied_to_place)
    for number, stream in enumerate(streams):
        _save(workers.folder / f"chain-{number}-0", problem.begin(start, stream))
    yield WorkerChains(workers, path, len(streams), foreign)


def advance(task: Stretch) -> str:
    """Run a task; return the processor that it ran on."""
    chain = _load(task.before)
    tally = _problem(task.problem).advance(chain, task.sweeps, task.adapting, task.kept)
    _save(task.tally, tally)
    _save(task.after, chain)
    return processor()


@lru_cache(maxsize=1)
def _problem(path: Path) -> Problem:
    # Made anew from the profile, with read-only arrays where the kernels were compiled for these.
    profile, tied_to_place = _load(path)
    return Problem(profile, make_layout(profile), grid_for(profile), tied_to_place)


def _load(path: Path) -> Any:
    return pickle.loads(path.read_bytes())


def _save(path: Path, value: object) -> None:
    replace_file(path, lambda stream: pickle.dump(value, stream, pickle.HIGHEST_PROTOCOL))
