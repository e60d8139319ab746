"""``Sheet``: a table that somebody sent, CSV, XLSX or Parquet, as columns of text.

Everything is text, as it stands in the file: an id like 007 stays one, and what is a number is for the reader of
a column to decide. Spaces around a cell are removed, because nobody sees these.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.translation import gettext as _, ngettext, pgettext
from peerorder.files.formats.arrow import empty_at, encode, numbers
from peerorder.files.formats.file_types import BYTE_ORDER_MARK, ENCODINGS, PARQUET, WORKBOOKS
from peerorder.files.formats.paths import takes_path
from peerorder.files.formats.problems import FileError, Problem, Problems, shown

__all__ = [
    "Choice",
    "Column",
    "Sheet",
    "Wanted",
    "column_of",
    "columns_of",
    "make_sheet",
    "read_sheet",
    "some_rows",
    "tidied",
    "wanted_names",
    "where",
]

NAMED = 12


@dataclass(frozen=True)
class Choice:
    """Columns chosen by position after reading the header; ``names`` gives the new name of each."""

    names: Callable[[Sequence[str]], Mapping[str, int]]


Wanted = Callable[[str], bool]
"""Whether a column of this name is used; the content of others, and problems with it, do not matter."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column, each different text once: row i holds ``texts[codes[i]]``."""

    codes: Int32Array
    words: Any
    """The different texts, as an arrow array."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The different texts, in the order in which they first appear."""
        return tuple(self.words.to_pylist())

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return str(self.words[int(self.codes[row])])

    @cached_property
    def empty(self) -> NDArray[np.bool_]:
        """Whether each row is empty in this column."""
        index = empty_at(self.words)
        return np.asarray(self.codes == index) if index >= 0 else np.zeros(len(self.codes), bool)

    def as_arrow(self) -> Any:
        """The text of every row, as an arrow array."""
        return self.words if self.all_different else self.words.take(numbers(self.codes))

    @property
    def all_different(self) -> bool:
        """Whether no text is in two rows, and their texts are in the order of the rows."""
        return len(self.words) == len(self.codes) and np.array_equal(self.codes, np.arange(len(self.codes)))

    def tolist(self) -> list[str]:
        """The text of every row."""
        texts: list[str] = self.as_arrow().to_pylist()
        return texts

    def some(self, kept: NDArray[np.bool_]) -> "Column":
        """Return some of the rows, with their texts."""
        if kept.all():
            return self
        used, first, codes = np.unique(self.codes[kept], return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(used), np.int32)
        place[order] = np.arange(len(used), dtype=np.int32)
        return Column(place[codes], self.words.take(numbers(used[order])))


@dataclass(frozen=True, eq=False)
class Sheet:
    """Columns by their names, in lower case and without surrounding spaces; empty rows are omitted."""

    path: Path
    columns: dict[str, Column]
    rows: IntArray
    """The number of every row as a spreadsheet counts: the header is usually 1. In Parquet, which has none, from 1."""
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Problems of rows that are omitted; the caller decides whether they matter."""
    header: tuple[str, ...] = ()
    """The names of all columns in the file, also of unused ones."""
    titles: tuple[str, ...] = ()
    """The same as they are written in the file."""
    left_out: Mapping[str, Column] = field(default_factory=dict)
    """The columns of rows of a workbook that are omitted because of ``problems``."""

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def need(self, what: str, names: Iterable[str]) -> None:
        """Raise FileError if columns are missing."""
        problems = Problems(self.path)
        missing = [name for name in names if name not in self]
        if missing:
            self.no_header(lambda row: {*missing} <= {*row})
            cause = ngettext(
                "{what} needs the column {columns}, but this file has {present}",
                "{what} needs the columns {columns}, but this file has {present}",
                len(missing),
            ).format(what=what, columns=", ".join(missing), present=self.named())
            problems.add(None, None, cause, _("name the columns in the first row"))
        problems.raise_if_any()

    def named(self) -> str:
        """Return the names of its columns, for a message."""
        header = [shown(name) for name in self.header if name]
        return (", ".join(header[:NAMED]) + (", ..." if len(header) > NAMED else "")) or pgettext("columns", "none")

    def no_header(self, fits: Callable[[Sequence[str]], bool]) -> None:
        """Raise FileError if the header seems to be further down, below a title."""
        from peerorder.files.formats.header_detection import header_below

        row = header_below(self.path, fits)
        if row is not None:
            title = next(filter(None, self.header), _("nothing"))
            cause = _("the header seems to be in row {row}, below {title}").format(row=row, title=shown(title))
            raise FileError([Problem(self.path, None, None, cause, _("delete the rows above it"))])


def where(mask: NDArray[np.bool_]) -> list[int]:
    """Return the rows for which something holds."""
    return [int(row) for row in np.flatnonzero(mask)]


def wanted_names(*names: str) -> Wanted:
    """Return a filter for columns with these names."""
    return frozenset(names).__contains__


def anything(_name: str) -> bool:
    """Accept all columns."""
    return True


@takes_path
def read_sheet(path: Path, wanted: Wanted | Choice = anything) -> Sheet:
    """Read the table in a file, with the wanted columns: XLSX and Parquet by their suffixes, anything else as CSV."""
    from peerorder.files.formats.parts import part_of

    if (part := part_of(path)) is not None:
        return part.read(wanted)
    if not path.exists():
        raise FileError([Problem(path, None, None, _("file not found"), _("check its name and folder"))])
    if path.is_dir():
        raise FileError([Problem(path, None, None, _("this is a folder"), _("name a file in it"))])
    suffix = path.suffix.lower()
    try:
        if suffix in WORKBOOKS and not is_text(path):
            from peerorder.files.formats.workbooks import read_workbook

            return read_workbook(path, wanted)
        if suffix in PARQUET:
            from peerorder.files.formats.parquet import read_parquet

            return read_parquet(path, wanted)
        from peerorder.files.formats.delimited import read_delimited

        return read_delimited(path, wanted)
    except OSError as error:
        cause = _("it cannot be read ({error})").format(error=error.strerror or error)
        raise FileError([Problem(path, None, None, cause, _("check the file and its permissions"))]) from None


def is_text(path: Path) -> bool:
    """Return whether a file with the suffix of a workbook is text, as Blackboard exports it."""
    with path.open("rb") as stream:
        begin = stream.read(4)
    return path.suffix.lower() == ".xls" and begin.startswith((*ENCODINGS, b'"'))


def column_names(path: Path, header: Sequence[str], wanted: Wanted | Choice, row: int | None = 1) -> dict[str, int]:
    """Return the positions of the wanted columns, by their tidied names; raise FileError for duplicates."""
    if isinstance(wanted, Choice):
        return dict(wanted.names(plain_titles(header)))
    names = tidied_names(header)
    places = {name: index for index, name in enumerate(names) if name and wanted(name)}
    problems = Problems(path)
    for name in places:
        if names.count(name) > 1:
            problems.add(row, name, _("more than one column has this name"), _("delete or rename all but one"))
    problems.raise_if_any()
    return places


def tidied_names(header: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a header row as we compare them."""
    return tuple(name.lower() for name in plain_titles(header))


