"""What ``--lenient`` left out, summed up: the work is partly done then, and the exit code says so."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from peerorder.cli import display

if TYPE_CHECKING:
    from peerorder.rounds.round import Round

__all__ = ["raise_left_out", "show"]


def show(dropped: Sequence[object], notes: Sequence[str]) -> None:
    """Say what was left out, and what else is to know about what was read."""
    for problem in dropped:
        display.say(f"Left out: {problem}")
    for note in notes:
        display.say(f"Note: {note}")


def raise_left_out(dropped: Sequence[object], rankings: "Round | None" = None) -> None:
    """End with exit code 3 and one line, where rows were left out."""
    if not dropped:
        return
    from peerorder.core.errors import PartlyDone

    count = f"{len(dropped):,} {'thing was' if len(dropped) == 1 else 'things were'} wrong and left out"
    said = _summary(rankings)
    raise PartlyDone(f"{count}{f': {said}' if said else ''}; correct the files and leave --lenient away for all")


def _summary(rankings: Any) -> str:
    """Who lost a whole ballot by that, and who a part of one; nothing where nobody did."""
    if rankings is None:
        return ""
    lost = ((rankings.lost, "everything"), (rankings.part, "a part of what"))
    said = [
        f"{display.count(len(who), 'grader')} lost {what} they said ({display.some(who)})" for who, what in lost if who
    ]
    return ", ".join(said)
