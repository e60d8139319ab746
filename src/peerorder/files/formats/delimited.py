"""CSV in the dialects that people send: commas, semicolons or tabs, a byte order mark, a spreadsheet's quoting.

Arrow reads files all of whose rows have the cells of the header. Others are read once more, slowly, by Python's own
reader, which knows the row of everything.
"""

import codecs
import csv
import io
import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from peerorder.core.translation import gettext as _, ngettext
from peerorder.files.formats.arrow import strings
from peerorder.files.formats.file_types import UTF16_MARKS, WORKBOOK_BYTES, separator_of
from peerorder.files.formats.problems import FileError, Problem, Problems
from peerorder.files.formats.sheets import Choice, Column, Sheet, Wanted, column_names, columns_of, make_sheet, tidied

__all__ = ["read_delimited"]

# Documents that are packed like workbooks.
OTHERS = (".doc", ".docx", ".odt", ".ppt", ".pptx", ".odp", ".pages", ".zip")
SEP = re.compile(r"\s*sep=(.)\s*", re.IGNORECASE)
# A last row of ours. Where a quotation mark is opened and never closed, it becomes part of a cell.
LAST = "\x1a the end"
# How Python hands on a byte that is not UTF-8.
BROKEN = re.compile("[\udc80-\udcff]")
BEYOND_ASCII = re.compile("[^\0-\x7f\udc80-\udcff]")


def read_delimited(path: Path, wanted: Wanted | Choice) -> Sheet:
    """Read the table in a CSV file."""
    content = path.read_bytes()
    if content[:4] in WORKBOOK_BYTES:
        cause, cure = _("this is a workbook, not CSV"), _("give the file a name that ends in .xlsx")
        if path.suffix.lower() in OTHERS:
            cause, cure = _("this is not a table"), _("omit it, or name its folder, of which only tables are read")
        raise FileError([Problem(path, None, None, cause, cure)])
    parsed = _fast(path, content, wanted)
    if parsed is None:
        return _slow(path, content, wanted)
    del content  # makes room
    header, texts = parsed
    rows = np.arange(2, len(next(iter(texts.values()), ())) + 2, dtype=np.int64)
    return make_sheet(Problems(path), header, columns_of(texts), rows)


# Fast.


def _fast(path: Path, content: bytes, wanted: Wanted | Choice) -> tuple[list[str], dict[str, Any]] | None:
    """Return header and columns of texts if arrow reads the file as Python's reader does; None otherwise."""
    end = content.find(b"\n")
    first = content[: max(end, 0)].removeprefix(codecs.BOM_UTF8).removesuffix(b"\r")
    if not first.strip() or first.count(b'"') % 2 or b"\r" in first or b"\0" in content:
        return None
    try:
        line = first.decode()
    except UnicodeDecodeError:
        return None
    if SEP.fullmatch(line):
        return None
    header = next(csv.reader([line], delimiter=(separator := separator_of(line))))
    if not any(name.strip() for name in header):
        return None
    places = column_names(path, header, wanted)
    cells = read_cells(content, end + 1, separator, len(header), list(places.values())) if places else []
    return None if cells is None else (header, dict(zip(places, cells, strict=True)))


def read_cells(content: bytes, begin: int, separator: str, width: int, places: Sequence[int]) -> list[Any] | None:
    """Return the texts of the columns at some places, as arrow arrays, of the rows that begin at a byte.

    None where a row has not ``width`` cells, a quotation mark is never closed, or a text is not in UTF-8; and in a
    process that must do without threads, as the sandbox of the web app: arrow's reader is missing there.
    """
    try:
        from pyarrow import csv as arrow
    except ImportError:
        return None
    end = len(content)
    while end > begin and content[end - 1] in b"\r\n":
        end -= 1
    if end <= begin:
        return [strings([]) for _ in places]
    rows = pa.py_buffer(content).slice(begin, end - begin)
    quoted = content.find(b'"', begin) >= 0
    if quoted:
        rows = pa.py_buffer(b"\n".join([rows, separator.join([LAST] * width).encode()]))
    names = [str(place) for place in range(width)]
    used = [names[place] for place in places]
    try:
        table = arrow.read_csv(
            pa.BufferReader(rows),
            arrow.ReadOptions(column_names=names),
            arrow.ParseOptions(delimiter=separator, ignore_empty_lines=False),
            arrow.ConvertOptions(include_columns=used, column_types=dict.fromkeys(used, pa.string())),
        )
    except pa.ArrowInvalid:
        return None
    if quoted:
        if table[0][-1].as_py() != LAST:
            return None
        table = table[:-1]
    return list(table.columns)


