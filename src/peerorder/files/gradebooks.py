"""Gradebooks: the CSV that Canvas, Moodle or Blackboard exported, with one column filled, to be imported again.

The file is recognised by its header. Everything but the cells of that column stays as it is, byte for byte: encoding,
separators, quotes, line ends, the order of rows, other columns.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from peerorder.files.problems import FileError, Problem
from peerorder.files.rawtable import SEPARATORS, RawTable, read_raw
from peerorder.files.writing import write_bytes

__all__ = ["Gradebook", "fill_gradebook", "filled_gradebook"]

Mark = float | str | None

EMPTY = ("", "-", "n/a", "ex")
# Canvas: excused, or not assigned to this student. A mark would undo that.
LEFT = ("ex", "n/a")
NAMED = 8

CANVAS_ITEM = re.compile(r"^(.*) \((\d+)\)$")
BLACKBOARD_ITEM = re.compile(r"^(.*?) ?\[Total Pts: ?(?:up to )?([\d.,]+)?[^\]]*\]\s*\|?(\d*)$")
# Columns of text, and totals that Blackboard reckons itself.
BLACKBOARD_OTHER = re.compile(r"\[Total Pts: ?(?:[\d.,]* ?Text|up to [^\]]*)\]")
MOODLE_ITEM = re.compile(r"^(.*?)(?: \((Real|Percentage|Letter|Feedback)\))?$")
MOODLE_OTHER = re.compile(
    r"first name|last name|surname|full name|username|id number|institution|department|email address|suspended|groups?|"
    r"last downloaded from this course|feedback: .*|course total.*|category total.*|.* total(?: \(\w+\))?|"
    r".* \((feedback|letter|percentage)\)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"-?\d+(?:([.,])\d+)?", re.ASCII)


@dataclass(frozen=True)
class _Item:
    """A column that can hold marks: where it is, its name for people, and its points, where the file says them."""

    at: int
    header: str
    name: str
    number: str
    points: float | None


@dataclass(frozen=True, eq=False)
class Gradebook:
    """A gradebook with marks in it, not written yet, and what to tell people about it."""

    system: str
    column: str
    matched_by: str
    points: float
    filled: int
    replaced: int
    """Cells that had another mark."""
    missing: tuple[str, ...]
    """Students with a mark whom the gradebook does not have."""
    unmarked: tuple[str, ...]
    """Those in the gradebook who got no mark, by their ids there."""
    notes: tuple[str, ...]
    data: bytes

    def keep_marks(self, path: Path) -> None:
        """Complain where marks would be replaced that stand in the file already."""
        if self.replaced:
            cells = "1 cell has another mark" if self.replaced == 1 else f"{self.replaced:,} cells have other marks"
            cure = "name an empty column with --gradebook-column, or add --force to replace them"
            raise FileError([Problem(path, None, self.column, f"{cells} already", cure)])


def fill_gradebook(
    path: Path,
    out: Path,
    marks: Mapping[str, Mark],
    column: str | None = None,
    *,
    emails: Mapping[str, str] | None = None,
    highest: float = 100.0,
    points: float | None = None,
    replace: bool = False,
) -> Gradebook:
    """Write the gradebook ``path`` with these marks to ``out``, whole or not at all; replace others only if asked."""
    filled = filled_gradebook(path, marks, column, emails=emails, highest=highest, points=points)
    if not replace:
        filled.keep_marks(path)
    write_bytes(out, filled.data)
    return filled


def filled_gradebook(
    path: Path,
    marks: Mapping[str, Mark],
    column: str | None = None,
    *,
    emails: Mapping[str, str] | None = None,
    highest: float = 100.0,
    points: float | None = None,
    content: bytes | None = None,
) -> Gradebook:
    """The gradebook in a file, filled.

    Parameters
    ----------
    marks
        The mark of every student: a number, a letter, or None for none.
    column
        The column to fill, by its name with or without the number that the system adds, by that number alone, or by a
        part of its name that no other column for marks has.
        Without it, the only one that is empty, or the only one there is.
    emails
        The e-mail address of every student, by which rows can be matched too.
    highest, points
        Marks are out of ``highest``; they are scaled to the points that the gradebook says for the column, or to
        ``points``, which matters for Moodle, whose exports do not say.
    content
        What to take for the file, where another column of it is filled already.
    """
    system, table = _recognised(path, _read(path) if content is None else content)
    first, items = _items(system, table)
    rows = [at for at in range(first, len(table.cells)) if any(table.row(at))]
    item = _chosen(table, rows, items, column)
    student_of, matched_by = _matched(system, table, rows, marks, emails or {})
    worth = points if points is not None else item.points
    factor = 1.0 if worth is None else worth / highest
    comma = _decimal_comma(table, items)
    problems, left, replaced, filled = [], [], 0, 0
    for at, student in student_of.items():
        mark = marks[student]
        if mark is None:
            continue
        if item.at >= len(table.cells[at]):
            cause = "this row ends before the column"
            problems.append(Problem(path, at + 1, item.header, cause, "export the file again"))
            continue
        before = table.row(at)[item.at]
        if system == "Canvas" and before.lower() in LEFT:
            left.append(student)
            continue
        text = mark if isinstance(mark, str) else _number(mark * factor, comma)
        replaced += before.lower() not in EMPTY and before != text
        table.put(at, item.at, text)
        filled += 1
    if problems:
        raise FileError(problems)
    letters = any(isinstance(mark, str) for mark in marks.values())
    given = {student for student in student_of.values() if marks[student] is not None}
    there = set(student_of.values())
    notes = _notes(system, item, worth, highest, letters, replaced, left)
    return Gradebook(
        system=system,
        column=item.header,
        matched_by=matched_by,
        points=highest if worth is None else worth,
        filled=filled,
        replaced=replaced,
        missing=tuple(student for student, mark in marks.items() if mark is not None and student not in there),
        unmarked=tuple(_called(table.row(at)) for at in rows if student_of.get(at) not in given),
        notes=notes,
        data=table.data,
    )


def _notes(
    system: str, item: _Item, worth: float | None, highest: float, letters: bool, replaced: int, left: Sequence[str]
) -> tuple[str, ...]:
    notes = []
    if not letters and worth is None:
        notes.append(f"{system} does not say how many points {item.name} has; marks are written out of {highest:g}")
    elif not letters and worth is not None and worth != highest:
        notes.append(f"{item.name} has {worth:g} points, so marks out of {highest:g} are scaled to that")
    elif letters and worth is not None:
        cure = f"make it a column of letters in {system}, or choose marks that are numbers"
        notes.append(f"{item.name} has {worth:g} points, and these marks are letters; {cure}")
    if replaced:
        marks = "1 existing mark" if replaced == 1 else f"{replaced} existing marks"
        notes.append(f"{marks} in {item.name} {'was' if replaced == 1 else 'were'} replaced")
    if left:
        notes.append(f"excused or not assigned, and left so: {_some(left)}")
    return tuple(notes)


# Which system.


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError([Problem(path, None, None, "there is no such file", "check its name and folder")]) from None
    except OSError as error:
        cause = f"it cannot be read ({error.strerror or error})"
        raise FileError([Problem(path, None, None, cause, "check the file and its permissions")]) from None


def _recognised(path: Path, content: bytes) -> tuple[str, RawTable]:
    """Which system exported the file, and its table."""
    broken: FileError | None = None
    for separator in SEPARATORS:
        try:
            table = read_raw(path, content, separator)
        except FileError as error:
            broken = error
            continue
        system = _system([name.lower() for name in table.row(0)])
        if system:
            return system, table
    if broken is not None:
        raise broken
    raise FileError(
        [
            Problem(
                path,
                1,
                None,
                "this is no header that Canvas, Moodle or Blackboard exports",
                "give the file as it was exported, with columns like Student, ID, Section (Canvas), First name, Email "
                "address (Moodle) or Last Name, First Name, Username (Blackboard)",
            )
        ]
    )


def _system(header: Sequence[str]) -> str | None:
    names = set(header)
    if "id" in names and "section" in names and ("student" in names or {"lastname", "firstname"} <= names):
        return "Canvas"
    if "last downloaded from this course" in names or (
        "first name" in names and names & {"surname", "last name"} and names & {"email address", "id number"}
    ):
        return "Moodle"
    if "username" in names and {"last name", "first name"} <= names:
        return "Blackboard"
    return None


# Which column.


def _items(system: str, table: RawTable) -> tuple[int, list[_Item]]:
    """The first row that may be a student's, and the columns that can hold marks."""
    header = table.row(0)
    if system == "Canvas":
        points_at = next((at for at in range(1, min(len(table.cells), 4)) if _says_points(table.row(at))), None)
        points = table.row(points_at) if points_at is not None else []
        items = []
        for at, name in enumerate(header):
            found = CANVAS_ITEM.match(name)
            worth = points[at] if at < len(points) else ""
            if found and worth.lower() != "(read only)":
                items.append(_Item(at, name, found[1], found[2], _points(worth)))
        return (points_at or 0) + 1, items
    if system == "Blackboard":
        matches = [(at, name, BLACKBOARD_ITEM.match(name)) for at, name in enumerate(header)]
        return 1, [_Item(at, name, m[1], m[3], _points(m[2] or "")) for at, name, m in matches if m]
    found_items = []
    for at, name in enumerate(header):
        match = MOODLE_ITEM.match(name)
        if name and match and not MOODLE_OTHER.fullmatch(name):
            found_items.append(_Item(at, name, match[1], "", None))
    return 1, found_items


