"""Gradebooks: the CSV that Canvas, Moodle, Blackboard or Open edX exported, with one column filled, to be imported.

The file is recognised by its header. Everything but the cells of that column stays as it is, byte for byte: encoding,
separators, quotes, line ends, the order of rows, other columns.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from peerorder.core.errors import InputError
from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, ngettext, pgettext
from peerorder.files.formats.file_types import SEPARATORS
from peerorder.files.formats.lossless_csv import RawTable, read_raw
from peerorder.files.formats.paths import AnyPath, takes_path
from peerorder.files.formats.problems import FileError, Problem, shown
from peerorder.files.formats.writing import write_bytes
from peerorder.files.outgoing.gradebook_items import NUMBER, OPEN_EDX_OVERRIDE, Item, items_of
from peerorder.files.tables.platforms import OPEN_EDX, Platform, id_positions, looked_at, platform_of

__all__ = ["Gradebook", "fill_gradebook", "make_gradebook", "make_gradebooks"]

Mark = float | str | None

EMPTY = ("", "-", "n/a", "ex", "not attempted", "not available")
# Canvas: excused, or not assigned to this student. A mark would undo that.
LEFT = ("ex", "n/a")
NAMED = 8


@dataclass(frozen=True, eq=False)
class Gradebook:
    """A gradebook filled with marks, not written yet, with notes."""

    system: str
    column: str
    matched_by: str
    points: float
    filled: int
    replaced: int
    """Cells that had another mark."""
    missing: tuple[str, ...]
    """Students with a mark who are not in the gradebook."""
    unmarked: tuple[str, ...]
    """Those in the gradebook who got no mark, by their ids there."""
    notes: tuple[str, ...]
    data: bytes

    def keep_marks(self, path: Path) -> None:
        """Raise FileError if marks in the file would be replaced."""
        if self.replaced:
            cause = ngettext(
                "{count:,} cell has another mark already", "{count:,} cells have other marks already", self.replaced
            ).format(count=self.replaced)
            cure = _("name an empty column with `column`, or add `force` to replace them")
            raise FileError([Problem(path, None, self.column, cause, cure)])


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
    """Write the gradebook ``path`` with these marks to ``out``; replace existing marks only if asked."""
    filled = make_gradebook(path, marks, column, emails=emails, highest=highest, points=points)
    if not replace:
        filled.keep_marks(path)
    write_bytes(Path(out), filled.data)
    return filled


def make_gradebooks(
    path: Path,
    marks: Mapping[str, Mark],
    column: str | None = None,
    *,
    reviews: Mapping[str, Mark],
    review_column: str | None = None,
    emails: Mapping[str, str] | None = None,
    highest: float = 100.0,
    points: float | None = None,
    replace: bool = False,
) -> list[Gradebook]:
    """Return the gradebook with all marks; if a column is named for these, with marks for ranking too.

    The first has both columns filled, the second says what became of the marks for ranking. Other marks are replaced
    only if asked.
    """
    before: list[Gradebook] = []
    if review_column is not None:
        # First, so that the column that is empty is the other one.
        before = [make_gradebook(path, reviews, review_column, emails=emails)]
    content = before[0].data if before else None
    book = make_gradebook(path, marks, column, emails=emails, highest=highest, points=points, content=content)
    if any(other.column == book.column for other in before):
        raise InputError(
            _(
                "{file}: the marks of papers and the marks for ranking would both go into {column}; name "
                "another column with `column`"
            ).format(file=path, column=book.column)
        )
    books = [book, *before]
    if not replace:
        for each in books:
            each.keep_marks(path)
    return books


@takes_path
def make_gradebook(
    path: Path,
    marks: Mapping[str, Mark],
    column: str | None = None,
    *,
    emails: Mapping[str, str] | None = None,
    highest: float = 100.0,
    points: float | None = None,
    content: bytes | None = None,
) -> Gradebook:
    """Return the gradebook in a file, filled with marks.

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
    platform, table = _recognise_platform(path, _read(path) if content is None else content)
    system = platform.name
    items = items_of(platform, table)
    rows = _rows_of_students(platform, table)
    item = _choose_column(table, rows, items, column)
    student_of, matched_by, lost = _match_rows(table, rows, marks, emails or {})
    worth = points if points is not None else item.points
    factor = 1.0 if worth is None else worth / highest
    comma = _decimal_comma(table, items)
    problems, left, replaced, filled = [], [], 0, 0
    for index, student in student_of.items():
        mark = marks[student]
        if mark is None:
            continue
        if item.at >= len(table.cells[index]):
            cause = _("this row ends before the column")
            problems.append(Problem(path, index + 1, item.header, cause, _("export the file again")))
            continue
        before = table.row(index)[item.at]
        if system == "Canvas" and before.lower() in LEFT:
            left.append(student)
            continue
        text = mark if isinstance(mark, str) else _number(mark * factor, comma)
        replaced += before.lower() not in EMPTY and before != text
        table.put(index, item.at, text)
        filled += 1
    if problems:
        raise FileError(problems)
    letters = any(isinstance(mark, str) for mark in marks.values())
    given = {student for student in student_of.values() if marks[student] is not None}
    matched_students = set(student_of.values())
    notes = (*_notes(system, item, worth, highest, letters, replaced, left), *lost)
    return Gradebook(
        system=system,
        column=item.header,
        matched_by=matched_by,
        points=highest if worth is None else worth,
        filled=filled,
        replaced=replaced,
        missing=tuple(
            student for student, mark in marks.items() if mark is not None and student not in matched_students
        ),
        unmarked=tuple(_display_name(table.row(index)) for index in rows if student_of.get(index) not in given),
        notes=notes,
        data=table.data,
    )


