"""Verification: grade a round once more, and say where a table that somebody kept differs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from peerorder.rounds.grading import GradedRound, grade
from peerorder.rounds.round import Round
from peerorder.rounds.settings import GradeSettings

__all__ = ["Difference", "differences", "verify"]


@dataclass(frozen=True)
class Difference:
    """Where a table that was kept differs from the one that is found: a cell, a whole column, or how many rows."""

    column: str | None
    """None where the numbers of rows differ."""
    row: int | None
    """From 0; None for a column that one of the tables does not have."""
    kept: Any
    found: Any

    def __str__(self) -> str:
        if self.column is None:
            return f"there are {self.kept:,} rows where {self.found:,} are found"
        if self.row is None:
            return f"the column {self.column} is {'missing' if self.kept is None else 'none of ours'}"
        kept, found = ("nothing" if _is_empty(cell) else cell for cell in (self.kept, self.found))
        # As a spreadsheet numbers rows, with the header first.
        return f"row {self.row + 2}, column {self.column} says {kept} where {found} is found"


def verify(
    kept: Mapping[str, Sequence[Any]], round_: Round, settings: GradeSettings, table: str = "grades"
) -> list[Difference]:
    """Grade a round and return where a kept table differs; nothing where it is exactly what is found.

    Parameters
    ----------
    kept
        Its columns by name, as numbers and texts or all as texts.
    table
        Which one it is: ``grades``, ``graders``, ``students`` or ``letters``.
    """
    return differences(kept, grade(round_, settings), table)


def differences(
    kept: Mapping[str, Sequence[Any]], graded: GradedRound, table: str, as_text: Callable[[str], str] = str
) -> list[Difference]:
    """Compare a kept table with one of a round that is graded: the first cell of every column that differs.

    ``as_text`` is what was done to texts when the table was written.
    """
    found = getattr(graded, table)()
    said = []
    for name in dict.fromkeys([*kept, *found]):
        if name not in kept or name not in found:
            said.append(Difference(name, None, *((None, name) if name not in kept else (name, None))))
            continue
        old, new = _cells(kept[name]), _cells(found[name], as_text)
        if len(old) != len(new):
            return [*said, Difference(None, None, len(old), len(new))]
        row = next((row for row, cell in enumerate(old) if not _equal(cell, new[row])), None)
        if row is not None:
            said.append(Difference(name, row, old[row], new[row]))
    return said


def _cells(values: Any, as_text: Callable[[str], str] = str) -> list[Any]:
    cells = values.tolist() if hasattr(values, "tolist") else list(values)
    return [as_text(cell) if isinstance(cell, str) else cell for cell in cells]


def _equal(kept: Any, found: Any) -> bool:
    if _is_empty(found):
        return _is_empty(kept)
    if isinstance(kept, str) and not isinstance(found, str):
        try:
            return bool(float(kept) == found)
        except ValueError:
            return False
    return bool(kept == found)


def _is_empty(cell: Any) -> bool:
    return bool(cell is None or cell == "" or cell != cell)
