"""Files of rankings that are read in batches: their columns are checked before anything else is read.

The rows of a grader are adjacent and in one file. A partition is a stretch of files of about ``PARTITION`` bytes: the
graders whose first row is in it belong to it, also where their last rows are in the next one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from peerorder.core.text import join_with_and
from peerorder.core.translation import gettext as _
from peerorder.files.formats.file_types import PARQUET
from peerorder.files.formats.problems import FileError, Problem, shown

__all__ = ["BALLOT", "Source", "Stretch", "can_be_streamed", "open_sources", "partitions_of"]

REQUIRED, BALLOT = ("grader", "paper", "rank"), "ballot"
ROLES = (*REQUIRED, BALLOT)
# Of the three columns in memory; so that the sums over a partition of a large round are no larger than its rows.
PARTITION = 2**29
BYTES_A_ROW = 24
BATCH, BATCH_OF_TEXT = 2**20, 2**23


@dataclass(frozen=True)
class Source:
    """A file of rankings."""

    path: Path
    groups: tuple[int, ...]
    """The rows of each of its row groups; of a CSV file, an estimate of all."""
    columns: tuple[str, ...]
    """The names of its columns of graders, papers, ranks and, where there is one, ballots."""
    kind: str
    """The type of its ids: ``int`` or ``text``."""

    @property
    def is_parquet(self) -> bool:
        """Whether it is a Parquet file, and not a CSV file."""
        return self.path.suffix.lower() in PARQUET

    @property
    def header(self) -> int:
        """The rows before the first row of data, as people count them."""
        return 0 if self.is_parquet else 1


@dataclass(frozen=True)
class Stretch:
    """Some row groups of a file."""

    source: Source
    first: int
    last: int

    @property
    def rows(self) -> int:
        """The number of its rows; of a CSV file, an estimate."""
        return sum(self.source.groups[self.first : self.last])

    def __str__(self) -> str:
        return f"{self.source.path.name} [{self.first}:{self.last}]"

    def batches(self, roles: Sequence[str] = ROLES) -> Iterator[tuple[int, Any]]:
        """Yield batches of whole graders, each with the number of rows before it in the file."""
        names = {role: name for role, name in zip(ROLES, self.source.columns, strict=False) if role in roles}
        before = sum(self.source.groups[: self.first])
        try:
            pieces = _whole_graders(self._read(names), before)
            if self.source.is_parquet:
                pieces = _select_owned(pieces, before + self.rows, self._earlier())
            yield from pieces if self.source.kind == "int" else _join_pieces(pieces)
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self.source.path, error) from None

    def _earlier(self) -> Any:
        """Return the last grader before this stretch, who may go on in it."""
        if not self.first:
            return None
        return pq.ParquetFile(self.source.path).read_row_group(self.first - 1, [self.source.columns[0]]).column(0)[-1]

    def _read(self, names: Mapping[str, str]) -> Iterator[Any]:
        """Yield batches with these columns, by their roles."""
        path, roles, columns = self.source.path, [*names], [*names.values()]
        if self.source.is_parquet:
            file = pq.ParquetFile(path, memory_map=True)
            # One row group at a time: arrow would keep what it has read of every group.
            for group in range(self.first, len(self.source.groups)):
                for batch in file.iter_batches(BATCH, row_groups=[group], columns=columns, use_threads=False):
                    yield batch.select(columns).rename_columns(roles)
            return
        types = {name: pa.float64() if role == "rank" else pa.string() for role, name in names.items()}
        convert = arrow_csv.ConvertOptions(include_columns=columns, column_types=types, null_values=[""])
        for batch in arrow_csv.open_csv(path, convert_options=convert):
            yield batch.rename_columns(roles)


def _whole_graders(batches: Iterator[Any], row: int) -> Iterator[tuple[int, Any]]:
    """Cut batches where a grader begins; ``row`` is the number of rows before the first one."""
    rest: Any = None  # the rows of a grader who may go on in the next batch
    for batch in batches:
        grader = batch.column("grader")
        if not len(grader):
            continue
        changes = _changes(grader)
        begin, end = 0, int(changes[-1]) if len(changes) else 0
        if rest is not None:
            if grader[0] == rest.column("grader")[0]:
                begin = int(changes[0]) if len(changes) else len(grader)
            rest = pa.concat_batches([rest, batch.slice(0, begin)])
            if begin == len(grader):
                continue
            yield row, rest
            row += len(rest)
        if end > begin:
            yield row, batch.slice(begin, end - begin)
            row += end - begin
        rest = batch.slice(max(begin, end))
    if rest is not None:
        yield row, rest


def _select_owned(pieces: Iterator[tuple[int, Any]], end: int, earlier: Any) -> Iterator[tuple[int, Any]]:
    """Leave out the rest of an earlier grader, and all graders whose first row is at ``end`` or behind it."""
    for row, piece in pieces:
        if earlier is None and row + len(piece) <= end:
            yield row, piece
            continue
        begins = np.append(0, _changes(piece.column("grader")))
        begin = 0
        if earlier is not None and piece.column("grader")[0] == earlier:
            begin = int(begins[1]) if len(begins) > 1 else len(piece)
        earlier = None
        behind = begins[(begins + row >= end) & (begins >= begin)]
        stop = int(behind[0]) if len(behind) else len(piece)
        if stop > begin:
            yield row + begin, piece.slice(begin, stop - begin)
        if len(behind):
            return


def _join_pieces(pieces: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Join pieces into larger ones: looking up texts takes arrow as long for a few rows as for millions."""
    row, size = 0, 0
    several: list[Any] = []
    for begin, piece in pieces:
        row = row if several else begin
        several.append(piece)
        size += len(piece)
        if size >= BATCH_OF_TEXT:
            yield row, pa.concat_batches(several)
            several, size = [], 0
    if several:
        yield row, pa.concat_batches(several)


