"""Hand-outs: who was asked to rank which papers."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from peerorder.core.arrays import Int32Array, frozen
from peerorder.files.problems import Problem, Problems
from peerorder.files.sheets import read_sheet, where

__all__ = ["Handout", "read_handout"]


@dataclass(frozen=True, eq=False)
class Handout:
    """One paper for one grader a row, as in the file; row i gave ``papers[paper[i]]`` to ``graders[grader[i]]``."""

    path: Path
    graders: tuple[str, ...]
    papers: tuple[str, ...]
    grader: Int32Array
    paper: Int32Array
    notes: tuple[str, ...] = ()
    dropped: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.grader)


def read_handout(path: Path, codes: Mapping[str, str] | None = None, lenient: bool = False) -> Handout:
    """The hand-out in a file; with ``codes``, papers by their ids where it holds codes."""
    sheet = read_sheet(path)
    sheet.need("a hand-out", ["grader", "paper"])
    problems = Problems(path, sheet.problems)
    good = np.ones(len(sheet), bool)
    grader, paper = sheet["grader"], sheet["paper"]
    for name, column in (("grader", grader), ("paper", paper)):
        for at in where(column.empty):
            problems.add(int(sheet.rows[at]), name, "this cell is empty", "write the id, or delete the row")
            good[at] = False
    texts = paper.texts
    if codes is not None:
        unknown = np.array([bool(text) and text not in codes for text in texts], bool)
        for at in where(unknown[paper.codes]) if unknown.any() else ():
            cause, cure = f"there is no code {paper[at]}", "give the file of codes that was made with this hand-out"
            problems.add(int(sheet.rows[at]), "paper", cause, cure)
            good[at] = False
        texts = tuple(codes.get(text, text) for text in texts)
    pairs = grader.codes.astype(np.int64) * max(len(texts), 1) + paper.codes
    rows = np.flatnonzero(good)
    for at in np.delete(rows, np.unique(pairs[rows], return_index=True)[1]).tolist():
        cause = f"{grader[at]} has {paper[at]} already, in an earlier row"
        problems.add(int(sheet.rows[at]), "paper", cause, "delete one of the rows")
        good[at] = False
    dropped = problems.settle(lenient)
    return Handout(
        path=path,
        graders=grader.texts,
        papers=texts,
        grader=frozen(grader.codes[good]),
        paper=frozen(paper.codes[good]),
        notes=sheet.notes,
        dropped=dropped,
    )
