"""``assign`` for millions of students in a process of its own, and its guarantees by a reader that shares no code.

``python -m benchmarks.scale.assign --students 10000000``
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

__all__ = ["measure"]

N, K = 10_000_000, 8
# Ids are in no order, and none is the number of its row.
FIRST_ID = 10_000_000
# Shows the peak of its own process, the only one, null where the system does not tell; and its processor seconds.
ASSIGN = """
import json, sys, time
from peerorder.cli import run
code = run(sys.argv[1:])
try:
    from benchmarks.peak import kilobytes
    peak = kilobytes("VmHWM") * 1024 / 1e6
except OSError:
    peak = None
print(json.dumps([peak, time.process_time()]))
sys.exit(code)
"""


def measure(n: int, folder: Path) -> dict[str, Any]:
    """Seconds from start to end, megabytes of the whole process, and what the reader found."""
    roster, handout = folder / "roster.parquet", folder / "handout.parquet"
    ids = np.random.default_rng(0).permutation(n) + FIRST_ID
    pq.write_table(pa.table({"student": ids}), roster)
    arguments = ["assign", str(roster), "-k", str(K), "--no-codes", "--force", "--json", "--out", str(handout)]
    begin = perf_counter()
    command = [sys.executable, "-c", ASSIGN, *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])
    seconds = perf_counter() - begin
    megabytes, processor = json.loads(done.stdout.splitlines()[-1])
    return {
        "students": n,
        "k": K,
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "megabytes": megabytes,
        "file_megabytes": round(handout.stat().st_size / 1e6),
        **check(handout, ids),
    }


def check(handout: Path, ids: np.ndarray) -> dict[str, Any]:
    """What the hand-out of a roster guarantees, read from its file with pyarrow, NumPy and SciPy alone."""
    n = len(ids)
    number = np.empty(n, np.int32)
    number[ids - FIRST_ID] = np.arange(n, dtype=np.int32)
    file = pq.ParquetFile(handout)
    sides = {name: np.empty(file.metadata.num_rows, np.int32) for name in ("grader", "paper")}
    end = 0
    for group in range(file.num_row_groups):
        table = file.read_row_group(group, ["grader", "paper"])
        begin, end = end, end + len(table)
        for name, column in sides.items():
            column[begin:end] = number[table[name].cast(pa.int64()).to_numpy() - FIRST_ID]
    grader, paper = sides.values()
    if len(grader) != n * K:
        return {"k rows per grader": False}
    rows = paper.reshape(n, K)
    # A node for every bundle, then one for every paper; only bundles have edges of their own.
    starts = np.append(np.arange(n + 1) * K, np.full(n, n * K))
    edges = csr_array((np.ones(n * K, np.int8), paper + np.int32(n), starts), shape=(2 * n, 2 * n))
    adjacent = (grader.reshape(n, K) == grader[::K, None]).all()
    return {
        "k rows per grader": bool(adjacent and (np.bincount(grader, minlength=n) == K).all()),
        "k different papers each": bool((np.diff(np.sort(rows, axis=1), axis=1) > 0).all()),
        "k graders per paper": bool((np.bincount(paper, minlength=n) == K).all()),
        "nobody their own": not bool((grader == paper).any()),
        "one component": connected_components(edges, directed=False)[0] == 1,
    }


@click.command()
@click.option("--students", default=N, show_default=True, type=click.IntRange(200))
def main(students: int) -> None:
    """Measure one hand-out, and print what was found."""
    with tempfile.TemporaryDirectory() as folder:
        click.echo(json.dumps(measure(students, Path(folder)), indent=2))


if __name__ == "__main__":
    main()
