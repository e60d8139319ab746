"""Why a paper stands where it stands, in the terminal: for staff, or without names for the student who asks."""

from dataclasses import asdict, replace
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from peerorder.cli import display

if TYPE_CHECKING:
    from peerorder.reports.instructor import Why

__all__ = ["show", "show_without_names"]

# More papers than this are for the report.
SHOWN = 10


def show(whys: "list[Why]", reported: bool) -> None:
    """A few sentences and a line a ballot, for each paper; many papers only where there is no report of them."""
    if not whys:
        return
    from peerorder.reports.instructor import in_words

    for why in whys[:SHOWN]:
        display.say(f"**{why.paper}.** {' '.join(in_words(why))}")
        if why.votes:
            _show_ballots(why)
    if len(whys) > SHOWN:
        where = "all are in the report" if reported else "--report FILE explains all"
        display.say(f"These are {SHOWN} of {len(whys)} papers; {where}.")


def show_without_names(whys: "list[Why]", as_json: bool) -> None:
    """The same with letters for graders, and nothing else: other papers and what is noted about files name people."""
    letters = [_without_names(why) for why in whys]
    if as_json:
        display.show_json({"explained": [_anonymous_record(why) for why in letters]})
    else:
        show(letters, reported=False)


def _without_names(why: "Why") -> "Why":
    """Call graders A, B and so on, anew for every paper, so that two answers cannot be put together."""
    of_a_team = why.authors > 1
    before = ", before points are taken off authors who did not rank all of their papers"
    return replace(
        why,
        votes=tuple(replace(vote, grader=_letters(at), name="") for at, vote in enumerate(why.votes)),
        own=tuple((_letters(len(why.votes) + at), gain) for at, (_, gain) in enumerate(why.own)),
        # What was taken off a team-mate's mark is nobody else's business.
        penalised=() if of_a_team else tuple(("Its author", mark, off) for _, mark, off in why.penalised),
        mark_source=why.mark_source + (before if of_a_team and why.penalised else ""),
    )


def _letters(at: int) -> str:
    """A to Z, then AA, AB and so on."""
    before, last = divmod(at, len(ascii_uppercase))
    return (_letters(before - 1) if before else "") + ascii_uppercase[last]


def _anonymous_record(why: "Why") -> dict[str, Any]:
    """What machines get; the other papers on a ballot, and who is staff, would tell who graders are."""
    record = asdict(why)
    for vote in record["votes"]:
        vote["tied"] = bool(vote["equal"])
        for name in ("name", "staff", "better", "equal", "worse"):
            del vote[name]
    return record


def _show_ballots(why: "Why") -> None:
    from peerorder.reports.instructor.text import moved, ordinal

    display.show_table(
        ("grader", "put it", "the order says", "moved it", "place without", "reliability", "flag"),
        [
            (
                vote.grader,
                f"{ordinal(vote.rank)} of {vote.of}{', tied' if vote.equal else ''}",
                ordinal(vote.expected),
                None if vote.gain is None else moved(vote.gain),
                vote.without,
                None if vote.reliability is None else f"{vote.reliability:.2f}",
                vote.flag or None,
            )
            for vote in why.votes
        ],
    )