def _notes(
    system: str, item: Item, worth: float | None, highest: float, letters: bool, replaced: int, left: Sequence[str]
) -> tuple[str, ...]:
    notes = []
    if not letters and worth is None:
        text = _("{platform} does not say how many points {column} has; marks are written out of {highest:g}")
        notes.append(text.format(platform=system, column=item.name, highest=highest))
    elif not letters and item.points not in (None, worth):
        text = _(
            "{column} has {points:g} points there, but marks are written out of {highest:g}, as you asked; is that "
            "intended?"
        )
        notes.append(text.format(column=item.name, points=item.points, highest=worth))
    elif not letters and worth is not None and worth != highest:
        text = _("{column} has {points:g} points, so marks out of {highest:g} are scaled to that")
        notes.append(text.format(column=item.name, points=worth, highest=highest))
    elif letters and worth is not None:
        text = _(
            "{column} has {points:g} points, but these marks are letters; make it a column of letters in {platform}, "
            "or choose marks that are numbers"
        )
        notes.append(text.format(column=item.name, points=worth, platform=system))
    if system == OPEN_EDX.name and not item.header.startswith(OPEN_EDX_OVERRIDE):
        notes.append(
            _("Open edX cannot import a grade report; to import marks, use the file that Bulk Management downloads")
        )
    if replaced:
        text = ngettext(
            "{count:,} existing mark in {column} was replaced",
            "{count:,} existing marks in {column} were replaced",
            replaced,
        )
        notes.append(text.format(count=replaced, column=item.name))
    if left:
        text = _("left as they are, because excused or not assigned: {students}")
        notes.append(text.format(students=_shorten(left)))
    return tuple(notes)


# Which system.


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileError([Problem(path, None, None, _("file not found"), _("check its name and folder"))]) from None
    except OSError as error:
        cause = _("it cannot be read ({error})").format(error=error.strerror or error)
        raise FileError([Problem(path, None, None, cause, _("check the file and its permissions"))]) from None


