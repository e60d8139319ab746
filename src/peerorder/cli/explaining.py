"""Why a paper stands where it stands, in the terminal."""

from typing import TYPE_CHECKING

from peerorder.cli import display

if TYPE_CHECKING:
    from peerorder.reports.instructor import Why

__all__ = ["show"]

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


def _show_ballots(why: "Why") -> None:
    from peerorder.reports.instructor.words import moved, ordinal

    reliable = why.votes[0].reliability is not None
    gains = any(vote.gain is not None for vote in why.votes)
    again = any(vote.without is not None for vote in why.votes)
    display.show_table(
        (
            *("grader", "put it", "the order says"),
            *(["moved it"] if gains else []),
            *(["place without"] if again else []),
            *(["reliability"] if reliable else []),
            *(["flag"] if any(vote.flag for vote in why.votes) else []),
        ),
        [
            (
                vote.grader,
                f"{ordinal(vote.rank)} of {vote.of}{', tied' if vote.equal else ''}",
                ordinal(vote.expected),
                *(["" if vote.gain is None else moved(vote.gain)] if gains else []),
                *(["" if vote.without is None else vote.without] if again else []),
                *([f"{vote.reliability:.2f}"] if reliable else []),
                *([vote.flag] if any(each.flag for each in why.votes) else []),
            )
            for vote in why.votes
        ],
    )
