"""What ``--lenient`` left out, summed up: the work is partly done then, and the exit code says so."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from peerorder.cli import display

if TYPE_CHECKING:
    from peerorder.rounds.round import Round

__all__ = ["raise_left_out", "summary"]


def raise_left_out(dropped: Sequence[object], rankings: "Round | None" = None) -> None:
    """End with exit code 3 and one line, where rows were left out."""
    if not dropped:
        return
    from peerorder.core.errors import PartlyDone

    count = f"{len(dropped):,} {'thing was' if len(dropped) == 1 else 'things were'} wrong and left out"
    said = summary(rankings)
    raise PartlyDone(f"{count}{f': {said}' if said else ''}; correct the files and leave --lenient away for all")


def summary(rankings: Any) -> str:
    """Who lost a whole ballot by that, and who a part of one; nothing where nobody did."""
    if rankings is None:
        return ""
    whole = f"{display.count(len(rankings.lost), 'grader')} lost everything they said ({display.some(rankings.lost)})"
    a_part = (
        f"{display.count(len(rankings.part), 'grader')} lost a part of what they said ({display.some(rankings.part)})"
    )
    return ", ".join([*([whole] if rankings.lost else []), *([a_part] if rankings.part else [])])
