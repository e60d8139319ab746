"""Overrides: what staff decided about marks and ballots, with the reasons."""

from dataclasses import replace
from pathlib import Path

from peerorder.files.formats.problems import Problems
from peerorder.files.formats.sheets import read_sheet, wanted_names
from peerorder.files.tables.ids import Alike
from peerorder.rounds.overrides import Override, override_problems
from peerorder.rounds.round import Round
from peerorder.rounds.settings import GradeSettings

__all__ = ["with_overrides"]

COLUMNS = ("student", "grader", "decision", "value", "reason")


def with_overrides(round_: Round, path: Path, settings: GradeSettings | None, lenient: bool = False) -> Round:
    """Return a round with the decisions in a file, or raise everything that is wrong with them.

    People are in the column ``student``, or ``grader``, whichever suits the decision. Which marks are possible depends
    on the settings; without these any are.
    """
    sheet = read_sheet(path, wanted_names(*COLUMNS))
    named_by = [name for name in ("student", "grader") if name in sheet] or ["student"]
    sheet.need("a file of overrides", [named_by[0], "decision", "value", "reason"])
    problems = Problems(path, sheet.problems)
    cells = {name: sheet[name].tolist() for name in (*named_by, "decision", "value", "reason")}
    people = [next(filter(None, names), "") for names in zip(*(cells[name] for name in named_by), strict=True)]
    made = [
        Override(person, decision.lower(), value, reason)
        for person, decision, value, reason in zip(
            people, cells["decision"], cells["value"], cells["reason"], strict=True
        )
    ]
    alike = Alike(round_.graders) if any(person not in round_.grader_number for person in people) else None
    wrong = set()
    for each in override_problems(made, round_, settings):
        wrong.add(each.number)
        cause, cure = each.cause, each.cure
        if each.earlier is not None:
            cause += f", in row {sheet.rows[each.earlier]}"
        elif each.part == "person" and alike is not None and people[each.number] not in round_.grader_number:
            but, cure = alike.told(people[each.number], cure)
            cause += but
        column = each.part
        if column == "person":
            column = next((name for name in named_by if cells[name][each.number]), named_by[0])
        problems.add(int(sheet.rows[each.number]), column, cause, cure)
    dropped = problems.raise_or_drop(lenient)
    return replace(
        round_,
        overrides=tuple(each for number, each in enumerate(made) if number not in wrong),
        reading_notes=(*round_.reading_notes, *sheet.notes),
        dropped=(*round_.dropped, *dropped),
    )
