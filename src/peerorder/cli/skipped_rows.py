"""Rows that ``--lenient`` skipped, and notes: the work is only partly done then, as the exit code says."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from peerorder.cli import display
from peerorder.cli.parameters import in_options
from peerorder.cli.single_use_options import Group
from peerorder.core.translation import gettext as _, ngettext

if TYPE_CHECKING:
    from peerorder.rounds.round import Round

__all__ = ["raise_left_out", "show", "translate_notes"]


def translate_notes(notes: Iterable[str]) -> list[str]:
    """Return notes of the library with options of the current command in place of parameters."""
    return [in_options(note, Group.called) for note in notes]


def show(dropped: Sequence[object], notes: Sequence[str]) -> None:
    """Print the rows that were skipped, and notes about what was read."""
    for problem in dropped:
        display.say(_("Skipped: {problem}").format(problem=problem))
    for note in translate_notes(notes):
        display.say(_("Note: {note}").format(note=note))


def raise_left_out(dropped: Sequence[object], rankings: "Round | None" = None) -> None:
    """End with exit code 3 and one line if rows were skipped."""
    if not dropped:
        return
    from peerorder.core.errors import PartlyDone

    count = ngettext("{count:,} row was skipped", "{count:,} rows were skipped", len(dropped)).format(
        count=len(dropped)
    )
    affected = "".join(f": {each}" if not index else f", {each}" for index, each in enumerate(_losses(rankings)))
    raise PartlyDone(
        _("{skipped}; correct the files and run the command again without --lenient").format(
            skipped=count.format(count=len(dropped)) + affected
        )
    )


def _losses(rankings: Any) -> list[str]:
    """Return the graders who lost a whole ballot, and those who lost a part of one; empty where nobody did."""
    if rankings is None:
        return []
    nothing, part = len(rankings.lost), len(rankings.part)
    losses = (
        (
            rankings.lost,
            ngettext(
                "nothing remains of the rankings by {count:,} grader ({graders})",
                "nothing remains of the rankings by {count:,} graders ({graders})",
                nothing,
            ),
        ),
        (
            rankings.part,
            ngettext(
                "only a part remains of the rankings by {count:,} grader ({graders})",
                "only a part remains of the rankings by {count:,} graders ({graders})",
                part,
            ),
        ),
    )
    return [text.format(count=len(graders), graders=display.some(graders)) for graders, text in losses if graders]
