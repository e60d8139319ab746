"""Workbooks: the first sheet of an XLSX file that has anything on it."""

import datetime
from pathlib import Path
from typing import Any

from peerorder.files.problems import FileError, Problem, Problems
from peerorder.files.sheets import Sheet, sheet_of_rows

__all__ = ["read_workbook"]

DATES = (datetime.date, datetime.time, datetime.timedelta)


def read_workbook(path: Path) -> Sheet:
    """The table on the first sheet that is not empty; its first row that is not empty is the header."""
    rows, notes = _first_sheet(path)
    filled = [at for at, row in enumerate(rows) if any(_text(cell).strip() for cell in row)]
    if not filled:
        raise FileError([Problem(path, None, None, "it is empty", "write the table on its first sheet")])
    header = [_text(cell) for cell in rows[filled[0]]]
    problems = Problems(path)
    cells, numbers = [], []
    for at in filled[1:]:
        dates = [(column, cell) for column, cell in zip(header, rows[at], strict=True) if isinstance(cell, DATES)]
        for column, cell in dates:
            problems.add(
                at + 1,
                column,
                f"this is a date or a time, {cell}, which a spreadsheet makes of an id like 3-5",
                "format the column as text and type the id again",
            )
        if not dates:
            cells.append([_text(cell) for cell in rows[at]])
            numbers.append(at + 1)
    return sheet_of_rows(header, cells, numbers, problems, notes)


def _first_sheet(path: Path) -> tuple[list[list[Any]], tuple[str, ...]]:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    try:
        with CalamineWorkbook.from_path(path) as book:
            names = list(book.sheet_names)
            for name in names:
                rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
                if any(_text(cell).strip() for row in rows for cell in row):
                    notes = (f"{path}: the sheet {name} is read, the others are not",) if len(names) > 1 else ()
                    return rows, notes
            return [], ()
    except PasswordError:
        cause, cure = "it is protected by a password", "save it without one"
    except (CalamineError, OSError, ValueError, IndexError, KeyError) as error:
        cause = f"it cannot be read as a workbook ({' '.join(str(error).split()) or 'damaged'})"
        cure = "open it in a spreadsheet and save it again, or as CSV"
    raise FileError([Problem(path, None, None, cause, cure)])


def _text(cell: Any) -> str:
    """A cell as it is seen: 3 and not 3.0."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell)
