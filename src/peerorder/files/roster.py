"""Rosters: who takes part, which paper is whose, and who is staff."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, frozen
from peerorder.files.problems import Problem, Problems
from peerorder.files.sheets import Column, Sheet, read_sheet, where

__all__ = ["Roster", "read_roster"]

ROLES = ("student", "staff")


@dataclass(frozen=True, eq=False)
class Roster:
    """Everybody who takes part, numbered by row, and their papers, numbered as they first appear."""

    path: Path
    students: tuple[str, ...]
    papers: tuple[str, ...]
    wrote: Int32Array
    """The paper of every student, -1 for none; students with the same paper are a team."""
    staff: NDArray[np.bool_]
    name: tuple[str, ...]
    email: tuple[str, ...]
    link: tuple[str, ...]
    """Where every paper can be read, empty where the roster does not say."""
    rows: NDArray[np.int64]
    """The row of every student in the file."""
    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()

    @cached_property
    def student_number(self) -> dict[str, int]:
        """The number of every student."""
        return {student: at for at, student in enumerate(self.students)}

    @cached_property
    def paper_number(self) -> dict[str, int]:
        """The number of every paper."""
        return {paper: at for at, paper in enumerate(self.papers)}


def read_roster(path: Path, lenient: bool = False) -> Roster:
    """The roster in a file; all its problems at once, or with ``lenient`` without the rows that have any."""
    sheet = read_sheet(path)
    sheet.need("a roster", ["student"])
    problems = Problems(path, sheet.problems)
    if not len(sheet) and not sheet.problems:
        problems.add(None, None, "it has a header but no students", "write a row for everybody who takes part")
        problems.refuse()
    good = np.ones(len(sheet), bool)
    _no_gaps(sheet, problems, good)
    _no_doubles(sheet, problems, good)
    _roles(sheet, problems, good)
    dropped = problems.settle(lenient)
    kept = where(good)
    student = sheet["student"]
    students = tuple(student[row] for row in kept)
    papers: dict[str, int] = {}
    wrote = np.empty(len(kept), np.int32)
    titles = sheet.columns.get("paper", student)
    for at, row in enumerate(kept):
        title = titles[row]
        wrote[at] = papers.setdefault(title, len(papers)) if title else -1
    link = [""] * len(papers)
    if "link" in sheet:
        for at, row in enumerate(kept):
            if wrote[at] >= 0 and not link[wrote[at]]:
                link[wrote[at]] = sheet["link"][row]
    return Roster(
        path=path,
        students=students,
        papers=tuple(papers),
        wrote=frozen(wrote),
        staff=frozen(np.array([_role(sheet, row) == "staff" for row in kept], bool)),
        name=_texts(sheet, "name", kept),
        email=_texts(sheet, "email", kept),
        link=tuple(link),
        rows=frozen(sheet.rows[kept]),
        notes=sheet.notes,
        dropped=dropped,
    )


def _no_gaps(sheet: Sheet, problems: Problems, good: NDArray[np.bool_]) -> None:
    for row in where(sheet["student"].empty):
        problems.add(int(sheet.rows[row]), "student", "there is no id", "write one, or delete the row")
        good[row] = False


def _no_doubles(sheet: Sheet, problems: Problems, good: NDArray[np.bool_]) -> None:
    student = sheet["student"]
    seen: dict[int, int] = {}
    for row in later_rows(student.codes, good):
        if not seen:
            first = np.unique(student.codes, return_index=True)
            seen = dict(zip(first[0].tolist(), first[1].tolist(), strict=True))
        earlier = int(sheet.rows[seen[int(student.codes[row])]])
        problems.add(
            int(sheet.rows[row]),
            "student",
            f"{student[row]} is in row {earlier} already",
            "delete one of the two rows, or give everybody an id of their own",
        )
        good[row] = False


def later_rows(codes: Int32Array, good: NDArray[np.bool_]) -> list[int]:
    """The rows, of the good ones, whose code an earlier one has already."""
    rows = np.flatnonzero(good)
    first = np.unique(codes[rows], return_index=True)[1]
    return np.delete(rows, first).tolist()


def _roles(sheet: Sheet, problems: Problems, good: NDArray[np.bool_]) -> None:
    if "role" not in sheet:
        return
    role = sheet["role"]
    wrong = np.array([text.lower() not in ("", *ROLES) for text in role.texts], bool)[role.codes]
    for row in where(wrong & good):
        problems.add(
            int(sheet.rows[row]), "role", f"{role[row]!r} is no role", "write student or staff, or leave it empty"
        )
        good[row] = False


def _role(sheet: Sheet, row: int) -> str:
    return sheet["role"][row].lower() if "role" in sheet else ""


def _texts(sheet: Sheet, name: str, kept: list[int]) -> tuple[str, ...]:
    column: Column | None = sheet.columns.get(name)
    return tuple(column[row] for row in kept) if column is not None else ("",) * len(kept)
