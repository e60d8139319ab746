"""Rounds larger than memory as folders of Parquet files, made in a process of its own.

``python -m benchmarks.scale.data 10000000 FOLDER`` writes the rankings of as many students: the rows of a grader
together, in the order in which the papers lay on the table and not in that of their ranks. With ``--text``, ids are
text (``s0000001``).
"""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.data import SEED, handed_out_round
from benchmarks.scale.processes import run

__all__ = ["NOISE", "K", "data_folder", "rankings"]

K = 8
NOISE = "condorcet:level=30"
FILES = 20
KEPT = "PEERORDER_BENCH_DATA"


@contextmanager
def data_folder() -> Iterator[Path]:
    """Give the folder that the environment names, whose data are used again, or else a temporary one."""
    kept = os.environ.get(KEPT)
    if kept is not None:
        Path(kept).mkdir(parents=True, exist_ok=True)
        yield Path(kept)
        return
    with TemporaryDirectory(prefix="peerorder-") as folder:
        yield Path(folder)


def rankings(n: int, folder: Path, *, text: bool = False) -> Path:
    """Return a folder of rankings inside another one; make it where it is not there yet."""
    place = folder / f"rankings-{n}{'-text' if text else ''}"
    if not place.exists():
        # Complete, or not there.
        partial = place.with_suffix(".partial")
        run([sys.executable, "-m", "benchmarks.scale.data", str(n), partial, *(["--text"] if text else [])])
        partial.rename(place)
    return place


def write(n: int, folder: Path, *, text: bool) -> None:
    """Draw a round, and write it."""
    folder.mkdir(parents=True, exist_ok=True)
    _, profile = handed_out_round(n, K, NOISE)
    ids = pa.array(np.arange(n))
    if text:
        ids = pc.binary_join_element_wise("s", pc.utf8_lpad(ids.cast(pa.string()), 7, "0"), "")
    ballots = np.argsort(profile.grader, kind="stable")
    rng = np.random.default_rng(SEED)
    for index, some in enumerate(np.array_split(ballots, FILES)):
        places = np.argsort(rng.random((len(some), K)), axis=1)
        columns = {
            "grader": ids.take(pa.array(np.repeat(profile.grader[some], K))),
            "paper": ids.take(pa.array(profile.papers[profile.start[some][:, None] + places].ravel())),
            "rank": (places + 1).ravel(),
        }
        pq.write_table(pa.table(columns), folder / f"part-{index:03}.parquet")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--text", action="store_true")
    given = parser.parse_args()
    write(given.n, given.folder, text=given.text)
