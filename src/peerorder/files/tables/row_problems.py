"""``RowProblems``: the problems and notes of a table's rows, and which rows are good."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.files.formats.problems import Problem, Problems

__all__ = ["RowProblems"]


class RowProblems(Problems):
    """Collects problems and notes of a table while it is read, and marks the rows that have a problem."""

    def __init__(self, path: Path, rows: IntArray, result: Iterable[Problem] = ()) -> None:
        super().__init__(path, result)
        self.rows = rows
        """The number of every row, as a spreadsheet counts."""
        self.good = np.ones(len(rows), bool)
        self.notes: list[str] = []

    def refuse(self, index: int | IntArray, column: str, cause: str, cure: str) -> None:
        """Report a problem of one row, or of several for the same cause, by their indices in the table."""
        for row in np.atleast_1d(self.rows[index]).tolist():
            self.add(row, column, cause, cure)
        self.good[index] = False
