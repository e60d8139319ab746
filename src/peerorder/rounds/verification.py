"""Verification: grade a round again, and report where a kept table differs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from peerorder.core.translation import gettext as _, ngettext
from peerorder.rounds.grading import Grades, grade
from peerorder.rounds.round import Round
from peerorder.rounds.settings import GradeSettings

__all__ = ["Difference", "differences", "verify"]


@dataclass(frozen=True)
class Difference:
    """A difference between a kept table and the computed one: in a cell, a whole column, or the number of rows."""

    column: str | None
    """None where the numbers of rows differ."""
    row: int | None
    """From 0; None for a column that one of the tables does not have."""
    kept: Any
    computed: Any

    def __str__(self) -> str:
        if self.column is None:
            text = ngettext(
                "it has {kept:,} row, but should have {computed:,}",
                "it has {kept:,} rows, but should have {computed:,}",
                self.kept,
            )
            return text.format(kept=self.kept, computed=self.computed)
        if self.row is None:
            text = (
                _("the column {column} is missing")
                if self.kept is None
                else _("the column {column} is not one of ours")
            )
            return text.format(column=self.column)
        kept, computed = (_("nothing") if _is_empty(cell) else cell for cell in (self.kept, self.computed))
        # As a spreadsheet numbers rows, with the header first.
        return _("row {row}, column {column} has {kept}, but should have {computed}").format(
            row=self.row + 2, column=self.column, kept=kept, computed=computed
        )


def verify(
    kept: Mapping[str, Sequence[Any]], round_: Round, settings: GradeSettings, table: str = "grades"
) -> list[Difference]:
    """Grade a round and return where a kept table differs; an empty list where they are equal.

    Parameters
    ----------
    kept
        Its columns by name, as numbers and texts or all as texts.
    table
        Which table it is: ``grades``, ``graders``, ``students`` or ``mail_merge``.
    """
    return differences(kept, grade(round_, settings), table)


def differences(
    kept: Mapping[str, Sequence[Any]], graded: Grades, table: str, as_text: Callable[[str], str] = str
) -> list[Difference]:
    """Compare a kept table with one of a round that is graded: the first cell of every column that differs.

    ``as_text`` is what was done to texts when the table was written.
    """
    result = getattr(graded, table)()
    said = []
    for name in dict.fromkeys([*kept, *result]):
        if name not in kept or name not in result:
            said.append(Difference(name, None, *((None, name) if name not in kept else (name, None))))
            continue
        old, new = _cells(kept[name]), _cells(result[name], as_text)
        if len(old) != len(new):
            return [*said, Difference(None, None, len(old), len(new))]
        row = next((row for row, cell in enumerate(old) if not _equal(cell, new[row])), None)
        if row is not None:
            said.append(Difference(name, row, old[row], new[row]))
    return said


def _cells(values: Any, as_text: Callable[[str], str] = str) -> list[Any]:
    cells = values.tolist() if hasattr(values, "tolist") else list(values)
    return [as_text(cell) if isinstance(cell, str) else cell for cell in cells]


def _equal(kept: Any, result: Any) -> bool:
    if _is_empty(result):
        return _is_empty(kept)
    if isinstance(kept, str) and not isinstance(result, str):
        try:
            return bool(float(kept) == result)
        except ValueError:
            return False
    return bool(kept == result)


def _is_empty(cell: Any) -> bool:
    return bool(cell is None or cell == "" or cell != cell)
