"""``RawTable``: a CSV whose every byte can be given back, but for the cells that are changed."""

import re
from dataclasses import dataclass
from pathlib import Path

from peerorder.core.translation import gettext as _
from peerorder.files.formats.file_types import ENCODINGS, WORKBOOK_BYTES
from peerorder.files.formats.problems import FileError, Problem

__all__ = ["RawTable", "read_raw", "shown"]


@dataclass(frozen=True, eq=False)
class RawTable:
    """Cells as in the file, with their quotes, and the end of every row."""

    path: Path
    mark: bytes
    encoding: str
    separator: str
    cells: list[list[str]]
    ends: list[str]

    def row(self, index: int) -> list[str]:
        """Return the text of the cells of a row."""
        return [shown(cell) for cell in self.cells[index]]

    def put(self, index: int, column: int, text: str) -> None:
        """Change one cell; it is quoted if it was, or if it must be."""
        quoted = self.cells[index][column].startswith('"') or any(
            sign in text for sign in (self.separator, '"', "\n", "\r")
        )
        self.cells[index][column] = '"' + text.replace('"', '""') + '"' if quoted else text

    @property
    def data(self) -> bytes:
        """Return the whole file."""
        rows = zip(self.cells, self.ends, strict=True)
        text = "".join(self.separator.join(cells) + end for cells, end in rows)
        return self.mark + text.encode(self.encoding)


def shown(cell: str) -> str:
    """Return a cell as a spreadsheet would show it."""
    if len(cell) > 1 and cell.startswith('"') and cell.endswith('"'):
        cell = cell[1:-1].replace('""', '"')
    return cell.strip()


def read_raw(path: Path, content: bytes, separator: str) -> RawTable:
    """Read the table with this separator."""
    mark, encoding, text = _decoded(path, content)
    sign = re.escape(separator)
    field = re.compile(rf'("(?:[^"]|"")*"|[^"\r\n{sign}][^\r\n{sign}]*|)({sign}|\r\n|\r|\n|\Z)')
    cells: list[list[str]] = [[]]
    ends: list[str] = []
    index = 0
    while True:
        result = field.match(text, index)
        if result is None:
            cause = _("a cell begins with a quote that does not end, or with something behind its end")
            raise FileError([Problem(path, len(ends) + 1, None, cause, _("export the file again"))])
        cells[-1].append(result[1])
        index = result.end()
        if result[2] == separator:
            continue
        ends.append(result[2])
        # The last row need not have an end; but after the last end there is no row.
        if index == len(text):
            break
        cells.append([])
    return RawTable(path, mark, encoding, separator, cells, ends)


def _decoded(path: Path, content: bytes) -> tuple[bytes, str, str]:
    if content.startswith(WORKBOOK_BYTES):
        cause, cure = _("this is a workbook"), _("give the file as it was exported, not saved again by a spreadsheet")
        raise FileError([Problem(path, None, None, cause, cure)])
    mark, encodings = b"", ["utf-8", "cp1252"]
    for sign, encoding in ENCODINGS.items():
        if content.startswith(sign):
            mark, encodings = sign, [encoding]
            break
    for encoding in encodings:
        try:
            text = content[len(mark) :].decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text and mark + text.encode(encoding) == content:
            return mark, encoding, text
    cause, cure = _("it is not readable text"), _("give the file as it was exported")
    raise FileError([Problem(path, None, None, cause, cure)])
