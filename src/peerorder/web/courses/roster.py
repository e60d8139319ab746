"""What a roster would change: read what was uploaded, and compare it with who is there. Changes nothing."""

import hashlib
import io
import json
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from peerorder.files.problems import FileError, Problem
from peerorder.web.courses.models import Member, Role

if TYPE_CHECKING:
    from peerorder.files import Roster


LONGEST = {"student": 200, "name": 200, "email": 254, "section": 200, "team": 200}
# A workbook is a ZIP: what it would become unpacked, at most.
LARGEST_UNPACKED = 200 * 2**20
WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")


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

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
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


def read_upload(name: str, content: bytes) -> tuple[list[Row], tuple[str, ...]]:
    """The rows of a file that somebody sent, and notes on it. Complains about all its problems at once."""
    from peerorder.files import read_roster

    suffix = PurePath(name).suffix.lower()
    if content.startswith(b"PK\x03\x04"):
        suffix = suffix if suffix in WORKBOOKS else ".xlsx"
        _check_unpacked(content)
    elif suffix not in WORKBOOKS:
        suffix = ".csv"
    with tempfile.TemporaryDirectory(prefix="peerorder-roster-") as folder:
        path = Path(folder) / f"roster{suffix}"
        path.write_bytes(content)
        roster = read_roster(path)
    rows = _rows(roster)
    _check(roster, rows)
    return rows, tuple(note.replace(f"{path}, ", "").replace(f"{path}: ", "") for note in roster.notes)


def _check_unpacked(content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
    except zipfile.BadZipFile:
        cause, cure = "this workbook is damaged", "save it again, or save it as CSV"
    else:
        if size <= LARGEST_UNPACKED:
            return
        cause, cure = "this workbook is far too large", "keep the sheet with the roster alone, or save it as CSV"
    raise FileError([Problem(Path("roster.xlsx"), None, None, cause, cure)])


def _rows(roster: "Roster") -> list[Row]:
    has = roster.columns
    # A team is two students or more; who shares a paper with staff alone is none.
    sizes = Counter(int(paper) for paper, staff in zip(roster.wrote, roster.staff, strict=True) if not staff)
    teams = ["" if staff or paper < 0 or sizes[int(paper)] < 2 else roster.papers[paper]
             for paper, staff in zip(roster.wrote, roster.staff, strict=True)]  # fmt: skip
    return [
        Row(
            number=int(roster.rows[at]),
            student=student,
            name=roster.name[at] if "name" in has else None,
            email=roster.email[at] if "email" in has else None,
            section=roster.section[at] if "section" in has else None,
            team=teams[at] if "paper" in has else None,
            staff=bool(roster.staff[at]) if "role" in has else None,
        )
        for at, student in enumerate(roster.students)
    ]


def _check(roster: "Roster", rows: Iterable[Row]) -> None:
    """What a file may say and a course cannot hold."""
    problems = []
    for row in rows:
        for column, most in LONGEST.items():
            text = getattr(row, column) or ""
            column = "paper" if column == "team" else column
            if len(text) > most:
                cause, cure = f"this has {len(text):,} letters", f"write {most} at most"
            elif "\x00" in text:
                cause, cure = "there is a sign in it that is no text", "type it again"
            elif column == "email" and text and not _is_address(text):
                cause, cure = f"{text[:60]!r} is no e-mail address", "mend it, or leave it empty"
            else:
                continue
            problems.append(Problem(roster.path, row.number, column, cause, cure))
    if problems:
        raise FileError(problems)


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def compare(rows: Sequence[Row], members: Sequence[Member], worked: frozenset[int], own: frozenset[int]) -> Plan:
    """What the rows would change about all members of a course, those who were removed included.

    ``worked`` are the numbers of those who have handed in or ranked, ``own`` of those whose account is their own.
    """
    by_id = {member.student: member for member in members if member.student}
    staff = {member.person.email.lower(): member for member in members if member.is_staff and not member.student}
    new: list[Row] = []
    changed: list[Change] = []
    notes: list[str] = []
    seen: set[int] = set()
    for row in rows:
        member = by_id.get(row.student)
        if member is None and row.staff and row.email:
            # Staff who were added by hand have no id yet.
            member = staff.pop(row.email.lower(), None)
        if member is None:
            new.append(row)
            continue
        seen.add(member.pk)
        if member.role == Role.INSTRUCTOR and row.staff is False:
            said = _("Row %(row)d: %(student)s is an instructor here and stays one.")
            notes.append(said % {"row": row.number, "student": row.student})
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
        unchanged=len(seen) - len(changed),
        notes=tuple(notes),
    )


def role_after(member: Member, row: Row) -> str:
    """What somebody is once the row counts. A roster makes and unmakes no instructors."""
    if row.staff is None or member.role == Role.INSTRUCTOR:
        return member.role
    return Role.ASSISTANT if row.staff else Role.STUDENT


def _differences(member: Member, row: Row) -> tuple[Difference, ...]:
    section = member.section.name if member.section is not None else ""
    role = role_after(member, row)
    pairs = (
        (_("student id"), member.student, row.student),
        (_("name"), member.person.name, row.name),
        (_("e-mail"), member.person.email, row.email),
        (_("section"), section, row.section),
        (_("team"), member.team, row.team),
        (_("role"), member.get_role_display(), str(Role(role).label)),
        (_("on the roster"), _("removed") if member.removed_at else _("yes"), _("yes")),
    )
    return tuple(Difference(str(what), old, new) for what, old, new in pairs if new is not None and new != old)
