"""``RowProblems``: what is wrong with the rows of a table, what to say about them, and which rows are good."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.files.formats.problems import Problem, Problems

__all__ = ["RowProblems"]


class RowProblems(Problems):
    """Gathers problems and notes of a table while it is read, and marks the rows that have a problem."""

    def __init__(self, path: Path, rows: IntArray, found: Iterable[Problem] = ()) -> None:
        super().__init__(path, found)
        self.rows = rows
        """The number of every row, as a spreadsheet counts."""
        self.good = np.ones(len(rows), bool)
        self.notes: list[str] = []

    def refuse(self, at: int | IntArray, column: str, cause: str, cure: str) -> None:
        """Complain about a row, or several for the same cause, by their indices in the table."""
        for row in np.atleast_1d(self.rows[at]).tolist():
            self.add(row, column, cause, cure)
        self.good[at] = False
