"""Columns of rosters and rankings by the names that other systems give them.

A column with our own name always counts. Where there is none, a usual name for the same thing is taken, if one column
alone can be meant; what was taken for what is said, so that nobody is surprised.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from peerorder.files.problems import Problems, shown
from peerorder.files.sheets import Column, Sheet, Wanted, column_of, read_sheet, wanted_names

__all__ = ["OF_RANKINGS", "OTHER_NAMES", "need_students", "read_with_other_names", "renamed"]

Names = Mapping[str, tuple[tuple[str, ...], ...]]
"""For each of our columns groups of other names; a group counts where no name of those before it is there."""

OTHER_NAMES: Names = {
    "student": (
        ("student id", "student number", "student no", "id number", "sis user id", "matriculation number"),
        ("login", "login name", "login id", "sis login id", "username", "user id", "user"),
        ("id",),
    ),
    "name": (("full name", "student name", "display name"),),
    "email": (("e-mail", "e-mail address", "mail", "mail address"),),
    "section": (("group", "groups", "class", "course section", "tutorial"),),
}
OF_RANKINGS: Names = {
    "grader": (("reviewer", "judge", "rater", "assessor", "evaluator", "grader id"),),
    "paper": (("code", "submission", "item", "paper id", "essay"),),
    "rank": (("ranking", "place", "position"),),
    "score": (("points",),),
}
FIRST = ("first name", "given name", "forename")
LAST = ("surname", "last name", "family name")


def read_with_other_names(path: Path, ours: Sequence[str]) -> Sheet:
    """The sheet in a file with ``ours`` columns, which may have other names there; notes say which do."""
    return renamed(
        read_sheet(path, wanted_names(*ours)), wanted_names(*ours), [name for name in OTHER_NAMES if name in ours]
    )


def renamed(sheet: Sheet, wanted: Wanted, missing: Iterable[str], names: Names = OTHER_NAMES) -> Sheet:
    """A sheet with columns of other names under ours, as far as these are missing; notes say which they are."""
    chosen = _chosen(sheet.header, [name for name in missing if name not in sheet.header], names)
    if not chosen:
        return sheet
    path, others = sheet.path, frozenset(name for names in chosen.values() for name in names)
    sheet = read_sheet(path, lambda name: wanted(name) or name in others)
    columns = {name: column for name, column in sheet.columns.items() if wanted(name) and name not in others}
    columns |= {name: _joined([sheet[other] for other in others]) for name, others in chosen.items()}
    said = ", ".join(f"{' and '.join(map(shown, others))} as {name}" for name, others in chosen.items())
    note = f"{path}: columns with other names are taken: {said}"
    return Sheet(path, columns, sheet.rows, (*sheet.notes, note), sheet.problems, sheet.header)


def need_students(sheet: Sheet) -> None:
    """Complain where nobody can tell which column has the ids."""
    if "student" in sheet:
        return
    sheet.no_header(lambda row: "student" in row or "student" in _chosen(row, ["student"], OTHER_NAMES))
    several = next((names for group in OTHER_NAMES["student"] if len(names := _there(sheet.header, group)) > 1), ())
    cause = f"no column student; found: {sheet.named()}"
    if several:
        cause = f"no column student, and {' and '.join(map(shown, several))} may each be meant"
    problems = Problems(sheet.path)
    problems.add(None, None, cause, "rename the column with the ids to student")
    problems.refuse()


def _chosen(header: Sequence[str], missing: Iterable[str], names: Names) -> dict[str, tuple[str, ...]]:
    """For each of our columns that is missing, the names in the file that stand for it, if that is plain."""
    chosen: dict[str, tuple[str, ...]] = {}
    for name in missing:
        # The first group of which anything is there decides: an id of students goes before a name to log in with.
        found = next((there for group in names[name] if (there := _there(header, group))), ())
        if len(found) == 1:
            chosen[name] = found
        elif name == "name" and not found:
            parts = (_there(header, FIRST), _there(header, LAST))
            if all(len(part) == 1 for part in parts):
                chosen[name] = (*parts[0], *parts[1])
    return chosen


def _there(header: Sequence[str], group: Iterable[str]) -> tuple[str, ...]:
    """The names in a header that are in a group, as often as they stand there; signs and blanks do not matter."""
    bare = {_bare(name) for name in group}
    return tuple(name for name in header if _bare(name) in bare)


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name)


def _joined(columns: Sequence[Column]) -> Column:
    if len(columns) == 1:
        return columns[0]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return column_of(pa.array([" ".join(filter(None, row)) for row in rows], pa.string()))
