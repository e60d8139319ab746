"""Tables for people: CSV, XLSX or Parquet by the name of the file, in place in one step."""

import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from peerorder.core.errors import InputError
from peerorder.files.arrow import numbers
from peerorder.files.formulas import without_formula
from peerorder.files.writing import write_bytes

__all__ = ["check_writable", "table_bytes", "write_table"]

XLSX_ROWS = 2**20 - 1


def check_writable(path: Path, option: str) -> None:
    """Complain about an output file that cannot be written, before any work is done for it."""
    if path.is_dir():
        raise InputError(f"{option} {path} is a directory; give the name of a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The name that it is first written under is longer than its own, and so is that of its provenance.
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.provenance.json."):
            pass
    except OSError as error:
        raise InputError(f"{option} {path} cannot be written to ({error.strerror}); choose another name") from None


def write_table(path: Path, columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]]) -> None:
    """Columns of one length: text, or numbers, which are left empty where they are None or not a number."""
    write_bytes(path, table_bytes(path, columns))


def table_bytes(
    path: Path, columns: Mapping[str, Sequence[Any] | np.ndarray[Any, Any]], *, for_people: bool = False
) -> bytes:
    """Return what ``write_table`` writes, for callers that write several files and only when all are ready.

    Parameters
    ----------
    path
        Its name says which format it has.
    columns
        As of ``write_table``.
    for_people
        Whether no command reads the file back, so that texts in CSV may be changed to keep spreadsheets from taking
        them for formulas. Workbooks say which cells are texts.
    """
    table = pa.table({name: _arrow(values) for name, values in columns.items()})
    suffix = path.suffix.lower()
    out = io.BytesIO()
    if suffix == ".xlsx":
        _write_workbook(out, path, table)
    elif suffix in (".parquet", ".pq"):
        import pyarrow.parquet as pq

        pq.write_table(table, out)
    else:
        if for_people:
            table = pa.table(
                {name: _harmless(column) for name, column in zip(table.column_names, table.columns, strict=True)}
            )
        out.write((",".join(table.column_names) + "\n").encode())
        out.write(_rows_as_csv(table))
    return out.getvalue()


def _harmless(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return column
    return pa.array([None if text is None else without_formula(text) for text in column.to_pylist()], column.type)


def _rows_as_csv(table: pa.Table) -> bytes:
    """All rows; arrow puts every text in quotes where a single one needs them."""
    for quotes in ("none", "needed"):
        out = io.BytesIO()
        try:
            arrow_csv.write_csv(table, out, arrow_csv.WriteOptions(include_header=False, quoting_style=quotes))
        except pa.ArrowInvalid:
            continue
        break
    return out.getvalue()


def _arrow(values: Sequence[Any] | np.ndarray[Any, Any]) -> pa.Array:
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return numbers(values)
    if isinstance(values, list) and values.count(None) == len(values):
        return pa.nulls(len(values), pa.string())
    array = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=True)
    return array.cast(pa.string()) if pa.types.is_null(array.type) else array


def _write_workbook(out: io.BytesIO, path: Path, table: pa.Table) -> None:
    import xlsxwriter

    if table.num_rows > XLSX_ROWS:
        raise InputError(
            f"{path}: {table.num_rows:,} rows are more than a workbook holds; write CSV or Parquet instead"
        )
    # Ids stay text: nothing becomes a formula, a link or a number.
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        sheet, bold = book.add_worksheet(), book.add_format({"bold": True})
        sheet.freeze_panes(1, 0)
        for c, name in enumerate(table.column_names):
            sheet.write_string(0, c, name, bold)
        for r, row in enumerate(zip(*(column.to_pylist() for column in table.columns), strict=True), 1):
            for c, value in enumerate(row):
                if isinstance(value, str):
                    sheet.write_string(r, c, value)
                elif value is not None:
                    sheet.write_number(r, c, value)
