"""Exports of Canvas, Moodle, Blackboard and Open edX: recognition, fields of columns, and rows of non-students.

Canvas and Open edX name columns in English whatever their language is; Moodle and Blackboard in the language of the
person who exports.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from peerorder.files.tables.roster_columns import ALIASES, bare, positions

__all__ = [
    "BLACKBOARD",
    "BLACKBOARD_ITEM",
    "CANVAS",
    "CANVAS_ITEM",
    "MOODLE",
    "MOODLE_EXPORTED",
    "OPEN_EDX",
    "Platform",
    "id_positions",
    "looked_at",
    "platform_of",
]

CANVAS_ITEM = re.compile(r"^(.*) \((\d+)\)$")
BLACKBOARD_ITEM = re.compile(r"^(.*?) ?\[Total Pts: ?(?:up to )?([\d.,]+)?[^\]]*\]\s*\|?(\d*)$")


@dataclass(frozen=True)
class Platform:
    """A learning platform, and how its exports differ from the usual meaning of column names."""

    name: str
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns for each field, the best first; other fields are found by the usual names."""
    not_used: tuple[str, ...] = ()
    """Columns whose names mean something else elsewhere."""
    nothing: tuple[str, ...] = ()
    """Texts that it writes in place of an empty cell."""
    looked_at: tuple[str, ...] = ()
    """Columns that tell whether a row is about a student."""
    no_student: Callable[[Mapping[str, str]], str] = lambda _row: ""
    """Returns the name in a row that is not about a student, given the cells of these columns; else an empty text."""


def _no_student_of_canvas(row: Mapping[str, str]) -> str:
    name = row.get("Student") or ", ".join(filter(None, (row.get("LastName"), row.get("FirstName"))))
    return name if name.lower() in ("points possible", "student, test") else ""


def _no_student_of_blackboard(row: Mapping[str, str]) -> str:
    return next((login for login in row.values() if login.lower().endswith("_previewuser")), "")


def _no_student_of_open_edx(row: Mapping[str, str]) -> str:
    gone = row.get("Enrollment Status", "").lower() == "unenrolled"
    return f"{row.get('Username', '')} (unenrolled)" if gone else ""


CANVAS = Platform(
    "Canvas",
    {
        "student": ("SIS User ID", "SIS Login ID", "ID"),
        "name": ("Student",),
        "first name": ("FirstName",),
        "surname": ("LastName",),
        "section": ("Section",),
    },
    looked_at=("Student", "LastName", "FirstName"),
    no_student=_no_student_of_canvas,
)
# In Greek, the department.
MOODLE = Platform("Moodle", not_used=("τμήμα",))
BLACKBOARD = Platform("Blackboard", looked_at=ALIASES["student"][1], no_student=_no_student_of_blackboard)
# The student ids of its reports of grades are numbers of accounts, which no other file has.
OPEN_EDX = Platform(
    "Open edX",
    {"student": ("Username",), "section": ("Cohort Name", "cohort"), "team": ("Team Name", "team")},
    nothing=("[unassigned]", "[unavailable]"),
    looked_at=("Enrollment Status", "Username"),
    no_student=_no_student_of_open_edx,
)

OPEN_EDX_GRADES = ("Enrollment Track", "Verification Status", "Certificate Eligible", "Enrollment Status")
OPEN_EDX_PROFILES = ("enrollment_mode", "level_of_education", "year_of_birth", "mailing_address", "goals")
# The last column of a Moodle gradebook.
MOODLE_EXPORTED = (
    *("Last downloaded from this course", "Zuletzt aus diesem Kurs geladen", "Dernier téléchargement depuis ce cours"),
    *("Última descarga de este curso", "Scaricamento più recente da questo corso"),
    "Última exportação desta disciplina",
    *("Último download realizado neste curso", "Laatst gedownload van deze curus", "Laatst gedownload van deze cursus"),
    *("Τελευταία λήψη από αυτό το μάθημα", "最近从本课程下载的", "最近從本課程下載的"),
)
# Ids of students beside those in ALIASES, in one export or another.
FURTHER_IDS = ("Integration ID", "student_key", "external_user_key")


def platform_of(titles: Sequence[str]) -> Platform | None:
    """Return the platform whose exports have such a header, None for any other header."""
    names = {bare(title) for title in titles}

    def has(*some: str) -> bool:
        return {bare(name) for name in some} <= names

    def has_any(some: Sequence[str]) -> bool:
        return not {bare(name) for name in some}.isdisjoint(names)

    named = has("Student") or has("LastName", "FirstName")
    if (
        has("ID", "Section")
        and named
        and (has_any(("SIS User ID", "SIS Login ID")) or any(map(CANVAS_ITEM.match, titles)))
    ):
        return CANVAS
    if (
        (has("Student ID", "Email", "Username") and has_any(OPEN_EDX_GRADES))
        or (has("id", "username", "name", "email") and has_any(OPEN_EDX_PROFILES))
        or has("user_id", "username", "course_id", "track")
    ):
        return OPEN_EDX
    if has_any(MOODLE_EXPORTED):
        return MOODLE
    first, last, login = (bool(positions(titles, ALIASES[name][index])) for name, index in _PERSON)
    if (
        first
        and last
        and login
        and (any(map(BLACKBOARD_ITEM.match, titles)) or has_any(("Student ID", "Last Access", "Availability")))
    ):
        return BLACKBOARD
    others = [name for name in ALIASES["student"][0] if name != "id number"]
    if has("First name") and has_any(("Surname", "Last name")) and has_any(("Email address", "ID number")):
        return None if has_any((*others, "student")) else MOODLE
    return None


_PERSON = (("first name", 0), ("surname", 0), ("student", 1))


def id_positions(titles: Sequence[str]) -> tuple[int, ...]:
    """Return the columns of an export that may identify a student: all kinds of ids, then addresses."""
    names = [name for group in ALIASES["student"] for name in group]
    return positions(titles, [*names, *FURTHER_IDS]) + positions(titles, ["email", *ALIASES["email"][0]])


def looked_at(platform: Platform | None, titles: Sequence[str]) -> dict[str, int]:
    """Return the positions of the columns that tell whether a row is about a student, by their names."""
    names = platform.looked_at if platform is not None else ()
    return {name: result[0] for name in names if (result := positions(titles, [name]))}
