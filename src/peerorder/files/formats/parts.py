"""Parts of a file: the rows of one course, read as if they were a file of their own.

A file with a column ``course`` is read once and stored by course; a task then reads the rows of its course alone.
Everything that is said about them names the file and the rows that people know. While ``reading`` parts, ``read_sheet``
gives those rows for the path of the file, so that no reader of a table needs to know about courses.
"""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from peerorder.core.translation import gettext as _
from peerorder.files.formats.arrow import numbers
from peerorder.files.formats.problems import FileError, Problem, Problems
from peerorder.files.formats.sheets import (
    Choice,
    Column,
    Sheet,
    Wanted,
    column_names,
    column_of,
    make_sheet,
    read_sheet,
    tidied_names,
    where,
)

__all__ = ["COURSE", "Part", "part_of", "reading", "reading_courses", "split_file"]

COURSE = "course"
"""The name of the column by which a file is split."""
ROW = "row"


@dataclass(frozen=True)
class Part:
    """The rows of one course in a file; small, because the rows themselves are in a store."""

    path: Path
    course: str
    sha256: str
    """The digest of the whole file, ..."""
    bytes: int
    """... and its size."""
    length: int
    """The number of rows."""
    titles: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    """Problems of cells, which matter if their column is read."""
    store: Path
    batch: int

    def read(self, wanted: Wanted | Choice) -> Sheet:
        """Read the rows, as ``read_sheet`` reads a file."""
        with pa.OSFile(str(self.store)) as source:
            batch = pa.ipc.open_file(source).get_batch(self.batch)
        places = column_names(self.path, self.titles, wanted)
        rows = np.array(batch.column(len(self.titles)))
        keys = _keys(self.titles)
        names = {keys[index]: name for name, index in places.items()}
        problems = Problems(
            self.path,
            [replace(each, column=names[each.column]) for each in self.problems if each.column in names],
        )
        bad = np.isin(rows, [each.row or 0 for each in problems.collected])
        columns = {name: column_of(batch.column(index)) for name, index in places.items()}
        left_out = {name: column.some(bad) for name, column in columns.items()} if bad.any() else {}
        kept = {name: column.some(~bad) for name, column in columns.items()}
        return make_sheet(problems, self.titles, kept, rows[~bad], self.notes, left_out)


_PARTS: ContextVar[Mapping[Path, Part]] = ContextVar("parts", default=MappingProxyType({}))


@contextmanager
def reading(parts: Sequence[Part]) -> Iterator[None]:
    """Read only these parts of their files in here."""
    token = _PARTS.set({part.path: part for part in parts})
    try:
        yield
    finally:
        _PARTS.reset(token)


def part_of(path: Path) -> Part | None:
    """Return the part of a file that is read now; None where the whole file is."""
    return _PARTS.get().get(path)


@contextmanager
def reading_courses(courses: Mapping[Path, str]) -> Iterator[None]:
    """Read only the rows of one course of each of these files in here."""
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for index, (path, course) in enumerate(courses.items()):
            found = split_file(path, Path(folder) / f"{index}.arrow")[0]
            parts += [found[course]] if course in found else []
        with reading(parts):
            yield


def split_file(path: Path, store: Path) -> tuple[dict[str, Part], tuple[Problem, ...]]:
    """Store the rows of a file by course; return the part of every course, and problems of rows that are in none.

    Raise FileError if the file cannot be read, or has no column ``course``.
    """
    sheet = read_sheet(path, Choice(lambda titles: {key: index for index, key in enumerate(_keys(titles))}))
    if sheet.header.count(COURSE) != 1:
        cause = _("a file of several courses needs one column course, but this file has {present}").format(
            present=sheet.named()
        )
        raise FileError([Problem(path, None, None, cause, _("add it, or omit `by_course`"))])
    keys = _keys(sheet.titles)
    # Cells with a problem are stored like others, because nobody may want their column.
    columns = [_concatenate(sheet.columns[key], sheet.left_out.get(key)) for key in keys]
    cells = [each for each in sheet.problems if each.column not in (None, COURSE)]
    problems = [each for each in sheet.problems if each.column in (None, COURSE)]
    omitted = sorted({each.row for each in sheet.problems if each.row is not None} if sheet.left_out else ())
    rows = np.concatenate([sheet.rows, np.array(omitted, np.int64)])
    course = columns[keys.index(COURSE)]
    nowhere = course.empty | np.isin(rows, [each.row or 0 for each in problems])
    problems += [
        Problem(path, int(rows[index]), COURSE, _("it is empty"), _("write the course that this row belongs to"))
        for index in where(course.empty)
    ]
    order = np.lexsort((rows, course.codes))
    order = order[~nowhere[order]]
    begins = np.flatnonzero(np.diff(course.codes[order], prepend=-1))
    with path.open("rb") as stream:
        about = (hashlib.file_digest(stream, "sha256").hexdigest(), path.stat().st_size)
    parts: dict[str, Part] = {}
    schema = pa.schema([*((str(index), pa.string()) for index in range(len(columns))), (ROW, pa.int64())])
    with pa.OSFile(str(store), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for batch, (begin, end) in enumerate(pairwise([*begins.tolist(), len(order)])):
            some = order[begin:end]
            texts = [column.words.take(numbers(column.codes[some])) for column in columns]
            writer.write_batch(pa.record_batch([*texts, numbers(rows[some])], schema=schema))
            name, its = course[int(some[0])], {*rows[some].tolist()} if cells else {}
            faults = tuple(each for each in cells if each.row in its)
            parts[name] = Part(path, name, *about, len(some), sheet.titles, sheet.notes, faults, store, batch)
    return parts, tuple(problems)


def _keys(titles: Sequence[str]) -> list[str]:
    """Return a name for every column that no other has; their own where they are different."""
    names = tidied_names(titles)
    return [
        name if name and names.count(name) == 1 else f"{name} (column {index})" for index, name in enumerate(names, 1)
    ]


def _concatenate(column: Column, more: Column | None) -> Column:
    if more is None:
        return column
    return column_of(pa.concat_arrays([each.words.take(numbers(each.codes)) for each in (column, more)]))
