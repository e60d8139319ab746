"""When rankings are streamed: where they are larger than what a laptop merges in memory."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from peerorder.files.formats.file_types import PARQUET
from peerorder.files.streaming.sources import can_be_streamed

__all__ = ["are_large"]

# Two million students with eight papers each. In Parquet the number of rows is known; a row of CSV has some 20 bytes.
ROWS = 16_000_000
BYTES_OF_CSV = 20 * ROWS


def are_large(paths: Sequence[Path]) -> bool:
    """Return whether rankings, all in Parquet files or all in CSV files, have enough rows to be streamed."""
    suffixes = {path.suffix.lower() for path in paths}
    try:
        if suffixes <= {*PARQUET}:
            large = sum(pq.read_metadata(path).num_rows for path in paths) >= ROWS
        else:
            large = suffixes == {".csv"} and sum(path.stat().st_size for path in paths) >= BYTES_OF_CSV
        return bool(large) and all(map(can_be_streamed, paths))
    except (OSError, pa.ArrowException):
        # Its reader reports what is wrong.
        return False
