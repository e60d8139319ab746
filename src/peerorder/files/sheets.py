"""``Sheet``: a table that somebody sent, CSV, XLSX or Parquet, as columns of text.

Everything is text, as it stands in the file: an id like 007 stays one, and what is a number is for the reader of
a column to decide. Blanks around a cell go, because nobody sees them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.files.problems import FileError, Problem, Problems

__all__ = ["Column", "Sheet", "read_sheet", "sheet_of_rows", "where"]

NAMED = 12


@dataclass(frozen=True, eq=False)
class Column:
    """A column, each different text once: row i holds ``texts[codes[i]]``."""

    codes: Int32Array
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.texts[int(self.codes[row])]

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Which rows have nothing in this column."""
        at = self.texts.index("") if "" in self.texts else -1
        return np.asarray(self.codes == at)

    def tolist(self) -> list[str]:
        """The text of every row."""
        return [self.texts[code] for code in self.codes]


@dataclass(frozen=True, eq=False)
class Sheet:
    """Columns by their names, in lower case and without blanks around them; rows that are empty are left out."""

    path: Path
    columns: dict[str, Column]
    rows: IntArray
    """The number of every row as a spreadsheet counts: the header is usually 1."""
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What is wrong with rows that are left out for it; whoever needs the sheet decides whether that will do."""

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def need(self, what: str, names: Iterable[str]) -> None:
        """Complain about columns that are missing."""
        problems = Problems(self.path)
        missing = [name for name in names if name not in self]
        if missing:
            has = ", ".join([*self.columns][:NAMED]) + (", ..." if len(self.columns) > NAMED else "")
            problems.add(
                None,
                None,
                f"{what} needs the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}, and this file has "
                f"{has or 'none'}",
                "name the columns in the first row",
            )
        problems.refuse()


def where(mask: NDArray[np.bool_]) -> list[int]:
    """The rows for which something holds."""
    return [int(row) for row in np.flatnonzero(mask)]


def read_sheet(path: Path) -> Sheet:
    """The table in a file: XLSX and Parquet by their names, anything else as CSV."""
    if not path.exists():
        raise FileError([Problem(path, None, None, "there is no such file", "check its name and folder")])
    if path.is_dir():
        raise FileError([Problem(path, None, None, "this is a folder", "name a file in it")])
    suffix = path.suffix.lower()
    try:
        if suffix in (".xlsx", ".xlsm", ".xls", ".ods"):
            from peerorder.files.workbooks import read_workbook

            return read_workbook(path)
        if suffix in (".parquet", ".pq"):
            return _read_parquet(path)
        from peerorder.files.delimited import read_delimited

        return read_delimited(path)
    except OSError as error:
        cause = f"it cannot be read ({error.strerror or error})"
        raise FileError([Problem(path, None, None, cause, "check the file and its permissions")]) from None


def sheet_of_rows(
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    rows: Sequence[int],
    problems: Problems,
    notes: tuple[str, ...] = (),
) -> Sheet:
    """A sheet of rows of text, each as long as the header; ``rows`` are their numbers in the file."""
    names = column_names(problems.path, header)
    kept = [at for at, row in enumerate(cells) if any(cell.strip() for cell in row)]
    arrays = {
        name: column_of(pa.array([cells[at][c] for at in kept], pa.string())) for c, name in enumerate(names) if name
    }
    numbers = np.array([rows[at] for at in kept], np.int64)
    return without_repeated_headers(Sheet(problems.path, arrays, numbers, notes, tuple(problems.found)))


def column_names(path: Path, header: Sequence[str]) -> list[str]:
    """The names in a header row, tidied; an empty one for a column without a name. Complains about doubles."""
    names = [name.replace("\ufeff", "").strip().lower() for name in header]
    problems = Problems(path)
    for name in dict.fromkeys(names):
        if name and names.count(name) > 1:
            problems.add(1, name, "this name stands over more than one column", "delete or rename all of them but one")
    problems.refuse()
    return names


def column_of(texts: Any) -> Column:
    """A column of an arrow array of strings: tidied, each different text once."""
    encoded = pc.fill_null(texts, "").dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):
            encoded = pa.concat_arrays(encoded.chunks) if encoded.num_chunks else pa.array([], pa.string())
    if not pa.types.is_dictionary(encoded.type):
        encoded = encoded.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    raw = encoded.dictionary
    tidy = pc.utf8_trim_whitespace(raw)
    if pc.any(pc.starts_with(tidy, "=")).as_py():
        # ="007" is how a spreadsheet is told that 007 is text.
        tidy = pc.replace_substring_regex(tidy, '^="(.*)"$', r"\1")
    texts = tuple(tidy.to_pylist())
    if len(set(texts)) < len(texts):
        at = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([at[text] for text in texts], np.int32)[codes]
        texts = tuple(at)
    return Column(codes, texts)


def without_repeated_headers(sheet: Sheet) -> Sheet:
    """Leave out rows that say the header once more, as sheets that were pasted together have them."""
    if not len(sheet) or not sheet.columns:
        return sheet
    repeats = np.ones(len(sheet), bool)
    for name, column in sheet.columns.items():
        same = [at for at, text in enumerate(column.texts) if text.lower() == name]
        repeats &= column.codes == same[0] if same else False
        if not repeats.any():
            return sheet
    which = ", ".join(map(str, sheet.rows[repeats][:NAMED])) + (", ..." if repeats.sum() > NAMED else "")
    return take(sheet, ~repeats, f"{sheet.path}, row {which}: the header once more, which is left out")


def take(sheet: Sheet, kept: NDArray[np.bool_], note: str | None = None) -> Sheet:
    """Some of the rows."""
    columns = {name: Column(column.codes[kept], column.texts) for name, column in sheet.columns.items()}
    notes = (*sheet.notes, note) if note else sheet.notes
    return Sheet(sheet.path, columns, sheet.rows[kept], notes, sheet.problems)


def _read_parquet(path: Path) -> Sheet:
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        names = column_names(path, table.column_names)
        columns = {}
        for name, values in zip(names, table.columns, strict=True):
            if pa.types.is_nested(values.type) or pa.types.is_temporal(values.type):
                cause = f"this column holds {values.type}, which is neither text nor a number"
                raise FileError([Problem(path, None, name, cause, "write it as text")])
            if pa.types.is_floating(values.type):
                columns[name] = column_of(pa.array([_as_text(value) for value in values.to_pylist()], pa.string()))
            else:
                columns[name] = column_of(pc.cast(values, pa.string()))
    except pa.ArrowException as error:
        cause = f"it cannot be read as Parquet ({str(error).splitlines()[0]})"
        raise FileError([Problem(path, None, None, cause, "write it again, or as CSV")]) from None
    return Sheet(path, columns, np.arange(len(table), dtype=np.int64) + 1)


def _as_text(value: float | None) -> str:
    """A number as people write it: 3, not 3.0."""
    if value is None or value != value:
        return ""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)
