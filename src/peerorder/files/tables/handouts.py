"""Hand-outs: which grader was asked to rank which papers."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, freeze
from peerorder.core.translation import gettext as _
from peerorder.files.formats.arrow import places_in, strings
from peerorder.files.formats.paths import takes_path
from peerorder.files.formats.problems import Problem, shown
from peerorder.files.formats.sheets import Column, read_sheet, wanted_names, where
from peerorder.files.formats.writing import provenance_of
from peerorder.files.tables.ballots import ballots_of, repeats
from peerorder.files.tables.ids import check_ids, refuse_lost_zeros
from peerorder.files.tables.roster import Roster
from peerorder.files.tables.row_problems import RowProblems
from peerorder.rounds.round import HandoutRows

__all__ = ["Handout", "is_top_up", "read_handout"]

COLUMNS = ("grader", "paper", "ballot")
# Ballots of what everybody was asked at first, and of late joiners; any other asks for a favour.
FIRST = ("", "1")


@dataclass(frozen=True, eq=False)
class Handout:
    """One grader and one paper per row, as in the file; row i gave ``papers[paper[i]]`` to ``graders[grader[i]]``."""

    path: Path
    graders: tuple[str, ...]
    papers: tuple[str, ...]
    grader: Int32Array
    paper: Int32Array
    favours: NDArray[np.bool_]
    """Whether each row asks for a favour: those of a top-up, which asks people who had finished for more."""
    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()
    ballot: Column | None = None
    """The column ballot, where the file has one."""

    def __len__(self) -> int:
        return len(self.grader)

    def rows(self, graders: Any, papers: Any) -> HandoutRows:
        """Return the rows by the positions of their graders and papers among these ids; others are omitted."""
        who, what = (
            places_in(known, strings(ids)).astype(np.int64)[numbers]
            for known, ids, numbers in ((graders, self.graders, self.grader), (papers, self.papers, self.paper))
        )
        known = (who >= 0) & (what >= 0)
        return HandoutRows(freeze(who[known]), freeze(what[known]), freeze(self.favours[known]))

    def join(self, more: "Handout") -> "Handout":
        """Join it with another hand-out of the same round; a row in both counts once."""
        graders, mine = _join(self.graders, more.graders)
        papers, its = _join(self.papers, more.papers)
        grader = np.concatenate([self.grader, mine[more.grader]])
        paper = np.concatenate([self.paper, its[more.paper]])
        first = np.sort(np.unique(grader.astype(np.int64) * len(papers) + paper, return_index=True)[1])
        return Handout(
            self.path,
            graders,
            papers,
            freeze(grader[first]),
            freeze(paper[first]),
            freeze(np.concatenate([self.favours, more.favours])[first]),
            self.notes + more.notes,
            self.dropped + more.dropped,
        )


def _join(first: tuple[str, ...], more: tuple[str, ...]) -> tuple[tuple[str, ...], Int32Array]:
    """Return all names, and the new number of each of the second ones."""
    number = {name: index for index, name in enumerate(dict.fromkeys([*first, *more]))}
    return tuple(number), np.array([number[name] for name in more], np.int32)


def is_top_up(path: Path) -> bool | None:
    """Return whether a hand-out is a top-up, by its provenance; None without provenance."""
    about = provenance_of(path)
    if about.get("command") != "assign" or not isinstance(about.get("inputs"), dict):
        return None
    return "top_up" in about["inputs"]


@takes_path
def read_handout(
    path: Path,
    codes: Mapping[str, str] | None = None,
    lenient: bool = False,
    top_up: bool = False,
    roster: Roster | None = None,
) -> Handout:
    """Read the hand-out in a file; with ``codes``, papers by their ids where it holds codes.

    Its rows ask for a favour where it is a ``top_up``, or where a column ballot names another than the first. Raise
    FileError for ids that match the ``roster`` but for leading zeros.
    """
    sheet = read_sheet(path, wanted_names(*COLUMNS))
    sheet.need(_("a hand-out"), ["grader", "paper"])
    problems = RowProblems(path, sheet.rows, sheet.problems)
    good, grader, paper = problems.good, sheet["grader"], sheet["paper"]
    check_ids(problems, grader, "grader")
    check_ids(problems, paper, "paper")
    if codes is not None:
        unknown = np.array([text not in codes for text in paper.texts], bool)
        for index in where(unknown[paper.codes] & good) if unknown.any() else ():
            cause = _("{paper} is not one of the codes").format(paper=shown(paper[index]))
            problems.refuse(index, "paper", cause, _("give the file of codes that belongs to this hand-out"))
    kept = np.flatnonzero(good)
    ballots = ballots_of(grader.codes, len(grader.words), None).some(good)
    for index, before in repeats(ballots, paper.codes[kept], len(paper.words)):
        row, earlier = int(kept[index]), int(kept[before])
        cause = _("{grader} already has {paper} in row {row}").format(
            grader=shown(grader[row]), paper=shown(paper[row]), row=sheet.rows[earlier]
        )
        problems.refuse(row, "paper", cause, _("delete one of the rows"))
    dropped = problems.raise_or_drop(lenient)
    grader, paper = grader.some(good), paper.some(good)
    if roster is not None:
        refuse_lost_zeros(path, "grader", grader.texts, roster.path, roster.students)
        if codes is None:
            refuse_lost_zeros(path, "paper", paper.texts, roster.path, roster.papers)
    favours = np.full(len(paper.codes), top_up)
    ballot = sheet["ballot"].some(good) if "ballot" in sheet else None
    if ballot is not None:
        favours |= np.array([text not in FIRST for text in ballot.texts], bool)[ballot.codes]
    return Handout(
        path=path,
        graders=grader.texts,
        papers=paper.texts if codes is None else tuple(codes[text] for text in paper.texts),
        grader=freeze(grader.codes),
        paper=freeze(paper.codes),
        favours=freeze(favours),
        notes=(*sheet.notes, *problems.notes),
        dropped=dropped,
        ballot=ballot,
    )
