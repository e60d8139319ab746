"""What a roster would change: have what was uploaded read, and compare it with who is there. Changes nothing."""

import hashlib
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _, gettext_lazy as _lazy

from peerorder.core.errors import InputError
from peerorder.files.formats.file_types import WORKBOOKS
from peerorder.files.formats.problems import Problem
from peerorder.web.courses.models import Member, Role
from peerorder.web.sandbox.problems import Problem as SandboxProblem
from peerorder.web.sandbox.runner import Limits, run_sandboxed

FIELDS = {
    "student": _lazy("Student ID"),
    "name": _lazy("Name"),
    "first name": _lazy("First name"),
    "surname": _lazy("Surname"),
    "email": _lazy("E-mail"),
    "section": _lazy("Section"),
    "team": _lazy("Team"),
    "role": _lazy("Role"),
}
"""What a column can be read as."""
LONGEST = {"student": 200, "name": 200, "email": 254, "section": 200, "team": 200}
MOST_PROBLEMS = 1000
READ = "peerorder.web.courses.tasks:read_upload"
# A roster of 50,000 in a workbook takes a second or two, and a fifth of this memory.
LIMITS = Limits(seconds=10, memory=2**30, output=2**20)
WORDS = {
    "too-much": (
        _lazy("this file is far too large to read"),
        _lazy("keep only the sheet with the roster, or save it as CSV"),
    ),
    "many-rows": (_lazy("this file has more than 50,000 rows"), _lazy("keep only the rows of this course")),
    "damaged": (_lazy("this workbook is damaged"), _lazy("save it again, or save it as CSV")),
    "unknown": (_lazy("this file cannot be read"), _lazy("save it again, or save it as CSV")),
}


class Busy(InputError):
    """Too many files are being read at this moment."""

    def __init__(self) -> None:
        super().__init__(_("many files are being read at this moment; reload this page in a minute"))


@dataclass(frozen=True)
class Row:
    """A row of a roster; None for what it does not speak of, because the file has no such column."""

    number: int
    student: str
    name: str | None
    email: str | None
    section: str | None
    team: str | None
    staff: bool | None


