"""Parquet in blocks: a table larger than memory is written as it is made, and is there completely or not at all."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from peerorder.files.formats.writing import replaced

__all__ = ["BLOCK_ROWS", "fill_blocks", "write_blocks"]

BLOCK_ROWS = 2**20
"""Rows in a block: as many as arrow has in a row group."""


def write_blocks(
    path: Path,
    schema: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    *,
    check: Callable[[Path], None] | None = None,
) -> None:
    """Write batches to a Parquet file, one row group each.

    On any error nothing is left of it, and an earlier file of this name stays. A full disk is an InputError.

    Parameters
    ----------
    check
        Is called with the name of the complete file before it takes its place, and may read and refuse it.
    """
    with replaced(path) as new:
        fill_blocks(new, schema, batches)
        if check is not None:
            check(new)


def fill_blocks(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write batches to this file itself, for callers that put several files into place together."""
    with pq.ParquetWriter(path, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