def _recognise_platform(path: Path, content: bytes) -> tuple[Platform, RawTable]:
    """Return the platform that exported the file, and its table."""
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
    cause = _("this header is not one that Canvas, Moodle, Blackboard or Open edX exports")
    cure = _(
        "give the file as it was exported, with columns like Student, ID, SIS Login ID, Section "
        "(Canvas), First name, Email address (Moodle), Last Name, First Name, Username (Blackboard) or "
        "Student ID, Email, Username, Grade (Open edX)"
    )
    raise FileError([Problem(path, 1, None, cause, cure)])


def _rows_of_students(platform: Platform, table: RawTable) -> list[int]:
    titles = table.row(0)
    ids, places = id_positions(titles), looked_at(platform, titles)
    rows = []
    for index in range(1, len(table.cells)):
        row = table.row(index)
        cells = {name: row[place] for name, place in places.items() if place < len(row)}
        if any(row[place] for place in ids if place < len(row)) and not platform.no_student(cells):
            rows.append(index)
    return rows


# Which column.


def _choose_column(table: RawTable, rows: Sequence[int], items: Sequence[Item], column: str | None) -> Item:
    """Return the named column, by its whole name or a part; or the only empty one, or the only one."""
    if column is None:
        empty = [item for item in items if all(_is_empty(table.row(index), item.at) for index in rows)]
        ways = [[item for item in empty if item.is_plain], empty, items]
        cause = _("it is not clear which column to fill in; those for marks are {columns}")
        cure = _("name one with `column`")
    else:
        wanted = column.strip().lower()
        exists = wanted in (name.lower() for name in table.row(0))
        named = [item for item in items if wanted in (item.header.lower(), item.name.lower(), item.number)]
        named = [item for item in named if item.header.lower() == wanted] or named
        if len(named) > 1:
            cause = ngettext(
                "{count} column is called {column}: {columns}",
                "{count} columns are called {column}: {columns}",
                len(named),
            ).format(count=len(named), column=column, columns=_shorten([item.header for item in named]))
            raise FileError([Problem(table.path, 1, None, cause, _("name the column with the number behind it"))])
        # A part of its name will do where no column, also of another kind, is called so.
        ways = [named, [item for item in items if wanted in item.name.lower()] if wanted and not exists else []]
        cause = (
            _("the column {column} is not for marks; those for marks are {columns}")
            if exists
            else _("there is no column {column}; those for marks are {columns}")
        )
        cure = _("name one of these with `column`")
    for some in ways:
        if len(some) == 1:
            return some[0]
    columns = _shorten([item.header for item in items]) or pgettext("columns", "none")
    raise FileError([Problem(table.path, 1, None, cause.format(column=column, columns=columns), cure)])


def _is_empty(row: Sequence[str], index: int) -> bool:
    return index >= len(row) or row[index].lower() in EMPTY


# Which student.