def _changes(values: Any) -> NDArray[np.int64]:
    """Return the positions of values that differ from the one before."""
    if pa.types.is_integer(values.type) and not values.null_count:
        numbers = values.to_numpy()
        return 1 + np.flatnonzero(numbers[1:] != numbers[:-1])
    codes = values.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return 1 + np.flatnonzero(codes[1:] != codes[:-1])


def open_sources(paths: Sequence[Path]) -> list[Source]:
    """Look at the columns of all files; raise FileError if one cannot be read, or has other columns than the first."""
    sources = [_open_parquet(path) if path.suffix.lower() in PARQUET else _open_csv(path) for path in paths]
    first = sources[0]
    problems = [
        Problem(
            source.path,
            None,
            None,
            _("its columns {columns} have {kind} ids, but {others} of {file} have {other_kind} ids").format(
                columns=join_with_and(source.columns),
                kind=_named(source.kind),
                file=first.path.name,
                others=join_with_and(first.columns),
                other_kind=_named(first.kind),
            ),
            _("write all files with the same columns and types"),
        )
        for source in sources
        if (len(source.columns), source.kind) != (len(first.columns), first.kind)
    ]
    if problems:
        raise FileError(problems)
    return sources


def _open_parquet(path: Path) -> Source:
    try:
        with pq.ParquetFile(path) as file:
            schema, about = file.schema_arrow, file.metadata
            groups = tuple(about.row_group(index).num_rows for index in range(about.num_row_groups))
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    columns = _columns(path, schema.names)
    kinds = {_kind_of(path, name, schema.field(name).type) for name in columns[:2]}
    rank = schema.field(columns[2]).type
    if not (pa.types.is_integer(rank) or pa.types.is_floating(rank)):
        raise FileError(
            [Problem(path, None, columns[2], _("it holds {kind}").format(kind=rank), _("write ranks as whole numbers"))]
        )
    if len(kinds) > 1:
        cause = _("one of the columns grader and paper holds numbers and the other one text")
        raise FileError([Problem(path, None, None, cause, _("write both as text, or both as whole numbers"))])
    return Source(path, groups, columns, kinds.pop())


def _open_csv(path: Path) -> Source:
    try:
        with arrow_csv.open_csv(path) as reader:
            names = reader.schema.names
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    # A row of CSV is seldom shorter than this.
    return Source(path, (path.stat().st_size // 12 + 1,), _columns(path, names), "text")


def _columns(path: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns by their roles; case, spaces and a byte order mark do not count."""
    known = {name.strip(" \ufeff").casefold(): name for name in names}
    missing = [role for role in REQUIRED if role not in known]
    if missing:
        cause = _("it has the columns {columns}, and not {missing}").format(
            columns=join_with_and([*map(shown, names)]), missing=join_with_and(missing)
        )
        cure = _(
            "streamed rankings have the columns grader, paper and rank, separated by commas; grade scores, pairs and "
            "other forms in memory, without `engine`"
        )
        raise FileError([Problem(path, None, None, cause, cure)])
    return tuple(known[role] for role in ROLES if role in known)


def can_be_streamed(path: Path) -> bool:
    """Return whether a file has the columns of streamed rankings; False also where it cannot be read."""
    try:
        _open_parquet(path) if path.suffix.lower() in PARQUET else _open_csv(path)
    except FileError:
        return False
    return True


def _named(kind: str) -> str:
    return _("whole-number") if kind == "int" else _("text")


def _kind_of(path: Path, name: str, kind: Any) -> str:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return "int"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    cause = _("it holds {kind}").format(kind=kind)
    raise FileError([Problem(path, None, name, cause, _("write ids as text or as whole numbers"))])


def _unreadable(path: Path, error: Exception) -> FileError:
    cause = _("it cannot be read ({error})").format(error=" ".join(str(error).split())[:200])
    return FileError([Problem(path, None, None, cause, _("write it again; it may have been cut off"))])


def partitions_of(sources: Sequence[Source]) -> list[tuple[Stretch, ...]]:
    """Divide all files into partitions of about ``PARTITION`` bytes, by their row groups alone."""
    total = BYTES_A_ROW * sum(sum(source.groups) for source in sources)
    # All about equal, so that no worker waits for the last one.
    wanted = total / max(1, round(total / PARTITION))
    partitions: list[tuple[Stretch, ...]] = []
    current: list[Stretch] = []
    size = 0.0
    for source in sources:
        begin = 0
        for index, rows in enumerate(source.groups, 1):
            size += rows * BYTES_A_ROW
            if size >= wanted:
                partitions.append((*current, Stretch(source, begin, index)))
                current, size, begin = [], size - wanted, index
        if begin < len(source.groups):
            current.append(Stretch(source, begin, len(source.groups)))
    return [*partitions, *([tuple(current)] if current else [])]
