"""Anchors: papers that staff marked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerorder.core.arrays import freeze
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _
from peerorder.files.formats.paths import AnyPath, as_paths
from peerorder.files.formats.problems import Problem, Problems, shown
from peerorder.files.formats.sheets import read_sheet, wanted_names
from peerorder.files.tables.ids import SimilarIds
from peerorder.files.tables.merging import read_all
from peerorder.files.tables.roster import Roster
from peerorder.rounds.marking import StaffMarks, parse_mark

__all__ = ["FULL_MARKS", "Anchors", "read_anchors", "typed_rows"]

FULL_MARKS = 100.0
"""The default highest mark."""

# If no mark is above this share of full marks, full marks may be wrong.
LOW = 0.2
# The columns that are filled before anybody types.
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
    """Read the anchors in one or more files, by the numbers of ``papers``.

    A row without a mark is skipped. A paper may be in two files if its mark is the same.
    With ``codes``, the paper behind every code, files may name papers by their codes or by their ids.
    Marks are from 0 to ``highest``.
    """
    if not 0 < highest < float("inf"):
        raise InputError(_("`anchors_points` is {highest:g}; write a number above 0").format(highest=highest))
    similar = SimilarIds(codes or ())
    numbers = {paper: index for index, paper in enumerate(papers)}
    result: dict[int, tuple[float, Path]] = {}
    notes: list[str] = []
    dropped: list[Problem] = []
    unmarked = 0

    def read(path: Path) -> None:
        nonlocal unmarked
        sheet = read_sheet(path, wanted_names("paper", "code", "mark"))
        # Staff who are not to know whose paper it is may get the codes alone.
        named_by = "code" if "code" in sheet and "paper" not in sheet else "paper"
        sheet.need(_("a file of anchors"), [named_by, "mark"])
        problems = Problems(path, sheet.problems)
        rows: dict[int, int] = {}
        for row, said, text in zip(sheet.rows.tolist(), sheet[named_by].tolist(), sheet["mark"].tolist(), strict=True):
            if not said:
                problems.add(row, named_by, _("this cell is empty"), _("write the ID of the paper, or delete the row"))
                continue
            paper = numbers.get(said)
            if paper is None and codes is not None:
                paper = numbers.get(codes.get(similar.find(said) or "", ""))
            if paper is None:
                cause = _("there is no paper {id}").format(id=shown(said))
                if roster is not None and said in roster.student_number:
                    explanation = roster.paper_in_words(said)
                    cause = _("{cause}, but {explanation}").format(cause=cause, explanation=explanation)
                    cure = _("write the ID of the paper")
                else:
                    cure = _("correct the ID, or delete the row")
                    cause, cure = SimilarIds(papers).suggest(said, cause, cure)
                problems.add(row, named_by, cause, cure)
            if not text:
                unmarked += paper is not None
                continue
            if (mark := parse_mark(text, highest)) is None:
                problems.add(
                    row,
                    "mark",
                    _("{text!r} is not a number").format(text=text),
                    _("write a mark from 0 to {highest:g}").format(highest=highest),
                )
                continue
            if not 0 <= mark <= highest:
                cure = _("write a mark from 0 to {highest:g}, or set full marks with `anchors_points`").format(
                    highest=highest
                )
                problems.add(row, "mark", _("the mark is {text}").format(text=text), cure)
            elif paper in rows:
                problems.add(
                    row,
                    named_by,
                    _("{said} is already in row {row}").format(said=said, row=rows[paper]),
                    _("delete one of the two rows"),
                )
            elif paper is not None:
                rows[paper] = row
                before, other = result.setdefault(paper, (mark, path))
                if before != mark:
                    cause = _("{paper} has the mark {mark:g} here and {before:g} in {file}").format(
                        paper=papers[paper], mark=mark, before=before, file=other
                    )
                    problems.add(None, "mark", cause, _("correct one of the two"))
        dropped.extend(problems.raise_or_drop(lenient))
        notes.extend((*sheet.notes, *_low_marks(path, [result[paper][0] for paper in rows], highest)))

    read_all(as_paths(paths), read)
    return Anchors(
        papers=freeze(np.array(list(result), np.int64)),
        marks=freeze(np.array([mark for mark, _file in result.values()], np.float64)),
        unmarked=unmarked,
        notes=tuple(notes),
        dropped=tuple(dropped),
    )


def _low_marks(path: Path, marks: Collection[float], highest: float) -> tuple[str, ...]:
    """Return a note if marks look as if full marks were less, as a spreadsheet writes 0.68 for 68%."""
    best = max(marks, default=highest)
    if best > LOW * highest:
        return ()
    return (
        _(
            "{file}: the highest mark is {mark:g} of {highest:g}; if full marks are less, set them with "
            "`anchors_points`"
        ).format(file=path, mark=best, highest=highest),
    )


def typed_rows(path: Path) -> dict[str, list[str]]:
    """Return the rows of a file of anchors in which somebody typed a mark or a remark, to write the file again.

    Raise FileError if the file cannot be read completely: what is not read here would be lost.
    """
    sheet = read_sheet(path)
    problems = Problems(path, sheet.problems)
    if not {"paper", "code"}.intersection(sheet.columns) or "mark" not in sheet:
        problems.add(
            None, None, _("this file already exists, and it is not a file of anchors"), _("choose another name")
        )
    problems.raise_if_any()
    kept = np.zeros(len(sheet), bool)
    for name, column in sheet.columns.items():
        if name not in OURS:
            kept |= ~column.empty
    return {name: column.some(kept).tolist() for name, column in sheet.columns.items()}
