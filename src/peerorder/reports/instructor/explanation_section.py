"""Explanations of places, as a part of the page that opens one paper at a time."""

import math
from collections.abc import Callable, Sequence

from peerorder.core.text import shortlist
from peerorder.reports.instructor.text import NO_CHANGE, count, from_to, moved, ordinal
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import UNKNOWN, below, table
from peerorder.rounds.explanation import Explanation, Vote

__all__ = ["anchor", "in_words", "section"]

# How many are open from the beginning.
OPEN = 3
# How many neighbours on a ballot are named on each side.
BESIDE = 6


def anchor(index: int) -> str:
    """Return the id of the explanation of a paper in the page."""
    return f"why-{index}"


def in_words(why: Explanation) -> list[str]:
    """Explain a place in sentences, for the page and for the terminal: the mark first."""
    said = [*_about_mark(why), f"Place {why.place:,} of {why.of:,}{_shared(why)}."]
    if why.interval is not None:
        said.append(f"The 90% interval for its place is {_between(*why.interval)}.")
    if not why.votes:
        said.append("Nobody ranked it, so nothing is known about it and its place is a guess.")
        return said
    said.append(
        f"{count(len(why.votes), 'ranking includes', 'rankings include')} it; it won {why.won:g} of "
        f"{count(why.compared, 'comparison')} with other papers."
    )
    for grader, gain in why.own:
        how = moved(gain)
        did = {NO_CHANGE: "did not move it", "hardly": "hardly moved it"}.get(how, f"moved it {how}")
        said.append(f"The ranking by its author {grader} {did}.")
    if any(vote.gain is not None for vote in why.votes):
        said.append(_certain(why))
    return said


def _about_mark(why: Explanation) -> list[str]:
    if why.mark is None:
        return []
    if not why.mark:
        return [f"No mark, because {why.mark_source}."]
    ends = f" ({' to '.join(why.mark_range)})" if why.mark_range is not None else ""
    return [
        f"Mark {why.mark}{ends}, {why.mark_source}.",
        *(
            f"{student} gets {mark}: {off} points were taken off for papers that were not ranked."
            for student, mark, off in why.penalised
        ),
    ]


def _shared(why: Explanation) -> str:
    return f", shared with {count(why.shared_by - 1, 'other paper')}" if why.shared_by > 1 else ""


def _certain(why: Explanation) -> str:
    """Say how reliable the effects of single ballots are."""
    if why.estimated:
        return "The effect of each ranking is a rough estimate: computing the order again without each takes too long."
    text = "The order was computed again without each of these rankings."
    least = math.ceil(why.chance)
    return text if not least else f"{text} Differences of up to {count(least, 'place')} may be due to chance."


def section(
    whys: Sequence[tuple[int, Explanation]], act: Callable[[str], Markup | None] | None = None
) -> Markup | None:
    """Return a part that opens for every paper, with its ballots; ``act`` returns actions on a grader, by the id."""
    if not whys:
        return None
    lead = (
        f"{'The graders of this paper' if len(whys) == 1 else 'The graders of each paper'}: the rank that they gave it "
        "among the papers they had, its rank among the same papers by the order of all, and what their ranking did "
        "to its place. Up 2 means that without this ranking the paper would be two places lower."
    )
    parts = [
        element(
            "details",
            element("summary", element("strong", why.paper), f" \N{EN DASH} {_headline(why)}"),
            element("p", " ".join(in_words(why))),
            _ballots(why, act) if why.votes else None,
            id=anchor(index),
            open="" if len(whys) <= OPEN else None,
            class_="why",
        )
        for index, why in whys
    ]
    return joined(element("p", lead), *parts)


def _headline(why: Explanation) -> str:
    place = f"place {why.place:,} of {why.of:,}"
    return f"mark {why.mark}, {place}" if why.mark else place


def _ballots(why: Explanation, act: Callable[[str], Markup | None] | None) -> Markup:
    columns = ("Grader", "Their rank", "Rank by the order", "Moved it", "Place without", "Reliability")
    rows = [
        (
            joined(_called(vote), act and act(vote.grader)),
            f"{ordinal(vote.rank)} of {vote.of:,}{' (tied)' if vote.equal else ''}",
            ordinal(vote.expected),
            None if vote.gain is None else moved(vote.gain),
            None if vote.without is None else f"{vote.without:,}",
            None if vote.reliability is None else f"{vote.reliability:.0%}",
            # Of many, those next to the paper.
            _names((*vote.better[-BESIDE:], *vote.better[:-BESIDE])),
            _names((*vote.equal, *vote.worse)),
        )
        for vote in why.votes
    ]
    first = ", those that moved it up most first" if any(vote.gain is not None for vote in why.votes) else ""
    title = f"Rankings that include {why.paper}{first}."
    return table(title, (*columns, "Above it", "Below it"), rows, numbers=range(1, len(columns)))


def _called(vote: Vote) -> Markup:
    extra = [word for word in (vote.name, "staff" if vote.staff else "", vote.flag) if word]
    return joined(vote.grader, below(", ".join(extra)))


def _names(names: Sequence[str]) -> str:
    return shortlist(names, BESIDE) or UNKNOWN


def _between(low: int, high: int) -> str:
    return f"from {from_to(low, high)}" if low != high else f"{low:,}"
