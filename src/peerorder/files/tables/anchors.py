"""Anchors: papers that staff marked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerorder.core.arrays import frozen
from peerorder.core.errors import InputError
from peerorder.files.formats.paths import AnyPath, as_paths
from peerorder.files.formats.problems import Problem, Problems, shown
from peerorder.files.formats.sheets import read_sheet, wanted_names
from peerorder.files.tables.ids import Alike
from peerorder.files.tables.merging import read_all
from peerorder.files.tables.roster import Roster
from peerorder.rounds.marking import StaffMarks, parse_mark

__all__ = ["FULL_MARKS", "Anchors", "read_anchors", "typed_rows"]

FULL_MARKS = 100.0
"""The highest mark, where nobody says otherwise."""

# Where no mark is above this share of full marks, these may be others.
LOW = 0.2
# What stands there before anybody types.
OURS = ("paper", "code", "link", "reason")


@dataclass(frozen=True, eq=False)
class Anchors(StaffMarks):
    """Marked papers by their numbers, in the order of the files."""

    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()


def read_anchors(
    paths: AnyPath | Sequence[AnyPath],
    papers: Sequence[str],
    codes: Mapping[str, str] | None = None,
    lenient: bool = False,
    highest: float = FULL_MARKS,
    roster: Roster | None = None,
) -> Anchors:
    """The anchors in a file, or in several together, by the numbers of ``papers``.

    A row without a mark waits for one and is passed over. A paper may be in two files if its mark is the same.
    With ``codes``, the paper behind every code, files may name papers by their codes or by their ids.
    Marks are from 0 to ``highest``.
    """
    if not 0 < highest < float("inf"):
        raise InputError(f"full marks of anchors are {highest:g}; write a number above 0")
    alike = Alike(codes or ())
    numbers = {paper: at for at, paper in enumerate(papers)}
    found: dict[int, tuple[float, Path]] = {}
    notes: list[str] = []
    dropped: list[Problem] = []
    unmarked = 0

    def read(path: Path) -> None:
        nonlocal unmarked
        sheet = read_sheet(path, wanted_names("paper", "code", "mark"))
        # Staff who are not to know whose paper it is may get the codes alone.
        named_by = "code" if "code" in sheet and "paper" not in sheet else "paper"
        sheet.need("a file of anchors", [named_by, "mark"])
        problems = Problems(path, sheet.problems)
        rows: dict[int, int] = {}
        for row, said, text in zip(sheet.rows.tolist(), sheet[named_by].tolist(), sheet["mark"].tolist(), strict=True):
            if not said:
                problems.add(row, named_by, "this cell is empty", "write the id of the paper, or delete the row")
                continue
            paper = numbers.get(said)
            if paper is None and codes is not None:
                paper = numbers.get(codes.get(alike.find(said) or "", ""))
            if paper is None:
                but, cure = Alike(papers).told(said, "correct the id, or delete the row")
                if roster is not None and said in roster.student_number:
                    but, cure = f", but {roster.paper_in_words(said)}", "write the id of the paper"
                problems.add(row, named_by, f"there is no paper {shown(said)}{but}", cure)
            if not text:
                unmarked += paper is not None
                continue
            if (mark := parse_mark(text, highest)) is None:
                problems.add(row, "mark", f"{text!r} is not a number", f"write a mark from 0 to {highest:g}")
                continue
            if not 0 <= mark <= highest:
                cure = f"write a mark from 0 to {highest:g}, or say what full marks are with `anchors_points`"
                problems.add(row, "mark", f"the mark is {text}", cure)
            elif paper in rows:
                problems.add(row, named_by, f"{said} is in row {rows[paper]} already", "delete one of the two rows")
            elif paper is not None:
                rows[paper] = row
                before, other = found.setdefault(paper, (mark, path))
                if before != mark:
                    cause = f"{papers[paper]} has the mark {mark:g} here and {before:g} in {other}"
                    problems.add(None, "mark", cause, "correct one of the two")
        dropped.extend(problems.raise_or_drop(lenient))
        notes.extend((*sheet.notes, *_low_marks(path, [found[paper][0] for paper in rows], highest)))

    read_all(as_paths(paths), read)
    return Anchors(
        papers=frozen(np.array(list(found), np.int64)),
        marks=frozen(np.array([mark for mark, _ in found.values()], np.float64)),
        unmarked=unmarked,
        notes=tuple(notes),
        dropped=tuple(dropped),
    )


def _low_marks(path: Path, marks: Collection[float], highest: float) -> tuple[str, ...]:
    """A note where marks look as if full marks were less, as a spreadsheet writes 0.68 for 68%."""
    best = max(marks, default=highest)
    if best > LOW * highest:
        return ()
    return (
        f"{path}: the highest mark is {best:g} of {highest:g}; if full marks are less, say so with --anchors-points",
    )


def typed_rows(path: Path) -> dict[str, list[str]]:
    """The rows of a file of anchors in which somebody typed a mark or a remark, for whoever writes the file anew.

    A file that cannot be read whole is refused: what is not read here would be lost.
    """
    sheet = read_sheet(path)
    problems = Problems(path, sheet.problems)
    if not {"paper", "code"}.intersection(sheet.columns) or "mark" not in sheet:
        problems.add(None, None, "this file is there already, and it is no file of anchors", "give another name")
    problems.raise_if_any()
    kept = np.zeros(len(sheet), bool)
    for name, column in sheet.columns.items():
        if name not in OURS:
            kept |= ~column.empty
    return {name: column.some(kept).tolist() for name, column in sheet.columns.items()}