@dataclass(frozen=True)
class FileColumn:
    """A column of a file: its name, what it is read as, empty for nothing, and the first texts in it."""

    title: str
    field: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What was read in a file."""

    rows: tuple[Row, ...]
    left_out: tuple[Row, ...]
    """Rows that something is wrong with, as far as they can be read."""
    problems: tuple[Problem, ...]
    count: int
    """How many problems there are; of very many, not all are kept."""
    notes: tuple[str, ...]
    alone: tuple[tuple[str, str], ...]
    """Team and student of every team of one."""
    columns: tuple[FileColumn, ...]


@dataclass(frozen=True)
class Difference:
    """One thing about a member that would change."""

    what: str
    old: str
    new: str


@dataclass(frozen=True)
class Change:
    """A member who would change, and how."""

    member: Member
    row: Row
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Plan:
    """Everything that a roster would do."""

    new: tuple[Row, ...]
    changed: tuple[Change, ...]
    missing: tuple[Member, ...]
    """Students who are not on it, and have neither handed in nor ranked anything."""
    missing_with_work: tuple[Member, ...]
    """Students who are not on it, and have."""
    unchanged: int
    notes: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    """What somebody should look at, though it may be right."""
    reading: Reading | None = None

    @property
    def empty(self) -> bool:
        """Return whether there is nothing to do."""
        return not (self.new or self.changed or self.missing or self.missing_with_work)

    @property
    def digest(self) -> str:
        """Another one whenever the plan is another: what was looked at is what is done."""
        missing = [[member.pk for member in some] for some in (self.missing, self.missing_with_work)]
        changed = [
            (change.member.pk, [(each.what, each.old, each.new) for each in change.differences])
            for change in self.changed
        ]
        text = json.dumps([[vars(row) for row in self.new], changed, missing])
        return hashlib.sha256(text.encode()).hexdigest()


def read_upload(name: str, content: bytes, chosen: Sequence[str] | None = None) -> dict[str, Any]:
    """Read a file that somebody sent, in the sandbox; return what ``reading_of`` understands, fit for JSON.

    ``chosen`` is the field of every column, where somebody has said so.

    Raises
    ------
    Busy
        If too many files are being read at this moment.
    """
    suffix = table_suffix(name, content)
    with tempfile.TemporaryDirectory(prefix="peerorder-roster-") as folder:
        path = Path(folder) / f"roster{suffix}"
        path.write_bytes(content)
        options = {"chosen": list(chosen)} if chosen is not None else {}
        try:
            parsed: dict[str, Any] = run_sandboxed(READ, path, Path(folder), LIMITS, options=options)
        except SandboxProblem as problem:
            if problem.code == "busy":
                raise Busy from None
            return _nothing(*map(str, WORDS.get(problem.code, WORDS["unknown"])))
    try:
        return _without_bad_rows(parsed, reading_of(parsed))
    except (ValueError, TypeError, KeyError, AttributeError):
        # What the process said is not to be trusted.
        return _nothing(*map(str, WORDS["unknown"]))


def table_suffix(name: str, content: bytes) -> str:
    """Return how the name of a file should end that holds a table: by its beginning, or else by its own name."""
    suffix = PurePath(name).suffix.lower()
    if content.startswith(b"PK\x03\x04"):
        return suffix if suffix in WORKBOOKS else ".xlsx"
    return suffix if suffix in WORKBOOKS else ".csv"


def _nothing(cause: str, cure: str) -> dict[str, Any]:
    return {"problems": [[None, None, cause, cure]], "count": 1}


def _without_bad_rows(parsed: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """Leave out the rows that a course cannot hold, and name what is wrong with these too."""
    wrong = _check((*reading.rows, *reading.left_out), {column.field: column.title for column in reading.columns})
    bad = {number for number, *_rest in wrong}
    rows = {of: [row for row in parsed.get("rows", ()) if (row[0] in bad) == of] for of in (True, False)}
    problems = sorted([*parsed.get("problems", ()), *map(list, wrong)], key=lambda problem: problem[0] or 0)
    return {
        "rows": rows[False],
        "left_out": sorted([*parsed.get("left_out", ()), *rows[True]], key=lambda row: row[0])[:MOST_PROBLEMS],
        "problems": problems[:MOST_PROBLEMS],
        "count": reading.count + len(wrong),
        "notes": [*reading.notes],
        "alone": [*map(list, reading.alone)],
        "columns": [[column.title, column.field, [*column.examples]] for column in reading.columns],
    }


def reading_of(parsed: Mapping[str, Any]) -> Reading:
    """Return what was read in a file, from the form in which it is kept; earlier versions kept less of it."""
    problems = tuple(
        Problem(Path("roster"), _of(row, int, None), _of(column, str, None), _of(cause, str), _of(cure, str))
        for row, column, cause, cure in parsed.get("problems", ())
    )
    return Reading(
        rows=tuple(map(_row, parsed.get("rows", ()) if "problems" in parsed else parsed["rows"])),
        left_out=tuple(map(_row, parsed.get("left_out", ()))),
        problems=problems,
        count=_of(parsed.get("count", len(problems)), int),
        notes=tuple(_of(note, str) for note in parsed.get("notes", ())),
        alone=tuple((_of(team, str), _of(student, str)) for team, student in parsed.get("alone", ())),
        columns=tuple(
            FileColumn(_of(title, str), field if field in FIELDS else "", tuple(_of(text, str) for text in examples))
            for title, field, examples in parsed.get("columns", ())
        ),
    )


def _row(cells: Sequence[Any]) -> Row:
    number, student, name, email, section, team, staff = cells
    return Row(
        _of(number, int),
        _of(student, str),
        _of(name, str, None),
        _of(email, str, None),
        _of(section, str, None),
        _of(team, str, None),
        _of(staff, bool, None),
    )


def _of(value: Any, *types: type | None) -> Any:
    """The value, if it is of one of these types."""
    if type(value) not in types and not (value is None and None in types):
        raise TypeError
    return value


def _check(rows: Iterable[Row], titles: Mapping[str, str]) -> list[tuple[int, str, str, str]]:
    """What a file may say and a course cannot hold."""
    problems: list[tuple[int, str, str, str]] = []
    # Without a column of IDs, addresses are the IDs, and none may be missing.
    needs_address = "email" in titles and "student" not in titles
    correction = _("correct it") if needs_address else _("correct it, or leave it empty")
    for row in rows:
        for column, most in LONGEST.items():
            text = getattr(row, column) or ""
            if len(text) > most:
                cause = _("this has %(length)s characters") % {"length": f"{len(text):,}"}
                cure = _("write at most %(most)s") % {"most": most}
            elif "\x00" in text:
                cause, cure = _("it contains a character that is not text"), _("type it again")
            elif column == "email" and text and not _is_address(text):
                cause = _("%(text)s is not an e-mail address") % {"text": repr(text[:60])}
                cure = correction
            else:
                continue
            problems.append((row.number, titles.get(column, column), cause, cure))
    return problems


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def compare(
    rows: Sequence[Row],
    members: Sequence[Member],
    worked: frozenset[int],
    own: frozenset[int],
    invited: frozenset[str] = frozenset(),
) -> Plan:
    """Return what the rows would change about all members of a course, including removed ones.

    ``worked`` are the numbers of those who have handed in or ranked, ``own`` of those whose account is their own,
    ``invited`` the ids of staff who have not answered yet. New staff are invited.
    """
    by_id = {member.student: member for member in members if member.student}
    new: list[Row] = []
    changed: list[Change] = []
    notes: list[str] = []
    seen: set[int] = set()
    waiting = 0
    for row in rows:
        member = by_id.get(row.student)
        if member is None:
            if not row.staff:
                new.append(row)
            elif row.student in invited:
                waiting += 1
            elif row.email:
                new.append(row)
            else:
                note = _("Row %(row)d: %(student)s cannot be invited to the staff without an e-mail address.")
                notes.append(note % {"row": row.number, "student": row.student})
            continue
        seen.add(member.pk)
        if row.staff is not None and row.staff != member.is_staff:
            note = _("Row %(row)d: %(student)s stays %(role)s, because a roster never changes roles.")
            notes.append(note % {"row": row.number, "student": row.student, "role": member.get_role_display()})
        if member.pk in own:
            row = replace(row, name=None, email=None)
        if differences := _differences(member, row):
            changed.append(Change(member, row, differences))
    gone = [
        member
        for member in members
        if member.role == Role.STUDENT and member.removed_at is None and member.pk not in seen
    ]
    return Plan(
        new=tuple(new),
        changed=tuple(changed),
        missing=tuple(member for member in gone if member.pk not in worked),
        missing_with_work=tuple(member for member in gone if member.pk in worked),
        unchanged=len(seen) - len(changed) + waiting,
        notes=tuple(notes),
    )


def _differences(member: Member, row: Row) -> tuple[Difference, ...]:
    section = member.section.name if member.section is not None else ""
    pairs = (
        (_("student ID"), member.student, row.student),
        (_("name"), member.person.name, row.name),
        (_("e-mail"), member.person.email, row.email),
        (_("section"), section, row.section),
        (_("team"), member.team, row.team),
        (_("on the roster"), _("removed") if member.removed_at else _("yes"), _("yes")),
    )
    return tuple(Difference(str(what), old, new) for what, old, new in pairs if new is not None and new != old)
