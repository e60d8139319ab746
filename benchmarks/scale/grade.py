"""``grade`` of one enormous round, whole processes on the clock: beside a floor, and its sums beside other engines.

The floor is a process that streams two of the three columns and adds ``np.bincount``. Others compute the same sums as
our first pass, by their own means; before anything is timed, everybody has found the same. Memory is measured in runs
of its own.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.peak import NO_MEMORY
from benchmarks.scale import data
from benchmarks.scale.processes import LIMITS, Finished, Limits, ProcessFailed, run, run_in_turn
from benchmarks.scale.reductions import FLOOR, KNOWN, OURS, PEERS, REDUCTIONS, checksum
from benchmarks.timing import Line, Measured

__all__ = ["lines"]

N = 10_000_000
WORKERS = 2
# How many times as long as the floor each engine may take.
ENGINES = {"local": 3, "dask": 4}
MEGABYTES = 3000
WATCH_SECONDS, WATCH_LONG_SECONDS = 0.05, 1.0
ROUNDS_AT_MOST = 3


def lines(repeat: int, n: int, folder: Path) -> Iterator[Line]:
    """Yield everything about ``grade`` with integer ids, and then with text ids."""
    rounds = min(repeat, ROUNDS_AT_MOST)
    size = f"n={n:,}, k={data.K}"
    source = data.rankings(n, folder)
    yield from _beside_the_floor(source, n, size, rounds)
    yield from _beside_others(source, n, size, rounds)
    yield from _text_ids(data.rankings(n, folder, text=True), size)


def grade_command(source: Path, engine: str) -> list[str | Path]:
    """Return a command that grades a folder by Borda's rule, and writes next to it."""
    command = [sys.executable, "-m", "peerorder", "grade", source, "--rule", "borda", "--force"]
    return [*command, "--engine", engine, "--workers", str(WORKERS), "--out", _grades(source, engine)]


def _grades(source: Path, engine: str) -> Path:
    return source.parent / f"grades-{engine}.parquet"


def reduction_command(name: str, source: Path, n: int) -> list[str | Path]:
    """Return a command that computes wins and comparisons."""
    return [sys.executable, "-m", "benchmarks.scale.reductions", name, source, str(n)]


def _beside_the_floor(source: Path, n: int, size: str, rounds: int) -> Iterator[Line]:
    commands: dict[str, Sequence[str | Path]] = {engine: grade_command(source, engine) for engine in ENGINES}
    # Compiled, in the memory of the system, and their memory watched.
    watched = {engine: run(command, watch=WATCH_SECONDS) for engine, command in commands.items()}
    expected = _check(reduction_command(FLOOR, source, n))["wins"]
    for engine in ENGINES:
        if _graded_wins(_grades(source, engine)) != expected:
            raise ValueError(f"grade on {engine} and the floor count other wins")
    finished = run_in_turn({**commands, FLOOR: reduction_command(FLOOR, source, n)}, rounds)
    floor = f"{REDUCTIONS[FLOOR].name}, from start to end"
    for engine, at_most in ENGINES.items():
        what = f"grade DIR --rule borda, {engine}, {WORKERS} workers, {size}"
        for figure, text in (("seconds", "{what}, from start to end"), ("processor", "processor time of {what}")):
            ours, other = _all(finished[engine], figure), _all(finished[FLOOR], figure)
            limit = at_most if figure == "seconds" else None
            yield Line(text.format(what=what), Measured("grade", ours), Measured(floor, other), at_most=limit)
        yield _memory(f"memory in MB of {what}", watched[engine], MEGABYTES)


def _beside_others(source: Path, n: int, size: str, rounds: int) -> Iterator[Line]:
    expected = _check(reduction_command(OURS, source, n))
    stopped: dict[str, tuple[str, float | None]] = {}
    commands: dict[str, Sequence[str | Path]] = {OURS: reduction_command(OURS, source, n)}
    for name, peer in (PEERS | KNOWN).items():
        theirs = reduction_command(name, source, n)
        try:
            if _check(theirs, LIMITS) != expected:
                raise ValueError(f"{peer.name} and ours count other wins or comparisons")
            commands[name] = theirs
        except PackageNotFoundError:
            stopped[name] = f'not installed; pip install -e ".[bench]" installs {peer.package}', None
        except ProcessFailed as problem:
            stopped[name] = f"{peer.name}: {problem}", problem.stopped
    finished = run_in_turn(commands, rounds)
    ours = Measured(REDUCTIONS[OURS].name, _all(finished[OURS]))
    for name, peer in (PEERS | KNOWN).items():
        what = f"wins and comparisons, {size}, from start to end"
        at_most = 1 if name in PEERS else None
        problem, seconds = stopped.get(name, ("", None))
        if not problem:
            yield Line(what, ours, Measured(peer.name, _all(finished[name])), at_most=at_most)
        elif seconds is not None:
            yield Line(what, ours, Measured(problem, (seconds,)), at_most=at_most)
        else:
            yield Line(what, ours, at_most=at_most, left_out=problem)


def _text_ids(source: Path, size: str) -> Iterator[Line]:
    what = f"grade DIR --rule borda, text ids, {WORKERS} workers, {size}"
    try:
        # It takes minutes and has no target, so one run shows both.
        finished = run(grade_command(source, "local"), watch=WATCH_LONG_SECONDS)
    except ProcessFailed as problem:
        yield Line(f"{what}, from start to end", None, left_out=str(problem))
        return
    yield Line(f"{what}, from start to end", Measured("grade", (finished.seconds,)))
    yield _memory(f"memory in MB of {what}", finished, None)


def _check(command: Sequence[str | Path], limits: Limits | None = None) -> Mapping[str, Any]:
    """Return what tells whether two of them computed the same."""
    result: dict[str, Any] = json.loads(run([*command, "--check"], limits=limits).output)
    return result


def _graded_wins(grades: Path) -> int | None:
    """Return the checksum of wins behind Borda's scores, which are wins over comparisons."""
    table = pq.read_table(grades, columns=["paper", "score", "rankings"])
    paper, score, rankings = (column.to_numpy() for column in table.columns)
    return checksum(paper, np.rint(2 * score * rankings * (data.K - 1)), None)["wins"]


def _memory(what: str, watched: Finished, at_most: float | None) -> Line:
    if watched.megabytes is None:
        return Line(what, None, at_most=at_most, left_out=NO_MEMORY)
    return Line(what, Measured("all processes together", (watched.megabytes,), "MB"), at_most=at_most)


def _all(finished: Sequence[Finished], figure: str = "seconds") -> tuple[float, ...]:
    return tuple(getattr(each, figure) for each in finished)
