"""Wins and comparisons of every paper from a folder of rankings, by ours and by others, each in a process of its own.

``python -m benchmarks.scale.reductions NAME FOLDER N`` computes them; with ``--check`` it prints what tells whether two
of them computed the same. How many papers a grader ranked is found in the data, except by those called ``known``, which
are told that all of them ranked 8, and by the floor, which counts no comparisons.

Imports what one of them needs when it runs, so that nobody pays for the imports of others.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["FLOOR", "KNOWN", "OURS", "PEERS", "REDUCTIONS", "Reduction", "checksum"]

K = 8
THREADS = 2
# A file at once: smaller batches are slower, because every one costs a pass over all papers.
BATCH = 2**24
Sums = tuple[Any, Any, Any]
"""Papers, twice their wins, and their comparisons, None where they were not counted."""


@dataclass(frozen=True)
class Reduction:
    """One way to compute the sums."""

    title: str
    package: str
    compute: Callable[[Path, int], Sums]

    @property
    def name(self) -> str:
        """Its title with the version; raise PackageNotFoundError where it is not installed."""
        return self.title.format(version=version(self.package))


def floor(folder: Path, n: int) -> Sums:
    """Stream two columns with pyarrow, and add ``np.bincount``: for ballots of 8 papers and ids from 0 to n - 1."""
    import pyarrow.parquet as pq

    points = np.zeros(n)
    for path in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(batch_size=BATCH, columns=["paper", "rank"]):
            paper, rank = (batch.column(name).to_numpy() for name in ("paper", "rank"))
            points += np.bincount(paper, K - rank, n)
    return np.arange(n), 2 * points, None


def ours(folder: Path, n: int) -> Sums:  # noqa: ARG001
    """Read rankings as ``grade`` does, with all checks, on two workers."""
    from tempfile import TemporaryDirectory

    from peerorder.engines import open_engine
    from peerorder.files.streaming.rankings import stream_rankings

    with (
        TemporaryDirectory(prefix="peerorder-") as scratch,
        open_engine("local", THREADS) as engine,
        stream_rankings(engine, sorted(folder.glob("*.parquet")), Path(scratch)) as rankings,
    ):
        wins, comparisons = rankings.borda_sums.T
        return rankings.paper_ids(np.arange(rankings.n_papers)).to_numpy(), wins, comparisons


def duckdb_window(folder: Path, n: int) -> Sums:  # noqa: ARG001
    """Count the rows of a grader by a window; a join with the counts is about as fast."""
    rows = f"read_parquet('{folder}/*.parquet')"
    sized = f"SELECT paper, rank, count(*) OVER (PARTITION BY grader) AS size FROM {rows}"
    return _duckdb(f"SELECT paper, sum(2 * (size - rank))::BIGINT, sum(size - 1)::BIGINT FROM ({sized}) GROUP BY paper")


def duckdb_known(folder: Path, n: int) -> Sums:  # noqa: ARG001
    rows = f"read_parquet('{folder}/*.parquet')"
    return _duckdb(f"SELECT paper, sum(2 * ({K} - rank))::BIGINT, {K - 1} * count(*) FROM {rows} GROUP BY paper")


def _duckdb(query: str) -> Sums:
    import duckdb

    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute("SET preserve_insertion_order = false")
    table = connection.sql(query).to_arrow_table()
    return tuple(column.to_numpy() for column in table.columns)


def polars_window(folder: Path, n: int) -> Sums:  # noqa: ARG001
    """Count the rows of a grader by a window; a join with the counts is about as fast."""
    pl = _polars()
    rows = pl.scan_parquet(folder / "*.parquet").with_columns(size=pl.len().over("grader").cast(pl.Int64))
    size, rank = pl.col("size"), pl.col("rank")
    return _collect(rows.group_by("paper").agg(wins=(2 * (size - rank)).sum(), pairs=(size - 1).sum()))


def polars_known(folder: Path, n: int) -> Sums:  # noqa: ARG001
    pl = _polars()
    rows = pl.scan_parquet(folder / "*.parquet")
    return _collect(rows.group_by("paper").agg(wins=(2 * (K - pl.col("rank"))).sum(), pairs=(K - 1) * pl.len()))


def _polars() -> Any:
    import os

    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
    import polars

    return polars


def _collect(sums: Any) -> Sums:
    table = sums.collect(engine="streaming")
    return tuple(table[name].to_numpy() for name in ("paper", "wins", "pairs"))


def dask_partitions(folder: Path, n: int) -> Sums:  # noqa: ARG001
    """Count the rows of a grader in every partition, since no grader is in two files."""
    return _dask(folder, ["grader", "paper", "rank"], _sized)


def dask_known(folder: Path, n: int) -> Sums:  # noqa: ARG001
    return _dask(folder, ["paper", "rank"], _eight)


def _dask(folder: Path, columns: list[str], with_sums: Callable[[Any], Any]) -> Sums:
    import dask
    import dask.dataframe as dd

    with dask.config.set(scheduler="threads", num_workers=THREADS):
        rows = dd.read_parquet(folder, columns=columns, split_row_groups=False)
        sums = rows.map_partitions(with_sums).groupby("paper")[["wins", "pairs"]].sum().compute()
    return sums.index.to_numpy(), sums["wins"].to_numpy(), sums["pairs"].to_numpy()


def _sized(rows: Any) -> Any:
    size = rows.groupby("grader")["rank"].transform("size")
    return rows[["paper"]].assign(wins=2 * (size - rows["rank"]), pairs=size - 1)


def _eight(rows: Any) -> Any:
    return rows[["paper"]].assign(wins=2 * (K - rows["rank"]), pairs=K - 1)


OURS, FLOOR = "ours", "floor"
PEERS = {
    "duckdb": Reduction("DuckDB {version}", "duckdb", duckdb_window),
    "polars": Reduction("Polars {version}, streaming", "polars", polars_window),
    "dask": Reduction("Dask's dataframe {version}", "dask", dask_partitions),
}
KNOWN = {
    "duckdb_known": Reduction("DuckDB {version}, told that k=8", "duckdb", duckdb_known),
    "polars_known": Reduction("Polars {version}, streaming, told that k=8", "polars", polars_known),
    "dask_known": Reduction("Dask's dataframe {version}, told that k=8", "dask", dask_known),
}
REDUCTIONS = {
    OURS: Reduction("our reduction, two workers", "peerorder", ours),
    FLOOR: Reduction("pyarrow {version} and np.bincount", "pyarrow", floor),
    **PEERS,
    **KNOWN,
}


def checksum(papers: Any, wins: Any, comparisons: Any) -> dict[str, int | None]:
    """Return what is the same for the same sums, in whatever order the papers are."""
    # Another odd number for every paper; sums of products wrap around alike.
    weights = (np.asarray(papers).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) | np.uint64(1)
    sums = {
        name: None if values is None else int((np.asarray(values).astype(np.uint64) * weights).sum())
        for name, values in (("wins", wins), ("comparisons", comparisons))
    }
    return {"papers": len(weights), **sums}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=REDUCTIONS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("n", type=int)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    sums = REDUCTIONS[given.name].compute(given.folder, given.n)
    if given.check:
        print(json.dumps(checksum(*sums)))
