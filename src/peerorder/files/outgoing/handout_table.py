"""The table of a hand-out: kept as numbers, and made of texts block by block, which are read back once written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from peerorder.core.arrays import AnyIntArray
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.files.formats import blocks
from peerorder.files.formats.arrow import numbers
from peerorder.rounds.allocation import NewRows
from peerorder.schemes import Allocation
from peerorder.schemes.guarantees import Guarantees

__all__ = ["HandoutTable"]


@dataclass(frozen=True, eq=False)
class HandoutTable:
    """Columns of texts: row i of a column holds ``texts[index[i]]``."""

    columns: Mapping[str, tuple[Any, AnyIntArray]]
    """The texts of every column, as an arrow array, and their index."""
    allocated: NewRows[Allocation] | None = None
    """The same rows by number, where they are a first hand-out, whose guarantees are checked."""

    def __len__(self) -> int:
        return len(self.columns["grader"][1])

    @property
    def schema(self) -> pa.Schema:
        """All columns are text."""
        return pa.schema(dict.fromkeys(self.columns, pa.string()))

    def after(self, before: "HandoutTable") -> "HandoutTable":
        """Return these rows with others before them."""
        return HandoutTable({name: _joined(before.columns[name], cells) for name, cells in self.columns.items()})

    def as_arrow(self) -> dict[str, Any]:
        """Return all rows, by column."""
        table = pa.Table.from_batches((self._part(*each) for each in self._blocks()), self.schema)
        return dict(zip(table.column_names, table.columns, strict=True))

    def as_objects(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return all rows as arrays of strings, by column."""
        return {name: np.array(column.to_pylist(), object) for name, column in self.as_arrow().items()}

    def write(self, path: Path, called: Path) -> None:
        """Write a Parquet file block by block, and check it by reading it back; messages give it another name."""
        blocks.fill_blocks(path, self.schema, (self._part(*each) for each in self._blocks()))
        rows = self.allocated
        if rows is None:
            for _block in self._read_back(path, called):
                pass
            return
        guarantees = Guarantees(rows.participants.own, len(rows.participants.paper_ids))
        for begin, end in self._read_back(path, called):
            guarantees.add(rows.grader[begin:end], rows.paper[begin:end])
        guarantees.finish(rows.result, rows.settings["k"])

    def _read_back(self, path: Path, called: Path) -> Iterator[tuple[int, int]]:
        """Yield where every block of a file begins and ends; raise InputError if it holds something else."""
        with pq.ParquetFile(path) as file:
            same = file.metadata.num_rows == len(self)
            # By row groups: reading a file in batches keeps more and more of it in memory.
            for number, (begin, end) in enumerate(self._blocks()):
                part = pa.Table.from_batches([self._part(begin, end)])
                same = same and file.read_row_group(number).equals(part)
                if not same:
                    break
                yield begin, end
        if not same:
            text = _("{file} does not read back as it was written; check the disk, or choose another one")
            raise InputError(text.format(file=called))

    def _blocks(self) -> Iterator[tuple[int, int]]:
        for begin in range(0, len(self), blocks.BLOCK_ROWS):
            yield begin, min(begin + blocks.BLOCK_ROWS, len(self))

    def _part(self, begin: int, end: int) -> pa.RecordBatch:
        cells = [texts.take(numbers(index[begin:end])).cast(pa.string()) for texts, index in self.columns.values()]
        return pa.record_batch(cells, self.schema)


def _joined(first: tuple[Any, AnyIntArray], then: tuple[Any, AnyIntArray]) -> tuple[Any, AnyIntArray]:
    texts = pa.concat_arrays([first[0].cast(pa.string()), then[0].cast(pa.string())])
    return texts, np.concatenate([first[1], then[1] + len(first[0])])
