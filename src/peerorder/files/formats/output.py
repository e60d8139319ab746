"""Tables for people: CSV, XLSX or Parquet by the name of the file, in place in one step."""

import io
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from peerorder.core.errors import InputError
from peerorder.core.text import join_with_or
from peerorder.core.translation import gettext as _, ngettext, translate
from peerorder.files.formats.arrow import numbers, strings
from peerorder.files.formats.file_types import BYTE_ORDER_MARK, PARQUET
from peerorder.files.formats.form_sheets import dress_form
from peerorder.files.formats.formulas import without_formula
from peerorder.files.formats.kinds import FORM, TABLE, Kind, kind_of
from peerorder.files.formats.writing import provenance_of, provenance_path, write_bytes

__all__ = ["arrow_table", "check_output", "check_writable", "table_bytes", "write_table"]

XLSX_ROWS = 2**20 - 1
NARROWEST, WIDEST = 8, 60


def check_output(path: Path, option: str, kind: Kind, command: str | None = None) -> None:
    """Raise InputError if an output file cannot be written, or exists and holds something else.

    Parameters
    ----------
    option
        What named the file, for the message.
    kind
        What is to be written to it.
    command
        The command that must have written the file that is there; None where it may be anybody's.
    """
    check_writable(path, option, kind)
    if not path.is_file() or not path.stat().st_size:
        return
    existing = kind_of(path, kind)
    if existing is not None and existing is not kind:
        raise InputError(
            _("{parameter} {file} would overwrite {content}; choose another name").format(
                parameter=option, file=path, content=translate(existing.called)
            )
        )
    if command is not None and provenance_of(path).get("command") != command:
        raise InputError(
            _(
                "{parameter} {file} already exists, and was not written by {command}; choose another name, or "
                "delete it first"
            ).format(parameter=option, file=path, command=command)
        )


def check_writable(path: Path, option: str, kind: Kind = TABLE) -> None:
    """Raise InputError if an output file cannot be written, before any work is done for it."""
    if path.is_dir():
        raise InputError(
            _("{parameter} {file} is a folder; give the name of a file").format(parameter=option, file=path)
        )
    if path.suffix.lower() not in kind.suffixes:
        raise InputError(
            _("{parameter} {file}: give it a name that ends in {suffixes}").format(
                parameter=option, file=path, suffixes=join_with_or(kind.suffixes)
            )
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The name that it is first written under is longer than its own, and so is that of its provenance.
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{provenance_path(path).name}."):
            pass
    except OSError as error:
        raise InputError(
            _("{parameter} {file} cannot be written to ({error}); choose another name").format(
                parameter=option, file=path, error=error.strerror
            )
        ) from None


def write_table(path: Path, columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]], kind: Kind = TABLE) -> None:
    """Write columns of one length: text, or numbers, which are left empty where they are None or NaN."""
    if path.suffix.lower() in PARQUET:
        from peerorder.files.formats.blocks import BLOCK_ROWS, write_blocks

        # Not as bytes first: a table of ten million rows has hundreds of megabytes.
        table = arrow_table(columns)
        write_blocks(path, table.schema, table.to_batches(BLOCK_ROWS))
        return
    write_bytes(path, table_bytes(path, columns, kind))


def table_bytes(path: Path, columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]], kind: Kind = TABLE) -> bytes:
    """Return what ``write_table`` writes, for callers that write several files and only when all are ready.

    Parameters
    ----------
    path
        Its name says which format it has.
    columns
        As of ``write_table``.
    kind
        What the table is. In CSV that people open, a byte order mark comes first; where no command reads it back, texts
        are changed that spreadsheets would take for formulas. Workbooks need neither.
    """
    table = arrow_table(columns)
    suffix = path.suffix.lower()
    out = io.BytesIO()
    if suffix == ".xlsx":
        _write_workbook(out, path, table, kind)
    elif suffix in PARQUET:
        import pyarrow.parquet as pq

        pq.write_table(table, out)
    else:
        if not kind.read_back:
            table = pa.table(
                {name: _harmless(column) for name, column in zip(table.column_names, table.columns, strict=True)}
            )
        separator = "\t" if suffix == ".tsv" else ","
        header = (BYTE_ORDER_MARK if kind.opened else "") + separator.join(table.column_names) + "\n"
        return b"".join([header.encode(), *_rows_as_csv(table, separator)])
    return out.getvalue()


def arrow_table(columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]) -> pa.Table:
    """Return columns as they are written: None and NaN are missing."""
    return pa.table({name: _arrow(values) for name, values in columns.items()})


def _harmless(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return strings(None if text is None else without_formula(text) for text in column.to_pylist()).cast(column.type)


def _rows_as_csv(table: pa.Table, separator: str) -> list[pa.Buffer]:
    """Return all rows, in two halves by a thread each; arrow quotes every text if a single one needs quotes."""

    def write(half: pa.Table, quotes: str) -> pa.Buffer:
        out = pa.BufferOutputStream()
        options = arrow_csv.WriteOptions(include_header=False, quoting_style=quotes, delimiter=separator)
        arrow_csv.write_csv(half, out, options)
        return out.getvalue()

    halves = [table[: len(table) // 2], table[len(table) // 2 :]]
    with ThreadPoolExecutor(2) as pool:
        try:
            return list(pool.map(write, halves, ["none"] * 2))
        except pa.ArrowInvalid:
            return list(pool.map(write, halves, ["needed"] * 2))


def _arrow(values: Sequence[Any] | np.ndarray[Any, Any]) -> pa.Array:
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return numbers(values)
    if isinstance(values, pa.Array | pa.ChunkedArray):
        array = values
    elif isinstance(values, list) and values.count(None) == len(values):
        return pa.nulls(len(values), pa.string())
    elif all(value is None or isinstance(value, str) for value in values):
        array = strings(values)
    else:
        array = pa.array(values, from_pandas=True)
    return array.cast(pa.string()) if pa.types.is_null(array.type) else array


def _write_workbook(out: io.BytesIO, path: Path, table: pa.Table, kind: Kind) -> None:
    import xlsxwriter

    if table.num_rows > XLSX_ROWS:
        raise InputError(
            ngettext(
                "{file}: {count:,} row does not fit into a workbook; write CSV or Parquet instead",
                "{file}: {count:,} rows do not fit into a workbook; write CSV or Parquet instead",
                table.num_rows,
            ).format(file=path, count=table.num_rows)
        )
    # Ids stay text: nothing becomes a formula, a link or a number.
    options = {"constant_memory": kind is not FORM, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        sheet, bold = book.add_worksheet(kind.name.capitalize()), book.add_format({"bold": True})
        sheet.freeze_panes(1, 0)
        for c, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
            sheet.set_column(c, c, _width(name, column))
            sheet.write_string(0, c, name, bold)
        for r, row in enumerate(zip(*(column.to_pylist() for column in table.columns), strict=True), 1):
            for c, value in enumerate(row):
                if isinstance(value, str):
                    sheet.write_string(r, c, value)
                elif value is not None:
                    sheet.write_number(r, c, value)
        if kind is FORM:
            dress_form(book, sheet, table)


def _width(name: str, column: pa.ChunkedArray) -> int:
    """Return the width of a column that shows its content, in characters."""
    longest = pc.max(pc.utf8_length(pc.cast(column, pa.string()))).as_py() or 0
    return int(min(max(longest, len(name), NARROWEST) + 2, WIDEST))
