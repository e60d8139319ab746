"""A round of a million students from file to file: ``peerorder grade`` beside arrow's bare reading of the same CSV.

Both run in processes of their own, from the start of Python to its end, in turn, and the best of each counts. Times are
on the clock, because both use all cores.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from benchmarks.data import handed_out_round
from benchmarks.peak import NO_MEMORY
from benchmarks.timing import Line, Measured

__all__ = ["lines", "write_round"]

N, K = 1_000_000, 8
# Each takes seconds.
ROUNDS_AT_MOST = 3
GRADE = """
import json, sys
from peerorder.cli import run
code = run(sys.argv[1:])
try:
    from benchmarks.peak import kilobytes
    peak = kilobytes("VmHWM") * 1024 / 1e6
except OSError:
    peak = None
print(json.dumps(peak))
sys.exit(code)
"""
READ = "import sys, pyarrow.csv; pyarrow.csv.read_csv(sys.argv[1]); print('null')"


def lines(repeat: int, python: str = sys.executable) -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as folder:
        rankings, roster = Path(folder) / "rankings.csv", Path(folder) / "roster.csv"
        write_round(rankings, roster, N, K)
        grade = ["grade", str(rankings), "--rule", "borda", "--out", str(Path(folder) / "grades.csv")]
        # Compiled, and in the memory of the system.
        peak = _timed(python, GRADE, *grade)[1]
        _timed(python, READ, str(rankings))
        ours, others = [], []
        for _ in range(min(repeat, ROUNDS_AT_MOST)):
            ours.append(_timed(python, GRADE, *grade)[0])
            others.append(_timed(python, READ, str(rankings))[0])
        what = f"grade --rule borda, n={N:,}, k={K}"
        reading = Measured("pyarrow.csv.read_csv, from start to end", tuple(others))
        yield Line(f"{what}, from start to end", Measured("grade", tuple(ours)), reading, at_most=6)
        memory = None if peak is None else Measured("the whole process", (peak,), "MB")
        yield Line(f"memory in MB of {what}", memory, at_most=3000, left_out="" if memory else NO_MEMORY)
        assign = ["assign", str(roster), "-k", str(K), "--no-codes", "--out", str(Path(folder) / "handout.csv")]
        seconds, _ = _timed(python, GRADE, *assign)
        yield Line(f"assign, n={N:,}, k={K}, from start to end", Measured("assign", (seconds,)), at_most=60)


def _timed(python: str, program: str, *arguments: str) -> tuple[float, float | None]:
    """Seconds from start to end, and megabytes of the whole process."""
    begin = perf_counter()
    command = [python, "-c", program, *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1])
    return perf_counter() - begin, json.loads(done.stdout.splitlines()[-1])


def write_round(rankings: Path, roster: Path, n: int, k: int) -> None:
    """Ids of eight letters, a row a paper, the rows of a grader together."""
    _, profile = handed_out_round(n, k, "condorcet:level=30")
    ids = pa.array(np.char.add("s", np.char.zfill(np.arange(n).astype("U7"), 7)))
    ballots = np.argsort(profile.grader, kind="stable")
    at = (profile.start[ballots][:, None] + np.arange(k)).ravel()
    table = {
        "grader": ids.take(pa.array(np.repeat(profile.grader[ballots], k))),
        "paper": ids.take(pa.array(profile.papers[at])),
        "rank": np.tile(np.arange(1, k + 1), n),
    }
    arrow_csv.write_csv(pa.table(table), rankings, arrow_csv.WriteOptions(quoting_style="none"))
    arrow_csv.write_csv(pa.table({"student": ids}), roster, arrow_csv.WriteOptions(quoting_style="none"))
