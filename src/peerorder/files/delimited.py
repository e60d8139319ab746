"""CSV in the dialects that people send: commas, semicolons or tabs, a byte order mark, a spreadsheet's quoting.

Files without a fault go through arrow at full speed. Whatever it stumbles over is read once more, slowly, by
Python's own reader, which knows the row of everything.
"""

import csv
import io
import mmap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from peerorder.files.problems import FileError, Problem, Problems
from peerorder.files.sheets import Sheet, column_names, column_of, sheet_of_rows, take, without_repeated_headers

__all__ = ["read_delimited"]

SEPARATORS = (",", ";", "\t", "|")
MARK = b"\xef\xbb\xbf"
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


def read_delimited(path: Path) -> Sheet:
    """The table in a CSV file."""
    if path.stat().st_size == 0:
        raise FileError([Problem(path, None, None, "it is empty", "it needs a header row and a row for every entry")])
    with path.open("rb") as stream:
        # It closes by itself once arrow has let go of it.
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    if content[:4] in WORKBOOKS:
        cause, cure = "this is a workbook, not CSV", "give the file a name that ends in .xlsx"
        raise FileError([Problem(path, None, None, cause, cure)])
    sheet = _fast(path, content)
    return _slow(path, bytes(content)) if sheet is None else sheet


def _separator(line: str) -> str:
    """What separates the fields of a header row: the sign that is most often outside of quotes."""
    outside = "".join(line.split('"')[::2])
    return max(SEPARATORS, key=outside.count)


def _fast(path: Path, content: mmap.mmap) -> Sheet | None:
    """The sheet of a file in UTF-8 whose rows are all of one length; None where it is not so simple."""
    end = content.find(b"\n")
    first = content[: end if end >= 0 else len(content)].removeprefix(MARK).removesuffix(b"\r")
    if end < 0 or not first.strip() or b'"' in first or b"\r" in first or content.find(b"\0") >= 0:
        return None
    try:
        line = first.decode()
    except UnicodeDecodeError:
        return None
    if line.lower().startswith("sep="):
        return None
    header = line.split(separator := _separator(line))
    numbered = [str(c) for c in range(len(header))]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(content)),
            read_options=arrow_csv.ReadOptions(column_names=numbered, skip_rows=1),
            parse_options=arrow_csv.ParseOptions(
                delimiter=separator, newlines_in_values=content.find(b'"') >= 0, ignore_empty_lines=False
            ),
            convert_options=arrow_csv.ConvertOptions(column_types=dict.fromkeys(numbered, pa.string())),
        )
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    names = column_names(path, header)
    columns = {name: column_of(table.column(str(c))) for c, name in enumerate(names) if name}
    sheet = Sheet(path, columns, np.arange(table.num_rows, dtype=np.int64) + 2)
    blank = np.ones(len(sheet), bool)
    for column in columns.values():
        if "" not in column.texts:
            break
        blank &= column.empty
    else:
        sheet = take(sheet, ~blank)
    return without_repeated_headers(sheet)


def _slow(path: Path, content: bytes) -> Sheet:
    """The sheet of any other file, row by row."""
    text, notes = _decoded(path, content)
    problems = Problems(path)
    skipped = 0
    first = text.split("\n", 1)[0].strip()
    if first.lower().startswith("sep=") and len(first) == 5:
        separator, skipped = first[4], 1
        text = text.split("\n", 1)[1] if "\n" in text else ""
    else:
        separator = _separator(text.lstrip("\r\n").split("\n", 1)[0].split("\r", 1)[0])
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        cause, cure = f"it cannot be read as CSV ({error})", "open it in a spreadsheet and save it as CSV again"
        raise FileError([Problem(path, None, None, cause, cure)]) from None
    filled = [at for at, row in enumerate(rows) if any(cell.strip() for cell in row)]
    if not filled:
        raise FileError([Problem(path, None, None, "it is empty", "it needs a header row and a row for every entry")])
    header = rows[filled[0]]
    cells, numbers = [], []
    for at in filled[1:]:
        row, more = rows[at][: len(header)], rows[at][len(header) :]
        if any(cell.strip() for cell in more):
            problems.add(
                at + 1 + skipped,
                None,
                f"it has {len(rows[at])} cells, and the header has {len(header)}",
                "put cells that hold the separator in quotes, or delete what is too much",
            )
            continue
        cells.append(row + [""] * (len(header) - len(row)))
        numbers.append(at + 1 + skipped)
    return sheet_of_rows(header, cells, numbers, problems, notes)


def _decoded(path: Path, content: bytes) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and what to say about how it was written."""
    marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ["utf-16"] if marked else ["utf-8-sig", "cp1252"]:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        note = f"{path}: it is not in UTF-8, so it is read as Windows-1252; check letters with accents"
        return text, (note,) if encoding == "cp1252" else ()
    cause, cure = "it is no text that can be read", "open it in a spreadsheet and save it as CSV in UTF-8"
    raise FileError([Problem(path, None, None, cause, cure)])