def _says_points(row: Sequence[str]) -> bool:
    return bool(row) and row[0].lower() == "points possible"


def _points(text: str) -> float | None:
    """The points of a column; none where it has 0, as columns of text do."""
    if not NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", "."))
    return value if value > 0 else None


def _chosen(table: RawTable, rows: Sequence[int], items: Sequence[_Item], column: str | None) -> _Item:
    listed = _some([item.header for item in items]) or "none"
    if column is not None:
        wanted = column.strip().lower()
        header = table.row(0)
        named = [item for item in items if wanted in (item.header.lower(), item.name.lower(), item.number)]
        exact = [item for item in named if item.header.lower() == wanted]
        named = exact or named or _by_a_part(items, wanted, header)
        if len(named) == 1:
            return named[0]
        if named:
            cause = f"{len(named)} columns are called {column}: {_some([item.header for item in named])}"
            raise FileError([Problem(table.path, 1, None, cause, "name the column with the number behind it")])
        if wanted in (name.lower() for name in header):
            cause = f"the column {column} is none for marks; those for marks are {listed}"
        else:
            cause = f"there is no column {column}; those for marks are {listed}"
        raise FileError([Problem(table.path, 1, None, cause, "name one of these with --gradebook-column")])
    empty = [item for item in items if all(_is_empty(table.row(at), item.at) for at in rows)]
    fitting = [item for item in empty if not BLACKBOARD_OTHER.search(item.header)]
    for some in (fitting, empty, items):
        if len(some) == 1:
            return some[0]
    cause = f"it is not clear which column is to be filled; those for marks are {listed}"
    raise FileError([Problem(table.path, 1, None, cause, "name one with --gradebook-column")])


