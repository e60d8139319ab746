"""Header detection: the first rows of a file, to find a header that is below a title."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

from peerorder.files.formats.file_types import PARQUET, UTF16_MARKS, WORKBOOKS, separator_of
from peerorder.files.formats.problems import FileError

__all__ = ["header_below"]

ROWS = 30
BYTES = 2**16


def header_below(path: Path, fits: Callable[[Sequence[str]], bool]) -> int | None:
    """Return the number of the first row below the first that may be the header; None where there is none."""
    from peerorder.files.formats.sheets import tidied_names

    rows = _first_rows(path)
    return next((index for index, row in enumerate(rows, 1) if index > 1 and fits(tidied_names(row))), None)


def _first_rows(path: Path) -> list[list[str]]:
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return []
    from peerorder.files.formats.sheets import is_text

    if suffix in WORKBOOKS and not is_text(path):
        from peerorder.files.formats.workbooks import first_sheet

        try:
            return [[str(cell) for cell in row] for row in first_sheet(path)[1][:ROWS]]
        except FileError:
            return []

    with path.open("rb") as stream:
        # The names that are looked for are plain letters in every encoding but this one.
        content = stream.read(BYTES)
    encoding = "utf-16" if content.startswith(UTF16_MARKS) else "utf-8-sig"
    lines = content.decode(encoding, "replace").splitlines()[:ROWS]
    # Each separately: a title has other signs in it than the table.
    return [next(csv.reader([line], delimiter=separator_of(line)), []) for line in lines]
