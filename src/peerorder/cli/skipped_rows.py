"""Rows that ``--lenient`` skipped, and notes: the work is only partly done then, as the exit code says."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from peerorder.cli import display
from peerorder.cli.parameters import in_options
from peerorder.cli.single_use_options import Group

if TYPE_CHECKING:
    from peerorder.rounds.round import Round

__all__ = ["raise_left_out", "show", "translate_notes"]


def translate_notes(notes: Iterable[str]) -> list[str]:
    """Return notes of the library with options of the current command in place of parameters."""
    return [in_options(note, Group.called) for note in notes]


def show(dropped: Sequence[object], notes: Sequence[str]) -> None:
    """Print the rows that were skipped, and notes about what was read."""
    for problem in dropped:
        display.say(f"Skipped: {problem}")
    for note in translate_notes(notes):
        display.say(f"Note: {note}")


def raise_left_out(dropped: Sequence[object], rankings: "Round | None" = None) -> None:
    """End with exit code 3 and one line if rows were skipped."""
    if not dropped:
        return
    from peerorder.core.errors import PartlyDone

    count = f"{display.count(len(dropped), 'row was', 'rows were')} skipped"
    affected = _summary(rankings)
    raise PartlyDone(
        f"{count}{f': {affected}' if affected else ''}; correct the files and run the command again without --lenient"
    )


def _summary(rankings: Any) -> str:
    """Return the graders who lost a whole ballot or a part of one; empty where nobody did."""
    if rankings is None:
        return ""
    lost = ((rankings.lost, "nothing remains"), (rankings.part, "only a part remains"))
    affected = [
        f"{what} of the rankings by {display.count(len(graders), 'grader')} ({display.some(graders)})"
        for graders, what in lost
        if graders
    ]
    return ", ".join(affected)