def _by_a_part(items: Sequence[_Item], wanted: str, header: Sequence[str]) -> list[_Item]:
    """The only column for marks with this in its name; none where a column that is not for marks is called so."""
    if not wanted or wanted in (name.lower() for name in header):
        return []
    found = [item for item in items if wanted in item.name.lower()]
    return found if len(found) == 1 else []


def _is_empty(row: Sequence[str], at: int) -> bool:
    return at >= len(row) or row[at].lower() in EMPTY


# Which student.


ID_COLUMNS = {
    "Canvas": ("sis user id", "sis login id", "id", "integration id", "email"),
    "Moodle": ("id number", "username", "email address"),
    "Blackboard": ("username", "student id", "email"),
}


def _matched(
    system: str, table: RawTable, rows: Sequence[int], marks: Mapping[str, Mark], emails: Mapping[str, str]
) -> tuple[dict[int, str], str]:
    """The student of every row, by the column of ids that knows most of them, and how it was done in words."""
    by_email: dict[str, str] = {}
    shared: set[str] = set()
    for student in marks:
        email = emails.get(student, "").strip().lower()
        if email in by_email:
            shared.add(email)
        elif email:
            by_email[email] = student
    keys = {"student": {student: student for student in marks}, "email": by_email}
    header = [name.lower() for name in table.row(0)]
    found: list[tuple[dict[int, str], str]] = []
    ids = [header.index(name) for name in ID_COLUMNS[system] if name in header]
    for column in ids:
        texts = {at: row[column] for at in rows if column < len(row := table.row(at)) and row[column]}
        for kind, students in keys.items():
            pairs = {at: students.get(text.lower() if kind == "email" else text) for at, text in texts.items()}
            match = {at: student for at, student in pairs.items() if student is not None}
            if match:
                found.append((match, f"{table.row(0)[column]} = {kind}"))
    if not found:
        names = _some([table.row(0)[at] for at in ids]) or "none"
        cause = f"none of the students is in it; ids are looked for in the columns {names}"
        raise FileError([Problem(table.path, None, None, cause, "check that it is the gradebook of this class")])
    most = max(len(match) for match, _ in found)
    best = [each for each in found if len(each[0]) == most]
    for match, how in best[1:]:
        if match != best[0][0]:
            cause = f"rows can be matched by {best[0][1]} or by {how}, with different students"
            cure = "give students ids that the gradebook has in one column alone"
            raise FileError([Problem(table.path, None, None, cause, cure)])
    match, how = best[0]
    problems = []
    first: dict[str, int] = {}
    for at, student in match.items():
        if student in first:
            cause = f"{student} is in row {first[student] + 1} already"
            problems.append(Problem(table.path, at + 1, how.split(" = ")[0], cause, "keep one of the two rows"))
        first.setdefault(student, at)
        if how.endswith("email") and emails.get(student, "").strip().lower() in shared:
            cause = f"more than one student of the roster has the address {emails[student]}"
            problems.append(Problem(table.path, at + 1, how.split(" = ")[0], cause, "correct the roster"))
    if problems:
        raise FileError(problems)
    return match, how


# What is written, and what is said.


def _decimal_comma(table: RawTable, items: Sequence[_Item]) -> bool:
    """Whether numbers in the file have a comma before their decimals."""
    signs = {",": 0, ".": 0}
    for at in range(1, len(table.cells)):
        row = table.row(at)
        for item in items:
            match = NUMBER.fullmatch(row[item.at]) if item.at < len(row) else None
            if match and match[1]:
                signs[match[1]] += 1
    return signs[","] > signs["."]


def _number(value: float, comma: bool) -> str:
    # Half a hundredth goes up, as people do it.
    text = str(Decimal(repr(float(value))).quantize(Decimal("0.01"), ROUND_HALF_UP)).rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def _called(row: Sequence[str]) -> str:
    """What to call somebody by: the first cells that say anything."""
    return " ".join([cell for cell in row if cell][:2])


def _some(names: Sequence[str]) -> str:
    return "; ".join(names[:NAMED]) + (f"; and {len(names) - NAMED} more" if len(names) > NAMED else "")
