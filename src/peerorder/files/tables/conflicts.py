"""Conflicts: pairs of a student and a paper that must not meet."""

from dataclasses import dataclass
from pathlib import Path

from peerorder.core.translation import gettext as _
from peerorder.files.formats.paths import takes_path
from peerorder.files.formats.problems import Problem, Problems
from peerorder.files.formats.sheets import read_sheet, wanted_names
from peerorder.files.tables.roster import Roster

__all__ = ["Conflicts", "read_conflicts"]

COLUMNS = ("student", "paper")


@dataclass(frozen=True)
class Conflicts:
    """Pairs of a student and a paper, both by their numbers on the roster."""

    pairs: tuple[tuple[int, int], ...]
    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()


@takes_path
def read_conflicts(path: Path, roster: Roster, lenient: bool = False) -> Conflicts:
    """Read the conflicts in a file, by the numbers of the roster; a repeated pair counts once."""
    sheet = read_sheet(path, wanted_names(*COLUMNS))
    sheet.need(_("a file of conflicts"), ["student", "paper"])
    problems = Problems(path, sheet.problems)
    pairs: dict[tuple[int, int], None] = {}
    for row, student, paper in zip(
        sheet.rows.tolist(), sheet["student"].tolist(), sheet["paper"].tolist(), strict=True
    ):
        if not student or not paper:
            problems.add(
                row, "paper" if student else "student", _("this cell is empty"), _("write the ID, or delete the row")
            )
            continue
        who, what = roster.student_number.get(student), roster.paper_number.get(paper)
        if who is None:
            problems.add(row, "student", *roster.no_student(student, _("correct the ID, or delete the row")))
        if what is None:
            problems.add(row, "paper", *roster.no_paper(paper, _("correct the ID, or delete the row")))
        if who is not None and what is not None:
            pairs[who, what] = None
    return Conflicts(tuple(pairs), sheet.notes, problems.raise_or_drop(lenient))