# Slow.


def _slow(path: Path, content: bytes, wanted: Wanted | Choice) -> Sheet:
    """Return the sheet of any other file, row by row."""
    text, notes, mixed = _decoded(path, content)
    problems = Problems(path)
    rows = _rows(path, text)
    number, header = next(((index, row) for index, row in rows if any(cell.strip() for cell in row)), (0, []))
    if not header:
        raise FileError([Problem(path, None, None, _("it is empty"), _("it needs a header row and one row per entry"))])
    # No column of ours has such letters in its name.
    header = [BROKEN.sub("\ufffd", name) for name in header]
    places = column_names(path, header, wanted, number)
    numbers = array("q")
    columns = {name: _Interned() for name in places}
    for number, row in rows:
        if len(row) > len(header) and any(cell.strip() for cell in row[len(header) :]):
            problems.add(
                number,
                None,
                ngettext(
                    "it has {count} cell, but the header has {columns}",
                    "it has {count} cells, but the header has {columns}",
                    len(row),
                ).format(count=len(row), columns=len(header)),
                _("put cells that hold the separator in quotes, or delete what is too much"),
            )
            continue
        if mixed and BROKEN.search("".join(row)):
            cause = _("it has characters that are not in UTF-8, unlike the rest of the file")
            problems.add(number, None, cause, _("type them again, and save the file in UTF-8"))
            continue
        numbers.append(number)
        for name, index in places.items():
            columns[name].add(row[index] if index < len(row) else "")
    interned = {name: column.tidied for name, column in columns.items()}
    return make_sheet(problems, header, interned, np.array(numbers, np.int64), notes)


class _Interned:
    """A column that grows, each different text once."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._numbers: dict[str, int] = {}

    def add(self, text: str) -> None:
        self._codes.append(self._numbers.setdefault(text, len(self._numbers)))

    @property
    def tidied(self) -> Column:
        return tidied(np.array(self._codes, np.int32), strings(self._numbers))


def _rows(path: Path, text: io.TextIOBase) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a text, numbered from 1; a row may have several lines."""
    lines = iter(text)
    first = next(lines, "")
    # A spreadsheet does not show this line, and so does not count it.
    if sep := SEP.fullmatch(first):
        separator, before = sep[1], []
    else:
        before = [first]
        while not before[-1].strip() and (line := next(lines, None)) is not None:
            before.append(line)
        separator = separator_of(before[-1])
    number = 0
    try:
        for number, row in enumerate(csv.reader(chain(before, lines, [LAST]), delimiter=separator), 1):
            if row == [LAST]:
                return
            if row and LAST in row[-1]:
                break
            yield number, row
    except csv.Error:
        number += 1
        cause = _("it has a cell of more than {most:,} characters").format(most=csv.field_size_limit())
        cure = _("delete it, or close a quotation mark that is open")
    else:
        cause, cure = _("a quotation mark is opened in this row and never closed"), _("close it, or delete it")
    raise FileError([Problem(path, number, None, cause, cure)])


def _decoded(path: Path, content: bytes) -> tuple[io.TextIOBase, tuple[str, ...], bool]:
    """Return the text of a file, notes on its encoding, and whether the encoding is mixed."""
    notes: tuple[str, ...] = ()
    encoding, mixed = "utf-8-sig", False
    try:
        if content.startswith(UTF16_MARKS):
            content = content.decode("utf-16").encode()
        try:
            content.decode()
        except UnicodeDecodeError:
            mixed = (
                BEYOND_ASCII.search(content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape"))
                is not None
            )
            if not mixed:
                encoding = "cp1252"
                content.decode(encoding)
                notes = (
                    _(
                        "{file}: it is not in UTF-8, so it is read as Windows-1252; check accented letters; "
                        'to avoid this note, save it as "CSV UTF-8"'
                    ).format(file=path),
                )
        readable = b"\0" not in content
    except UnicodeError:
        readable = False
    if not readable:
        cause, cure = _("it is not readable text"), _("open it in a spreadsheet and save it as CSV UTF-8")
        raise FileError([Problem(path, None, None, cause, cure)])
    errors = "surrogateescape" if mixed else "strict"
    return io.TextIOWrapper(io.BytesIO(content), encoding, errors, newline=""), notes, mixed
