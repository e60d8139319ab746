"""Ids as numbers: graders and papers share one numbering, so that a grader's own paper has the grader's number.

Whole numbers that lie close together are numbered by their distance from the smallest one, which the statistics of
Parquet files tell without reading a row. All other ids are collected first and looked up in the list of all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from peerorder.core.arrays import IntArray
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.engines.engine import Engine, map_tasks
from peerorder.files.formats.arrow import numbers as arrow_numbers
from peerorder.files.streaming.sources import Source, Stretch

__all__ = ["Identifiers", "find_identifiers", "plain_ids"]

ID_COLUMNS = ("grader", "paper")
# Numbers that are spread more thinly than this, by row, are looked up.
SPREAD = 1
MOST = 2**31 - 1


@dataclass(frozen=True)
class Identifiers:
    """The ids of all graders and papers: ``low`` and up, or those in a file."""

    low: int
    size: int
    path: Path | None = None

    def numbers(self, ids: Any) -> IntArray:
        """Return the number of every id, none of which is missing; those that are not known are out of range."""
        if self.path is not None:
            places = pc.index_in(plain_ids(ids), _all(self.path)).fill_null(-1)
            numbers: IntArray = places.cast(pa.int64()).to_numpy(zero_copy_only=False)
            return numbers
        values: IntArray = plain_ids(ids).to_numpy()
        return values - self.low if self.low else values

    def ids(self, numbers: IntArray) -> Any:
        """Return the ids of these numbers, as an arrow array."""
        if self.path is None:
            return arrow_numbers(numbers + self.low if self.low else numbers)
        return _all(self.path).take(arrow_numbers(numbers))


@lru_cache(maxsize=2)
def _all(path: Path) -> Any:
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all().column(0).combine_chunks()


def find_identifiers(
    engine: Engine, sources: Sequence[Source], partitions: Sequence[Sequence[Stretch]], folder: Path
) -> Identifiers:
    """Number all ids; their list, where one is needed, is written into ``folder``."""
    rows = sum(sum(source.groups) for source in sources)
    if sources[0].kind == "int":
        ends = [_ends(source) for source in sources]
        low = min((low for low, _ in ends), default=0)
        size = max((high for _, high in ends), default=-1) - low + 1
        if size <= max(SPREAD * rows, 1024):
            return Identifiers(low, size)
    lists = [folder / f"ids-{index}.arrow" for index in range(len(partitions))]
    for _task in map_tasks(engine, _collect, list(zip(partitions, lists, strict=True))):
        pass
    kind = pa.int64() if sources[0].kind == "int" else pa.large_string()
    everything = pc.unique(pa.chunked_array([_all(path).cast(kind) for path in lists], kind))
    _all.cache_clear()
    everything = everything.take(pc.array_sort_indices(everything))
    if len(everything) > MOST:
        raise InputError(_("there are {count:,} ids; {most:,} is the limit").format(count=len(everything), most=MOST))
    path = folder / "ids.arrow"
    _write(path, everything)
    for each in lists:
        each.unlink()
    return Identifiers(0, len(everything), path)


def _ends(source: Source) -> tuple[int, int]:
    """Return the smallest and the largest id in a Parquet file, by its statistics where it has them."""
    about = pq.read_metadata(source.path)
    names = source.columns[: len(ID_COLUMNS)]
    places = [about.schema.names.index(name) for name in names]
    ends = []
    for group in range(about.num_row_groups):
        for name, place in zip(names, places, strict=True):
            known = about.row_group(group).column(place).statistics
            if known is not None and known.has_min_max:
                ends.append((known.min, known.max))
                continue
            found = pc.min_max(pq.ParquetFile(source.path).read_row_group(group, [name]).column(0))
            if found["min"].is_valid:
                ends.append((found["min"].as_py(), found["max"].as_py()))
    return min((low for low, _ in ends), default=0), max((high for _, high in ends), default=-1)


def _collect(task: tuple[Sequence[Stretch], Path]) -> None:
    """Write the different ids of some rows."""
    stretches, path = task
    parts = [
        pc.unique(plain_ids(batch.column(name)))
        for stretch in stretches
        for _row, batch in stretch.batches(ID_COLUMNS)
        for name in ID_COLUMNS
    ]
    _write(path, pc.unique(pa.chunked_array(parts)).drop_null() if parts else pa.array([], pa.int64()))


def plain_ids(column: Any) -> Any:
    """Return a column of ids as the type that all files share; spaces around a text do not belong to it."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_integer(column.type):
        return column.cast(pa.int64())
    return pc.utf8_trim_whitespace(column.cast(pa.large_string()))


def _write(path: Path, ids: Any) -> None:
    table = pa.table({"id": ids})
    with pa.OSFile(str(path), "wb") as stream, pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)
