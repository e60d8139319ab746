"""Conflicts: pairs of a student and a paper that must not meet."""

from dataclasses import dataclass
from pathlib import Path

from peerorder.files.problems import Problem, Problems, shown
from peerorder.files.roster import Roster
from peerorder.files.sheets import read_sheet, wanted_names

__all__ = ["Conflicts", "read_conflicts"]


@dataclass(frozen=True)
class Conflicts:
    """Pairs of a student and a paper, both by their numbers on the roster."""

    pairs: tuple[tuple[int, int], ...]
    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()


def read_conflicts(path: Path, roster: Roster, lenient: bool = False) -> Conflicts:
    """The conflicts in a file, by the numbers of the roster; a pair that is there twice is there once."""
    sheet = read_sheet(path, wanted_names("student", "paper"))
    sheet.need("a file of conflicts", ["student", "paper"])
    problems = Problems(path, sheet.problems)
    pairs: dict[tuple[int, int], None] = {}
    for row, student, paper in zip(
        sheet.rows.tolist(), sheet["student"].tolist(), sheet["paper"].tolist(), strict=True
    ):
        who, what = roster.student_number.get(student), roster.paper_number.get(paper)
        if who is None:
            cause = f"{shown(student)} is not on the roster {roster.path}" if student else "this cell is empty"
            problems.add(row, "student", cause, "correct the id, or delete the row")
        if what is None:
            cause = (
                f"nobody on the roster {roster.path} has the paper {shown(paper)}" if paper else "this cell is empty"
            )
            problems.add(row, "paper", cause, "correct the id, or delete the row")
        if who is not None and what is not None:
            pairs[who, what] = None
    return Conflicts(tuple(pairs), sheet.notes, problems.settle(lenient))
