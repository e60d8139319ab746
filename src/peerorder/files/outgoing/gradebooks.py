"""Gradebooks: the CSV that Canvas, Moodle, Blackboard or Open edX exported, with one column filled, to be imported.

The file is recognised by its header. Everything but the cells of that column stays as it is, byte for byte: encoding,
separators, quotes, line ends, the order of rows, other columns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from peerorder.core.text import shortlist
from peerorder.files.formats.file_types import SEPARATORS
from peerorder.files.formats.lossless_csv import RawTable, read_raw
from peerorder.files.formats.paths import AnyPath, takes_path
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.writing import write_bytes
from peerorder.files.outgoing.gradebook_items import NUMBER, OPEN_EDX_OVERRIDE, Item, items_of
from peerorder.files.tables.platforms import OPEN_EDX, Platform, id_positions, looked_at, platform_of

__all__ = ["Gradebook", "fill_gradebook", "filled_gradebook"]

Mark = float | str | None

EMPTY = ("", "-", "n/a", "ex", "not attempted", "not available")
# Canvas: excused, or not assigned to this student. A mark would undo that.
LEFT = ("ex", "n/a")
NAMED = 8


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
            cure = "name an empty column with `column`, or add `force` to replace them"
            raise FileError([Problem(path, None, self.column, f"{cells} already", cure)])


@takes_path
def fill_gradebook(
    path: Path,
    out: AnyPath,
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
    write_bytes(Path(out), filled.data)
    return filled


@takes_path
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
    platform, table = _recognised(path, _read(path) if content is None else content)
    system = platform.name
    items = items_of(platform, table)
    rows = _rows_of_students(platform, table)
    item = _chosen(table, rows, items, column)
    student_of, matched_by, lost = _matched(table, rows, marks, emails or {})
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
    notes = (*_notes(system, item, worth, highest, letters, replaced, left), *lost)
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
    system: str, item: Item, worth: float | None, highest: float, letters: bool, replaced: int, left: Sequence[str]
) -> tuple[str, ...]:
    notes = []
    if not letters and worth is None:
        notes.append(f"{system} does not say how many points {item.name} has; marks are written out of {highest:g}")
    elif not letters and item.points not in (None, worth):
        notes.append(
            f"{item.name} has {item.points:g} points there, and marks are written out of {worth:g} as you say; is that "
            "meant?"
        )
    elif not letters and worth is not None and worth != highest:
        notes.append(f"{item.name} has {worth:g} points, so marks out of {highest:g} are scaled to that")
    elif letters and worth is not None:
        cure = f"make it a column of letters in {system}, or choose marks that are numbers"
        notes.append(f"{item.name} has {worth:g} points, and these marks are letters; {cure}")
    if system == OPEN_EDX.name and not item.header.startswith(OPEN_EDX_OVERRIDE):
        notes.append(
            "Open edX reads no report of grades; to import marks, fill the file that Bulk Management downloads"
        )
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


def _recognised(path: Path, content: bytes) -> tuple[Platform, RawTable]:
    """Which platform exported the file, and its table."""
    broken: FileError | None = None
    for separator in SEPARATORS:
        try:
            table = read_raw(path, content, separator)
        except FileError as error:
            broken = error
            continue
        platform = platform_of(table.row(0))
        if platform is not None:
            return platform, table
    if broken is not None:
        raise broken
    raise FileError(
        [
            Problem(
                path,
                1,
                None,
                "this header is not one that Canvas, Moodle, Blackboard or Open edX exports",
                "give the file as it was exported, with columns like Student, ID, SIS Login ID, Section (Canvas), "
                "First name, Email address (Moodle), Last Name, First Name, Username (Blackboard) or Student ID, "
                "Email, Username, Grade (Open edX)",
            )
        ]
    )


def _rows_of_students(platform: Platform, table: RawTable) -> list[int]:
    titles = table.row(0)
    ids, places = id_positions(titles), looked_at(platform, titles)
    rows = []
    for at in range(1, len(table.cells)):
        row = table.row(at)
        cells = {name: row[place] for name, place in places.items() if place < len(row)}
        if any(row[place] for place in ids if place < len(row)) and not platform.no_student(cells):
            rows.append(at)
    return rows


# Which column.


def _chosen(table: RawTable, rows: Sequence[int], items: Sequence[Item], column: str | None) -> Item:
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
        raise FileError([Problem(table.path, 1, None, cause, "name one of these with `column`")])
    empty = [item for item in items if all(_is_empty(table.row(at), item.at) for at in rows)]
    fitting = [item for item in empty if item.is_plain]
    for some in (fitting, empty, items):
        if len(some) == 1:
            return some[0]
    cause = f"it is not clear which column is to be filled; those for marks are {listed}"
    raise FileError([Problem(table.path, 1, None, cause, "name one with `column`")])


def _by_a_part(items: Sequence[Item], wanted: str, header: Sequence[str]) -> list[Item]:
    """The only column for marks with this in its name; none where a column that is not for marks is called so."""
    if not wanted or wanted in (name.lower() for name in header):
        return []
    found = [item for item in items if wanted in item.name.lower()]
    return found if len(found) == 1 else []


def _is_empty(row: Sequence[str], at: int) -> bool:
    return at >= len(row) or row[at].lower() in EMPTY


# Which student.


def _matched(
    table: RawTable, rows: Sequence[int], marks: Mapping[str, Mark], emails: Mapping[str, str]
) -> tuple[dict[int, str], str, tuple[str, ...]]:
    """The student of every row, by the column of ids that knows most of them, how it was done in words, and notes."""
    by_email: dict[str, str] = {}
    shared: set[str] = set()
    for student in marks:
        email = emails.get(student, "").strip().lower()
        if email in by_email:
            shared.add(email)
        elif email:
            by_email[email] = student
    keys = {"student": {student: student for student in marks}, "email": by_email}
    found: list[tuple[dict[int, str], str]] = []
    ids = id_positions(table.row(0))
    for column in ids:
        texts = {at: row[column] for at in rows if column < len(row := table.row(at)) and row[column]}
        for kind, students in keys.items():
            pairs = {at: students.get(text.lower() if kind == "email" else text) for at, text in texts.items()}
            match = {at: student for at, student in pairs.items() if student is not None}
            if match:
                found.append((match, f"{table.row(0)[column]} = {kind}"))
    if not found:
        names = _some([table.row(0)[at] for at in ids]) or "none"
        if cut := _without_zeros(table, rows, ids, marks):
            raise FileError([Problem(table.path, None, cut.column, *cut.in_words)])
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
    left = [at for at in rows if at not in match]
    matched = {*match.values()}
    lost = _without_zeros(table, left, ids, [student for student in marks if student not in matched])
    return match, how, () if lost is None else (f"{lost.in_words[0]}; {lost.in_words[1]}",)


@dataclass(frozen=True)
class _Zeros:
    """Ids that are the same but for zeros in front: how many, where, and one of them in both files."""

    column: str
    count: int
    here: str
    there: str

    @property
    def in_words(self) -> tuple[str, str]:
        """Cause and cure."""
        more = f" (and {self.count - 1:,} more like it)" if self.count > 1 else ""
        cause = f"{shown(self.here)} is in {shown(self.column)}, {shown(self.there)} on the roster{more}: "
        if len(self.here) < len(self.there):
            cure = "export the gradebook again, and do not save it in a spreadsheet"
            return f"{cause}a spreadsheet took away the zeros in front", cure
        cure = "write the ids on the roster with their zeros, in cells that are formatted as text"
        return f"{cause}a spreadsheet took away the zeros in front on the roster", cure


def _without_zeros(table: RawTable, rows: Sequence[int], ids: Sequence[int], students: Iterable[str]) -> _Zeros | None:
    """The column whose ids are those of students but for zeros in front, if there is one."""
    bare = {student.lstrip("0"): student for student in students if student.isdecimal()}
    found: list[_Zeros] = []
    for column in ids:
        pairs = [
            (text, bare[text.lstrip("0")])
            for at in rows
            if column < len(row := table.row(at)) and (text := row[column]).isdecimal() and text.lstrip("0") in bare
        ]
        different = [(here, there) for here, there in pairs if here != there]
        if different:
            found.append(_Zeros(table.row(0)[column], len(different), *different[0]))
    return max(found, key=lambda each: each.count, default=None)


# What is written, and what is said.


def _decimal_comma(table: RawTable, items: Sequence[Item]) -> bool:
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
    return shortlist(names, NAMED, "; ")
