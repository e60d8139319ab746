"""Rules that merge rankings by sums over partitions: the same scores as in memory, and rounds beyond memory to the end.

``python -m benchmarks.scale.rules differences RULE FOLDER N`` prints the largest differences between scores of streamed
rankings and of the same ones in memory; ``python -m benchmarks.scale.rules seconds N RULE RULE`` how long rules take in
memory, in turn.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from benchmarks.data import handed_out_round
from benchmarks.peak import NO_MEMORY
from benchmarks.scale import data
from benchmarks.scale.processes import ProcessFailed, run
from benchmarks.timing import Line, Measured
from peerorder import RULES, child

__all__ = ["differences", "lines", "seconds"]

PLACKETT_LUCE, MIXTURE = "plackett-luce", "mixture"
WORKERS = 2
SMALL, MIDDLE, LARGE = 100_000, 1_000_000, 10_000_000
PRECISION = 1e-6
MEGABYTES_A_WORKER = 4000
TIMES_PLACKETT_LUCE = 3
# It runs for minutes.
WATCH_SECONDS = 2.0
WARM_UP = 200
ROUNDS_AT_MOST = 2


def lines(repeat: int, folder: Path, sizes: tuple[int, int, int] = (SMALL, MIDDLE, LARGE)) -> Iterator[Line]:
    """Yield everything; ``sizes`` are of the round to compare, of that to time in memory, and of that to stream."""
    small, middle, large = sizes
    for rule in (PLACKETT_LUCE, MIXTURE):
        yield from _agreement(rule, small, folder)
        yield from _to_the_end(rule, large, folder)
    yield _in_memory(middle, min(repeat, ROUNDS_AT_MOST))


def _agreement(rule: str, n: int, folder: Path) -> Iterator[Line]:
    missing = _why_not(rule)
    found = {"relative": 0.0, "logarithmic": 0.0}
    if not missing:
        found = json.loads(run([*_module("differences"), rule, data.rankings(n, folder), str(n)]).output)
    for kind, value in found.items():
        what = f"{rule}, streamed beside in memory, n={n:,}, k={data.K}, largest {kind} difference of a score"
        # In millionths, so that a table shows more than a nought.
        ours = None if missing else Measured("of all papers", (value / 1e-6,), "millionths")
        yield Line(what, ours, at_most=PRECISION / 1e-6, left_out=missing)


def _to_the_end(rule: str, n: int, folder: Path) -> Iterator[Line]:
    what = f"grade DIR --rule {rule}, {WORKERS} workers, n={n:,}, k={data.K}"
    missing = _why_not(rule)
    seconds = memory = None
    if not missing:
        source = data.rankings(n, folder)
        command = [sys.executable, "-m", "peerorder", "grade", source, "--rule", rule, "--force", "--engine", "local"]
        command += ["--workers", str(WORKERS), "--out", folder / f"grades-{rule}.parquet"]
        try:
            finished = run(command, watch=WATCH_SECONDS)
            seconds = Measured("grade", (finished.seconds,))
            memory = finished.largest and Measured("the largest process", (finished.largest,), "MB")
        except ProcessFailed as problem:
            missing = str(problem)
    yield Line(f"{what}, from start to end", seconds, left_out=missing)
    left_out = missing or ("" if memory else NO_MEMORY)
    yield Line(f"memory in MB of {what}", memory or None, at_most=MEGABYTES_A_WORKER, left_out=left_out)


def _in_memory(n: int, rounds: int) -> Line:
    what = f"{MIXTURE} in memory, n={n:,}, k={data.K}"
    if MIXTURE not in RULES:
        return Line(what, None, at_most=TIMES_PLACKETT_LUCE, left_out=f"peerorder has no rule {MIXTURE}")
    found = json.loads(run([*_module("seconds"), str(n), MIXTURE, PLACKETT_LUCE, "--rounds", str(rounds)]).output)
    ours, other = (Measured(rule, tuple(found[rule])) for rule in (MIXTURE, PLACKETT_LUCE))
    return Line(what, ours, other, at_most=TIMES_PLACKETT_LUCE)


def _why_not(rule: str) -> str:
    if rule not in RULES:
        return f"peerorder has no rule {rule}"
    return "" if RULES[rule].merge_partitions else f"{rule} does not merge partitions"


def _module(task: str) -> list[str | Path]:
    return [sys.executable, "-m", "benchmarks.scale.rules", task]


def differences(rule: str, source: Path, n: int) -> dict[str, float]:
    """Return the largest differences of scores, streamed and in memory: relative, and of logarithms.

    Where scores are below 0, they are logarithms already.
    """
    from peerorder.engines import open_engine
    from peerorder.files.streaming import sources
    from peerorder.files.streaming.rankings import stream_rankings
    from peerorder.rounds import GradeSettings
    from peerorder.rounds.streamed import grade_streamed

    # A partition a file; the whole round would be one.
    sources.PARTITION = 1
    with (
        TemporaryDirectory(prefix="peerorder-") as scratch,
        open_engine("local", WORKERS) as engine,
        stream_rankings(engine, sorted(source.glob("*.parquet")), Path(scratch)) as rankings,
    ):
        streamed = grade_streamed(rankings, GradeSettings(rule=rule)).outcome.scores
        ids = rankings.paper_ids(np.arange(rankings.n_papers)).to_numpy()
    _, profile = handed_out_round(n, data.K, data.NOISE)
    expected = RULES[rule].aggregate(profile, child(0, "grade")).scores[ids]
    relative = np.abs(streamed - expected) / np.maximum(1, np.abs(expected))
    logarithms = np.abs(np.log(streamed) - np.log(expected)) if (expected > 0).all() else np.abs(streamed - expected)
    return {"relative": float(relative.max()), "logarithmic": float(logarithms.max())}


def seconds(n: int, rules: Sequence[str], rounds: int) -> dict[str, list[float]]:
    """Return the seconds on the clock that rules take in memory, in turn."""
    for rule in rules:
        RULES[rule].aggregate(handed_out_round(WARM_UP, data.K, data.NOISE)[1], child(0, "grade"))
    _, profile = handed_out_round(n, data.K, data.NOISE)
    found: dict[str, list[float]] = {rule: [] for rule in rules}
    for index in range(rounds):
        for rule in rules[:: 1 if index % 2 else -1]:
            begin = perf_counter()
            RULES[rule].aggregate(profile, child(0, "grade"))
            found[rule].append(perf_counter() - begin)
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    tasks = parser.add_subparsers(dest="task", required=True)
    compared = tasks.add_parser("differences")
    compared.add_argument("rule")
    compared.add_argument("source", type=Path)
    compared.add_argument("n", type=int)
    timed = tasks.add_parser("seconds")
    timed.add_argument("n", type=int)
    timed.add_argument("rules", nargs="+")
    timed.add_argument("--rounds", type=int, default=1)
    given = vars(parser.parse_args())
    print(json.dumps({"differences": differences, "seconds": seconds}[given.pop("task")](**given)))