def plain_titles(header: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a header row without invisible characters."""
    return tuple(name.replace(BYTE_ORDER_MARK, "").strip() for name in header)


def make_sheet(
    problems: Problems,
    header: Sequence[str],
    columns: Mapping[str, Column],
    rows: IntArray,
    notes: tuple[str, ...] = (),
    left_out: Mapping[str, Column] | None = None,
) -> Sheet:
    """Make a sheet of columns by their tidied names; ``rows`` are the numbers of their rows in the file.

    Rows with nothing in them are left out, and so are rows that say the header once more.
    """
    sheet = Sheet(
        problems.path,
        dict(columns),
        rows,
        notes,
        tuple(problems.collected),
        tidied_names(header),
        plain_titles(header),
        left_out or {},
    )
    return _without_repeated_headers(_without_blank_rows(sheet))


def columns_of(texts: Mapping[str, Any]) -> dict[str, Column]:
    """Return the columns of arrow arrays of text, by two threads."""
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(texts, pool.map(column_of, texts.values()), strict=True))


def column_of(texts: Any) -> Column:
    """Return a column of an arrow array of text: tidied, each different text once."""
    return tidied(*encode(texts))


def tidied(codes: Int32Array, raw: Any) -> Column:
    """Return a column of texts, each different one once, without characters that a spreadsheet hides."""
    tidy = pc.utf8_trim_whitespace(raw)
    if pc.any(pc.starts_with(tidy, '="')).as_py():
        # ="007" is how a spreadsheet is told that 007 is text.
        tidy = pc.utf8_trim_whitespace(pc.replace_substring_regex(tidy, '^="(.*)"$', r"\1"))
    if not tidy.equals(raw):
        merged, tidy = encode(tidy)
        codes = merged[codes]
    return Column(codes, tidy)


def _without_blank_rows(sheet: Sheet) -> Sheet:
    blank = np.ones(len(sheet), bool)
    for column in sheet.columns.values():
        if empty_at(column.words) < 0:
            return sheet
        blank &= column.empty
    return some_rows(sheet, ~blank) if blank.any() else sheet


def _without_repeated_headers(sheet: Sheet) -> Sheet:
    """Omit rows that repeat the header, as in sheets that were pasted together."""
    if not sheet.columns:
        return sheet
    repeats = np.ones(len(sheet), bool)
    # The shortest column first, which mostly tells.
    for name, column in sorted(sheet.columns.items(), key=lambda each: len(each[1].words)):
        lower = pc.utf8_lower(column.words)
        if not pc.any(pc.starts_with(lower, name)).as_py():
            return sheet
        repeats &= pc.equal(lower, name).to_numpy(zero_copy_only=False)[column.codes]
    if not repeats.any():
        return sheet
    which = ", ".join(map(str, sheet.rows[repeats][:NAMED])) + (", ..." if repeats.sum() > NAMED else "")
    return some_rows(
        sheet,
        ~repeats,
        _("{file}, row {rows}: the header again, which is skipped").format(file=sheet.path, rows=which),
    )


def some_rows(sheet: Sheet, kept: NDArray[np.bool_], note: str | None = None) -> Sheet:
    """Return the sheet with some of its rows, and a note on the others."""
    columns = {name: column.some(kept) for name, column in sheet.columns.items()}
    notes = (*sheet.notes, note) if note else sheet.notes
    return replace(sheet, columns=columns, rows=sheet.rows[kept], notes=notes)
