"""Explanation of a paper's place in the terminal: for staff, or without names for the student who asks."""

from dataclasses import asdict, replace
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from peerorder.cli import display
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from peerorder.reports.instructor import Explanation

__all__ = ["show", "show_without_names"]

# More papers than this are for the report.
SHOWN = 10


def show(whys: "list[Explanation]", reported: bool) -> None:
    """Show a few sentences and one line per ballot, for each paper; the rest of many papers is in the report."""
    if not whys:
        return
    from peerorder.reports.instructor import in_words

    for why in whys[:SHOWN]:
        display.say(f"**{why.paper}.** {' '.join(in_words(why))}")
        if why.votes:
            _show_ballots(why)
    if len(whys) > SHOWN:
        text = _("These are {shown} of {papers} papers; --report FILE explains all.")
        if reported:
            text = _("These are {shown} of {papers} papers; all are in the report.")
        display.say(text.format(shown=SHOWN, papers=len(whys)))


def show_without_names(whys: "list[Explanation]", as_json: bool) -> None:
    """Show the same with labels for graders, and nothing else: other papers and notes about files name people."""
    letters = [_without_names(why) for why in whys]
    if as_json:
        display.show_json({"explained": [_anonymous_record(why) for why in letters]})
    else:
        show(letters, reported=False)


def _without_names(why: "Explanation") -> "Explanation":
    """Label graders A, B and so on, separately for every paper, so that two answers cannot be combined."""
    of_a_team = why.authors > 1
    before = _(", before points are taken off authors who did not rank all of their papers")
    return replace(
        why,
        votes=tuple(replace(vote, grader=_letters(index), name="") for index, vote in enumerate(why.votes)),
        own=tuple((_letters(len(why.votes) + index), gain) for index, (_grader, gain) in enumerate(why.own)),
        # Points off a team-mate's mark are private.
        penalised=() if of_a_team else tuple((_("Its author"), mark, off) for _name, mark, off in why.penalised),
        mark_source=why.mark_source + (before if of_a_team and why.penalised else ""),
    )


def _letters(index: int) -> str:
    """Return A to Z, then AA, AB and so on."""
    before, last = divmod(index, len(ascii_uppercase))
    return (_letters(before - 1) if before else "") + ascii_uppercase[last]


def _anonymous_record(why: "Explanation") -> dict[str, Any]:
    """Return the JSON record without other papers on a ballot and staff, which would identify graders."""
    record = asdict(why)
    for vote in record["votes"]:
        vote["tied"] = bool(vote["equal"])
        for name in ("name", "staff", "better", "equal", "worse"):
            del vote[name]
    return record


def _show_ballots(why: "Explanation") -> None:
    from peerorder.reports.instructor.text import moved, ordinal

    display.show_table(
        (
            *(_("grader"), _("put it"), _("the order says"), _("moved it")),
            *(_("place without"), _("reliability"), _("flag")),
        ),
        [
            (
                vote.grader,
                (_("{rank} of {papers}, tied") if vote.equal else _("{rank} of {papers}")).format(
                    rank=ordinal(vote.rank), papers=vote.of
                ),
                ordinal(vote.expected),
                None if vote.gain is None else moved(vote.gain),
                vote.without,
                None if vote.reliability is None else f"{vote.reliability:.2f}",
                vote.flag or None,
            )
            for vote in why.votes
        ],
    )