def _match_rows(
    table: RawTable, rows: Sequence[int], marks: Mapping[str, Mark], emails: Mapping[str, str]
) -> tuple[dict[int, str], str, tuple[str, ...]]:
    """Return the student of every row, by the column of ids that matches most, how rows were matched, and notes."""
    by_email: dict[str, str] = {}
    shared: set[str] = set()
    for student in marks:
        email = emails.get(student, "").strip().lower()
        if email in by_email:
            shared.add(email)
        elif email:
            by_email[email] = student
    keys = {"student": {student: student for student in marks}, "email": by_email}
    result: list[tuple[dict[int, str], str]] = []
    ids = id_positions(table.row(0))
    for column in ids:
        texts = {index: row[column] for index in rows if column < len(row := table.row(index)) and row[column]}
        for kind, students in keys.items():
            pairs = {index: students.get(text.lower() if kind == "email" else text) for index, text in texts.items()}
            match = {index: student for index, student in pairs.items() if student is not None}
            if match:
                result.append((match, f"{table.row(0)[column]} = {kind}"))
    if not result:
        names = _shorten([table.row(0)[index] for index in ids]) or pgettext("columns", "none")
        if lost := _lost_zeros(table, rows, ids, marks):
            raise FileError([Problem(table.path, None, *lost)])
        cause = _("no student is in it; ids were looked for in the columns {columns}").format(columns=names)
        raise FileError([Problem(table.path, None, None, cause, _("check that it is the gradebook of this class"))])
    most = max(len(match) for match, _way in result)
    best = [each for each in result if len(each[0]) == most]
    for match, how in best[1:]:
        if match != best[0][0]:
            cause = _("rows can be matched by {columns} or by {others}, with different students").format(
                columns=best[0][1], others=how
            )
            cure = _("give students ids that the gradebook has in one column alone")
            raise FileError([Problem(table.path, None, None, cause, cure)])
    match, how = best[0]
    problems = []
    first: dict[str, int] = {}
    for index, student in match.items():
        if student in first:
            cause = _("{student} is already in row {row}").format(student=student, row=first[student] + 1)
            problems.append(Problem(table.path, index + 1, how.split(" = ")[0], cause, _("keep one of the two rows")))
        first.setdefault(student, index)
        if how.endswith("email") and emails.get(student, "").strip().lower() in shared:
            cause = _("more than one student of the roster has the address {email}").format(email=emails[student])
            problems.append(Problem(table.path, index + 1, how.split(" = ")[0], cause, _("correct the roster")))
    if problems:
        raise FileError(problems)
    left = [index for index in rows if index not in match]
    matched = {*match.values()}
    lost = _lost_zeros(table, left, ids, [student for student in marks if student not in matched])
    return match, how, (_("{cause}; {cure}").format(cause=lost[1], cure=lost[2]),) if lost else ()


def _lost_zeros(
    table: RawTable, rows: Sequence[int], ids: Sequence[int], students: Iterable[str]
) -> tuple[str, str, str] | None:
    """Return the column whose ids are those of students but for leading zeros, if any, with cause and cure."""
    bare = {student.lstrip("0"): student for student in students if student.isdecimal()}
    result: list[tuple[str, list[tuple[str, str]]]] = []
    for column in ids:
        texts = [row[column] for row in map(table.row, rows) if column < len(row)]
        pairs = [(text, bare.get(text.lstrip("0"), text)) for text in texts if text.isdecimal()]
        result.append((table.row(0)[column], [(own, other) for own, other in pairs if own != other]))
    name, different = max(result, key=lambda each: len(each[1]), default=("", []))
    if not different:
        return None
    (own, other), *others = different
    both = _("{id} is in {column}, {other} on the roster").format(id=shown(own), column=shown(name), other=shown(other))
    if others:
        both = ngettext(
            "{cause} (and {count:,} more like it)",
            "{cause} (and {count:,} more like it)",
            len(others),
        ).format(cause=both, count=len(others))
    if len(own) < len(other):
        cause = _("{ids}: a spreadsheet dropped leading zeros")
        cure = _("export the gradebook again, and do not save it in a spreadsheet")
    else:
        cause = _("{ids}: a spreadsheet dropped leading zeros on the roster")
        cure = _("write the ids on the roster with their zeros, in cells formatted as text")
    return name, cause.format(ids=both), cure


# What is written, and what is said.


def _decimal_comma(table: RawTable, items: Sequence[Item]) -> bool:
    """Return whether numbers in the file have a decimal comma."""
    signs = {",": 0, ".": 0}
    for index in range(1, len(table.cells)):
        row = table.row(index)
        for item in items:
            match = NUMBER.fullmatch(row[item.at]) if item.at < len(row) else None
            if match and match[1]:
                signs[match[1]] += 1
    return signs[","] > signs["."]


def _number(value: float, comma: bool) -> str:
    # Half a hundredth goes up, as people do it.
    text = str(Decimal(repr(float(value))).quantize(Decimal("0.01"), ROUND_HALF_UP)).rstrip("0").rstrip(".")
    return text.replace(".", ",") if comma else text


def _display_name(row: Sequence[str]) -> str:
    """Return a name for a row: its first cells that are not empty."""
    return " ".join([cell for cell in row if cell][:2])


def _shorten(names: Sequence[str]) -> str:
    return shortlist(names, NAMED, "; ")
