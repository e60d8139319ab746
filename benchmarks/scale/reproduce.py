"""``reproduce all`` on Dask beside the local engine, and the same bytes from both and from four merged shards."""

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.scale.processes import run, run_in_turn
from benchmarks.timing import Line, Measured

__all__ = ["lines"]

WORKERS, SHARDS = 2, 4
# Some two minutes on two idle cores, as far as two runs tell.
RUNS = 40
# How many times as long as the local engine Dask may take.
TIMES_LOCAL = 1.3
ROUNDS_AT_MOST = 2


def lines(repeat: int, folder: Path, runs: int = RUNS, studies: tuple[str, ...] = ("all",)) -> Iterator[Line]:
    """Time both engines in turn, each time into a folder of its own; then compare what was written."""
    what = f"reproduce {' '.join(studies)} --runs {runs} --workers {WORKERS}"
    rounds = min(repeat, ROUNDS_AT_MOST)
    seconds: dict[str, list[float]] = {"local": [], "dask": []}
    for index in range(rounds):
        commands = {
            engine: [*_command(studies, runs, folder / f"{engine}-{index}"), "--engine", engine] for engine in seconds
        }
        for engine, finished in run_in_turn(commands, 1).items():
            seconds[engine] += [each.seconds for each in finished]
    ours, other = (Measured(f"--engine {engine}", tuple(seconds[engine])) for engine in ("dask", "local"))
    yield Line(f"{what}, from start to end", ours, other, at_most=TIMES_LOCAL)
    shards = folder / "shards"
    for number in range(1, SHARDS + 1):
        run([*_command(studies, runs, shards), "--shard", f"{number}/{SHARDS}"])
    run([*_command(studies, runs, shards), "--merge-shards"])
    tables = [_tables(place) for place in (folder / "local-0", folder / "dask-0", shards)]
    names = {name for each in tables for name in each}
    different = sum(len({each.get(name) for each in tables}) > 1 for name in names)
    measured = Measured(f"of {len(names)} CSVs of local, dask and {SHARDS} merged shards", (different,), "CSVs")
    yield Line(f"tables with different bytes, {what}", measured, at_most=0, left_out="" if names else "no CSVs")


def _command(studies: tuple[str, ...], runs: int, out: Path) -> list[str | Path]:
    command = [sys.executable, "-m", "peerorder", "reproduce", *studies, "--runs", str(runs), "--out", out]
    return [*command, "--workers", str(WORKERS)]


def _tables(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*.csv"))}
