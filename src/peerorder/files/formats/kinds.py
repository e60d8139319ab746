"""Kinds of output: their names, how their files are written, and how they are recognised.

A kind decides three things. People open some tables in a spreadsheet: their CSV begins with a byte order mark, without
which Excel breaks accents. Some of these no command reads back: their texts are changed where a spreadsheet would take
them for formulas. And a file of one kind is never replaced by one of another.
"""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from peerorder.core.translation import message
from peerorder.files.formats.file_types import PARQUET, TEXTS
from peerorder.files.formats.writing import provenance_of

__all__ = [
    "ANCHORS",
    "CODES",
    "COMPARISON",
    "COURSES",
    "EXPORT",
    "FORM",
    "GRADEBOOK",
    "GRADERS",
    "GRADES",
    "HANDOUT",
    "KINDS",
    "LETTERS",
    "MAIL_MERGE",
    "OVERRIDES",
    "PLAN",
    "RANKINGS",
    "REPORT",
    "SIMULATION",
    "STUDENTS",
    "TABLE",
    "Kind",
    "kind_of",
    "kind_with",
]

TABLES = (*TEXTS, ".xlsx", *PARQUET)


@dataclass(frozen=True)
class Kind:
    """A kind of output."""

    name: str
    """The name in provenance."""
    called: str
    """The name of its content, in messages; translated where it is shown."""
    columns: tuple[str, ...] = ()
    """The columns that identify a table without provenance, or with that of an early version."""
    suffixes: tuple[str, ...] = TABLES
    """The suffixes that such files may have."""
    opened: bool = False
    """Whether people open it in a spreadsheet."""
    read_back: bool = True
    """Whether a command reads it, so that its texts must stay as they are."""


TABLE = Kind("table", message("a table"))
GRADES = Kind("grades", message("grades"), ("place", "paper", "score", "low", "high", "rankings", "mark"))
GRADERS = Kind("graders", message("graders"), ("grader", "reliability", "low", "high", "ballots", "flag"))
COURSES = Kind(
    "courses",
    message("a summary of courses"),
    ("course", "folder", "status", "papers", "graders", "rankings"),
    opened=True,
    read_back=False,
)
STUDENTS = Kind("students", message("marks of students"), ("student", "paper", "mark", "review_mark"), opened=True)
LETTERS = Kind(
    "letters",
    message("a mail merge of marks"),
    (
        *("student", "name", "email", "paper", "place", "low", "high"),
        *("mark", "mark_low", "mark_high", "review_mark"),
    ),
    opened=True,
    read_back=False,
)
REPORT = Kind("report", message("a report"), suffixes=(".html", ".htm"))
# Blackboard exports text under the name of a workbook.
GRADEBOOK = Kind("gradebook", message("a gradebook"), suffixes=(*TEXTS, ".xls"))
HANDOUT = Kind("handout", message("a hand-out"), ("grader", "paper"))
CODES = Kind("codes", message("codes"), ("paper", "code"), opened=True)
MAIL_MERGE = Kind(
    "mail merge",
    message("a mail merge for graders"),
    ("grader", "name", "email", "papers"),
    opened=True,
    read_back=False,
)
FORM = Kind("ranking", message("rankings or a form for them"), ("grader", "paper", "rank"), opened=True)
RANKINGS = Kind("rankings", message("rankings"), ("grader", "paper", "rank"))
ANCHORS = Kind("anchors", message("anchors"), ("paper", "mark", "reason"), opened=True)
OVERRIDES = Kind("overrides", message("overrides"), ("decision", "value", "reason"), opened=True)
COMPARISON = Kind("compare", message("a comparison of rules"))
PLAN = Kind("plan", message("a plan"), suffixes=(".csv",))
SIMULATION = Kind("simulate", message("simulations"), suffixes=(".csv",))
EXPORT = Kind("export", message("a table for people"), opened=True, read_back=False)
"""A table that the web app exports."""

KINDS = {
    kind.name: kind
    for kind in (
        *(GRADES, GRADERS, STUDENTS, LETTERS, REPORT, GRADEBOOK, HANDOUT, CODES, MAIL_MERGE, FORM, ANCHORS),
        *(COMPARISON, PLAN, SIMULATION, COURSES),
    )
}
# Commands that write one kind do not name it in the provenance.
COMMANDS = {"assign": HANDOUT, "anchors": ANCHORS, "compare": COMPARISON, "plan": PLAN, "simulate": SIMULATION}


def kind_of(path: Path, expected: Kind | None = None) -> Kind | None:
    """Return the kind of a file that one of the commands wrote: as its provenance says, or else by its columns."""
    about = provenance_of(path)
    recorded = KINDS.get(str(about.get("table"))) or COMMANDS.get(str(about.get("command")))
    return recorded or _by_columns(path, expected)


def _by_columns(path: Path, expected: Kind | None) -> Kind | None:
    """Return the kind of a table by its header."""
    from peerorder.files.formats.sheets import read_sheet, wanted_names

    if path.suffix.lower() not in TABLES:
        return None
    try:
        header = read_sheet(path, wanted_names()).header
    except ValueError:
        return None
    return kind_with(header, expected)


def kind_with(header: Collection[str], expected: Kind | None = None) -> Kind | None:
    """Return the kind whose columns are all in a header; of several, the one with most, or the expected one."""
    fitting = [kind for kind in KINDS.values() if kind.columns and {*header}.issuperset(kind.columns)]
    return max(fitting, key=lambda kind: (len(kind.columns), kind is expected), default=None)
