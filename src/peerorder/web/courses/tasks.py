"""What is done to rosters from outside, in the sandbox: nothing here knows of Django's settings or the database."""

import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peerorder.web.sandbox.problems import Problem

if TYPE_CHECKING:
    from peerorder.files import Roster
    from peerorder.files.formats.problems import Problem as FileProblem

# A workbook is a ZIP: what it would become unpacked, at most.
LARGEST_UNPACKED = 200 * 2**20
MOST_ROWS = 50_000
MOST_PROBLEMS = 1000
MOST_COLUMNS = 200
EXAMPLES = 3
LONGEST_TITLE = 200
LONGEST_EXAMPLE = 40
# What a course can use of a roster; where papers can be read, it knows itself.
FIELDS = ("student", "name", "first name", "surname", "email", "section", "team", "paper", "role")


def read_upload(source: Path, _folder: Path, chosen: Sequence[str] | None = None) -> dict[str, Any]:
    """Read a roster; return its rows, those that are left out, all that is wrong with them, notes, and its columns.

    ``chosen`` is the field of every column, where somebody has said so.
    """
    prepare_to_read(source)
    from peerorder.core.errors import InputError
    from peerorder.files import read_roster
    from peerorder.files.formats.problems import FileError

    read: dict[str, Any] = {"rows": [], "left_out": [], "problems": [], "count": 0, "notes": []}
    fields: Sequence[str] | None = chosen
    try:
        roster = read_roster(source, lenient=True, fields=FIELDS, chosen=chosen)
    except FileError as error:
        read |= list_problems(error.problems)
    except InputError as error:
        return read | {"problems": [[None, None, str(error), ""]], "count": 1, "columns": []}
    else:
        if len(roster.students) > MOST_ROWS:
            raise Problem("many-rows")
        fields = roster.layout.fields
        notes = [note.replace(f"{source}, ", "").replace(f"{source}: ", "") for note in roster.notes]
        read |= list_problems(roster.dropped) | {"rows": _rows(roster), "left_out": _left_out(roster), "notes": notes}
        read["alone"] = _alone(roster)
    return read | {"columns": _columns(source, fields)}


def list_problems(problems: Iterable["FileProblem"]) -> dict[str, Any]:
    """Return the problems that the process reports, and how many there are."""
    every = [[each.row, each.column, each.cause, each.cure] for each in problems]
    return {"problems": every[:MOST_PROBLEMS], "count": len(every)}


def _columns(source: Path, fields: Sequence[str] | None) -> list[list[Any]]:
    """Return the name of every column, what it is read as, and the first texts in it."""
    from peerorder.files.formats.problems import FileError
    from peerorder.files.formats.sheets import Choice, read_sheet
    from peerorder.files.tables.roster_layout import layout_of

    def places(titles: Sequence[str]) -> dict[str, int]:
        return {str(at): at for at in range(min(len(titles), MOST_COLUMNS))}

    try:
        sheet = read_sheet(source, Choice(places))
    except FileError:
        return []
    titles = sheet.titles[:MOST_COLUMNS]
    if fields is None:
        layout = layout_of(titles, FIELDS)
        fields = ["student" if at in layout.ids[:1] else field for at, field in enumerate(layout.fields)]
    # Papers are what teams share.
    known = [*("team" if field == "paper" else field for field in fields), *[""] * len(titles)]
    examples = (sheet[str(at)].words.slice(0, EXAMPLES + 1).to_pylist() for at in range(len(titles)))
    return [
        [title[:LONGEST_TITLE], known[at], [text[:LONGEST_EXAMPLE] for text in texts if text][:EXAMPLES]]
        for at, (title, texts) in enumerate(zip(titles, examples, strict=True))
    ]


def prepare_to_read(source: Path) -> None:
    """Make the readers of tables work in the sandbox, and refuse an archive that would become too large."""
    # Arrow's reader of CSV starts threads, which the sandbox forbids; Python's own is used without it.
    sys.modules["pyarrow.csv"] = None  # type: ignore[assignment]
    if source.suffix == ".csv":
        return
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
    sizes = _sizes(roster)
    teams = ["" if staff or paper < 0 or sizes[int(paper)] < 2 else roster.papers[paper]
             for paper, staff in zip(roster.authored, roster.staff, strict=True)]  # fmt: skip
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


def _sizes(roster: "Roster") -> Counter[int]:
    return Counter(int(paper) for paper, staff in zip(roster.authored, roster.staff, strict=True) if not staff)


def _alone(roster: "Roster") -> list[list[str]]:
    """Team and student of every team that has one student, and so is none."""
    if "team" not in roster.layout.fields:
        return []
    sizes = _sizes(roster)
    return [
        [roster.papers[paper], student]
        for student, paper in zip(roster.students, roster.authored.tolist(), strict=True)
        if sizes[paper] == 1 and roster.papers[paper] != student
    ]


def _left_out(roster: "Roster") -> list[list[Any]]:
    """The same for rows that something is wrong with, as far as it can be read."""
    return [
        [row, cells["student"], *(cells.get(name) for name in ("name", "email", "section", "team")), None]
        for row, cells in [*roster.left_out.items()][:MOST_PROBLEMS]
    ]
