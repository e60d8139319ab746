"""Why papers stand where they stand, as a part of the page that opens a paper at a time."""

from collections.abc import Sequence

from peerorder.reports.instructor.why import Vote, Why
from peerorder.reports.instructor.words import count, from_to, moved, ordinal, table
from peerorder.reports.markup import Markup, element, joined

__all__ = ["anchor", "in_words", "section"]

# So many are open from the beginning.
OPEN = 3
# So many neighbours on a ballot are named on each side.
BESIDE = 6


def anchor(at: int) -> str:
    """Where the explanation of paper number ``at`` stands in the page."""
    return f"why-{at}"


def in_words(why: Why) -> list[str]:
    """What can be said in sentences, for the page and for the terminal."""
    said = [f"Place {why.place:,} of {why.of:,}."]
    if why.interval is not None:
        said.append(f"In nine cases of ten its true place is {_between(*why.interval)}.")
    if not why.votes:
        said.append("Nobody ranked it, so nothing is known about it and its place is a guess.")
        return said
    said.append(
        f"{count(len(why.votes), 'ballot ranks', 'ballots rank')} it; it won {why.won:g} of "
        f"{count(why.compared, 'comparison')} with other papers."
    )
    for grader, gain in why.own:
        how = moved(gain)
        did = "hardly moved it" if how == "hardly" else f"moved it {how} places"
        said.append(f"The ballot of its own author {grader} {did}.")
    return said


def section(whys: Sequence[tuple[int, Why]]) -> Markup | None:
    """A part that opens for every paper, with its ballots."""
    if not whys:
        return None
    lead = (
        "For each paper: who ranked it, where they put it among the papers they had, where the order of all puts it "
        "among the same papers, and how far their ballot moved it. A ballot that moved it up 2.0 places means: without "
        "that ballot the paper would stand about two places lower."
    )
    parts = [
        element(
            "details",
            element("summary", element("strong", why.paper), f" \N{EN DASH} place {why.place:,} of {why.of:,}"),
            element("p", " ".join(in_words(why))),
            _ballots(why) if why.votes else None,
            id=anchor(at),
            open="" if len(whys) <= OPEN else None,
            class_="why",
        )
        for at, why in whys
    ]
    return joined(element("p", lead), *(element("p", text) for text in _caveats([why for _, why in whys])), *parts)


def _caveats(whys: Sequence[Why]) -> list[str]:
    voted = [why for why in whys if why.votes]
    if not voted:
        return []
    if voted[0].sampled:
        return [
            "How far a ballot moved a paper is an estimate from the rule's own samples; less than a place or so is no "
            "more than chance."
        ]
    if any(vote.gain is not None for why in voted for vote in why.votes):
        return [
            "How far a ballot moved a paper was found by merging everything again without it. Equal scores are put in "
            "random order, so a place or two may be chance."
        ]
    return ["What each ballot did was not worked out: merging so many rankings again without each takes too long."]


def _ballots(why: Why) -> Markup:
    reliable = why.votes[0].reliability is not None
    gains = any(vote.gain is not None for vote in why.votes)
    columns = ["Grader", *(["Moved it"] if gains else []), "Put it", "The order says"]
    columns += [*(["Reliability"] if reliable else []), "Above it on the ballot", "Below it"]
    rows = [
        [
            _called(vote),
            *([moved(vote.gain) if vote.gain is not None else "\N{EN DASH}"] if gains else []),
            f"{ordinal(vote.rank)} of {vote.of:,}{' (tied)' if vote.equal else ''}",
            ordinal(vote.expected),
            *([f"{vote.reliability:.0%}"] if reliable else []),
            _names(vote.better, last=True),
            _names((*vote.equal, *vote.worse)),
        ]
        for vote in why.votes
    ]
    numbers = [at for at, name in enumerate(columns) if name in ("Moved it", "Put it", "The order says", "Reliability")]
    return table(
        f"The ballots that rank {why.paper}, those that moved it up most first.", columns, rows, numbers=numbers
    )


def _called(vote: Vote) -> str:
    extra = [word for word in ("staff" if vote.staff else "", vote.flag) if word]
    return f"{vote.grader} ({', '.join(extra)})" if extra else vote.grader


def _names(names: Sequence[str], last: bool = False) -> str:
    """The neighbours; of many, those next to the paper."""
    if not names:
        return "\N{EN DASH}"
    shown = names[-BESIDE:] if last else names[:BESIDE]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _between(low: int, high: int) -> str:
    return f"from {from_to(low, high)}" if low != high else f"{low:,}"
