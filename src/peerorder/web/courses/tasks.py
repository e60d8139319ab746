"""What is done to rosters from outside, in the sandbox: nothing here knows of Django's settings or the database."""

import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerorder.web.sandbox.problems import Problem

if TYPE_CHECKING:
    from peerorder.files import Roster

# A workbook is a ZIP: what it would become unpacked, at most.
LARGEST_UNPACKED = 200 * 2**20
MOST_ROWS = 50_000
MOST_PROBLEMS = 1000


def read_upload(source: Path, _folder: Path) -> dict[str, Any]:
    """Read a roster; return its rows and notes on it, or everything that is wrong with it."""
    # There is no place in the sandbox for what a compiler makes, and to load it takes longer than to read a roster.
    sys.modules["numba"] = None  # type: ignore[assignment]
    from peerorder.core.errors import InputError
    from peerorder.files import read_roster
    from peerorder.files.problems import FileError

    if source.suffix != ".csv":
        _check_unpacked(source)
    try:
        roster = read_roster(source)
    except FileError as error:
        return {
            "problems": [[each.row, each.column, each.cause, each.cure] for each in error.problems[:MOST_PROBLEMS]],
            "count": len(error.problems),
        }
    except InputError as error:
        return {"problems": [[None, None, str(error), ""]], "count": 1}
    if len(roster.students) > MOST_ROWS:
        raise Problem("many-rows")
    notes = [note.replace(f"{source}, ", "").replace(f"{source}: ", "") for note in roster.notes]
    return {"rows": _rows(roster), "notes": notes}


def _check_unpacked(source: Path) -> None:
    try:
        with zipfile.ZipFile(source) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except zipfile.BadZipFile:
        if source.suffix == ".xls":
            # An old workbook is no archive.
            return
        raise Problem("damaged") from None
    if size > LARGEST_UNPACKED:
        raise Problem("too-much")


def _rows(roster: "Roster") -> list[list[Any]]:
    """Row, student, name, e-mail address, section, team and whether they are staff; None where there is no column."""
    has = roster.columns
    # A team is two students or more; who shares a paper with staff alone is none.
    sizes = Counter(int(paper) for paper, staff in zip(roster.wrote, roster.staff, strict=True) if not staff)
    teams = ["" if staff or paper < 0 or sizes[int(paper)] < 2 else roster.papers[paper]
             for paper, staff in zip(roster.wrote, roster.staff, strict=True)]  # fmt: skip
    return [
        [
            int(roster.rows[at]),
            student,
            roster.name[at] if "name" in has else None,
            roster.email[at] if "email" in has else None,
            roster.section[at] if "section" in has else None,
            teams[at] if "paper" in has else None,
            bool(roster.staff[at]) if "role" in has else None,
        ]
        for at, student in enumerate(roster.students)
    ]
