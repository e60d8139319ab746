"""Overrides: staff decisions about marks and ballots, with reasons."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from peerorder.core.translation import gettext as _
from peerorder.files.formats.problems import Problem, Problems
from peerorder.files.formats.sheets import read_sheet, wanted_names
from peerorder.files.tables.ids import SimilarIds
from peerorder.rounds.overrides import Override, override_problems
from peerorder.rounds.round import Round
from peerorder.rounds.settings import GradeSettings

__all__ = ["OverrideRows", "read_overrides", "with_overrides"]

COLUMNS = ("student", "grader", "decision", "value", "reason")


@dataclass(frozen=True)
class OverrideRows:
    """The decisions in a file, not yet compared with a round."""

    path: Path
    made: tuple[Override, ...]
    rows: tuple[int, ...]
    """The row of each, as a spreadsheet numbers it."""
    columns: tuple[str, ...]
    """The column that names the person in each, ``student`` or ``grader``."""
    problems: tuple[Problem, ...] = ()
    """Problems with reading the file."""
    notes: tuple[str, ...] = ()

    def problems_in(self, round_: Round, settings: GradeSettings | None) -> Iterator[tuple[int, Problem]]:
        """Yield the number of every decision that cannot be made in a round, and why."""
        similar = (
            SimilarIds(round_.graders) if any(each.person not in round_.grader_number for each in self.made) else None
        )
        for each in override_problems(self.made, round_, settings):
            cause, cure, person = each.cause, each.cure, self.made[each.number].person
            if each.earlier is not None:
                cause = _("{cause}, in row {row}").format(cause=cause, row=self.rows[each.earlier])
            elif each.part == "person" and similar is not None and person not in round_.grader_number:
                cause, cure = similar.suggest(person, cause, cure)
            column = self.columns[each.number] if each.part == "person" else each.part
            yield each.number, Problem(self.path, self.rows[each.number], column, cause, cure)


def read_overrides(path: Path) -> OverrideRows:
    """Read the decisions in a file; people are in the column ``student`` or ``grader``, whichever suits each."""
    sheet = read_sheet(path, wanted_names(*COLUMNS))
    named_by = [name for name in ("student", "grader") if name in sheet] or ["student"]
    sheet.need(_("a file of overrides"), [named_by[0], "decision", "value", "reason"])
    cells = {name: sheet[name].tolist() for name in (*named_by, "decision", "value", "reason")}
    columns = [next((name for name in named_by if cells[name][index]), named_by[0]) for index in range(len(sheet))]
    made = (
        Override(cells[column][index], cells["decision"][index].lower(), cells["value"][index], cells["reason"][index])
        for index, column in enumerate(columns)
    )
    rows = tuple(int(row) for row in sheet.rows)
    return OverrideRows(path, tuple(made), rows, tuple(columns), tuple(sheet.problems), tuple(sheet.notes))


def with_overrides(round_: Round, path: Path, settings: GradeSettings | None, lenient: bool = False) -> Round:
    """Return a round with the decisions in a file, or raise all problems with these.

    The settings decide which marks are possible; without settings, any are.
    """
    read = read_overrides(path)
    problems, wrong = Problems(path, read.problems), set()
    for number, problem in read.problems_in(round_, settings):
        wrong.add(number)
        problems.collected.append(problem)
    dropped = problems.raise_or_drop(lenient)
    return replace(
        round_,
        overrides=tuple(each for number, each in enumerate(read.made) if number not in wrong),
        reading_notes=(*round_.reading_notes, *read.notes),
        dropped=(*round_.dropped, *dropped),
    )
