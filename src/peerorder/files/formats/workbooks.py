"""Workbooks: the first sheet of an XLSX file that is not empty."""

import datetime
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from peerorder.core.translation import gettext as _
from peerorder.files.formats.arrow import strings
from peerorder.files.formats.problems import FileError, Problem, Problems
from peerorder.files.formats.sheets import Choice, Column, Sheet, Wanted, column_names, column_of, make_sheet
from peerorder.files.formats.workbook_cells import Cell, faults_on_sheets

__all__ = ["first_sheet", "read_workbook"]

DATES = (datetime.date, datetime.time, datetime.timedelta)


def read_workbook(path: Path, wanted: Wanted | Choice) -> Sheet:
    """Read the table on the first sheet that is not empty; its first row that is not empty is the header."""
    faults = faults_on_sheets(path) if path.suffix.lower() in (".xlsx", ".xlsm") else {}
    name, rows, merged, notes = first_sheet(path)
    filled = [index for index, row in enumerate(rows) if any(_text(cell).strip() for cell in row)]
    if not filled:
        raise FileError([Problem(path, None, None, _("it is empty"), _("write the table on its first sheet"))])
    top = filled[0]
    header = [_text(cell) for cell in rows[top]]
    problems = Problems(path)
    places = column_names(path, header, wanted, top + 1)
    wrong = _dates(rows, top, places) | faults.get(name, {})
    for cell in merged:
        wrong.setdefault(cell, (_("this cell is merged with another"), _("unmerge the cells and fill in each")))
    names = {column: name for name, column in places.items()}
    bad = set()
    for (index, column), (cause, cure) in wrong.items():
        if index > top and column in names:
            problems.add(index + 1, names[column], cause, cure)
            bad.add(index)
    kept = [index for index in range(top + 1, len(rows)) if index not in bad]

    def columns(some: Iterable[int]) -> dict[str, Column]:
        texts = {name: [_text(rows[index][column]) for index in some] for name, column in places.items()}
        return {name: column_of(strings(cells)) for name, cells in texts.items()}

    left_out = columns(sorted(bad)) if bad else {}
    return make_sheet(problems, header, columns(kept), np.array(kept, np.int64) + 1, notes, left_out)


def _dates(rows: list[list[Any]], top: int, places: Mapping[str, int]) -> dict[Cell, tuple[str, str]]:
    return {
        (index, column): (
            _("this is a date or a time, {value}, which spreadsheets make of entries like 3-5").format(
                value=rows[index][column]
            ),
            _("format the column as text and type it again"),
        )
        for index in range(top + 1, len(rows))
        for column in places.values()
        if isinstance(rows[index][column], DATES)
    }


def first_sheet(path: Path) -> tuple[str, list[list[Any]], list[Cell], tuple[str, ...]]:
    """Return name, rows, merged cells and notes of the first sheet that is not empty."""
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

    try:
        with _silence(), CalamineWorkbook.from_path(path) as book:
            sheets = [sheet for sheet in book.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
            # Hidden ones only if there is nothing else; the sort keeps the order.
            sheets.sort(key=lambda sheet: sheet.visible != SheetVisibleEnum.Visible)
            for name in [sheet.name for sheet in sheets]:
                sheet = book.get_sheet_by_name(name)
                rows = sheet.to_python(skip_empty_area=False)
                if any(_text(cell).strip() for row in rows for cell in row):
                    notes = (
                        (_('{file}: only the sheet "{sheet}" was read').format(file=path, sheet=name),)
                        if len(sheets) > 1
                        else ()
                    )
                    return name, rows, list(_merged(sheet.merged_cell_ranges or ())), notes
            return "", [], [], ()
    except PasswordError:
        cause, cure = _("it is protected by a password"), _("save it without one")
    except (CalamineError, OSError, ValueError, OverflowError, IndexError, KeyError) as error:
        cause = _("it cannot be read as a workbook ({error})").format(
            error=" ".join(str(error).split()) or _("damaged")
        )
        cure = _("open it in a spreadsheet and save it again, or as CSV")
    except BaseException as error:
        # What calamine did not expect in a damaged file comes as a panic, which is no ordinary exception.
        if type(error).__name__ != "PanicException":
            raise
        cause, cure = (
            _("it cannot be read as a workbook ({error})").format(error=_("damaged")),
            _("open it in a spreadsheet and save it again, or as CSV"),
        )
    raise FileError([Problem(path, None, None, cause, cure)])


@contextmanager
def _silence() -> Iterator[None]:
    """Keep what a panic prints to standard error, past Python, from the terminal.

    With threads beside this one it stays as it is: what they write there would be lost, and two threads that did this
    at once would leave it lost for good.
    """
    if threading.active_count() > 1:
        yield
        return
    try:
        kept = os.dup(2)
    except OSError:
        # Nobody is listening anyway.
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _merged(ranges: Iterable[tuple[Cell, Cell]]) -> Iterable[Cell]:
    """Return the cells of merged ranges but the first of each, which holds the content."""
    for (top, left), (bottom, right) in ranges:
        for index in range(top, bottom + 1):
            for column in range(left, right + 1):
                if (index, column) != (top, left):
                    yield index, column


def _text(cell: Any) -> str:
    """Return a cell as people see it: 3 and not 3.0."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell)
