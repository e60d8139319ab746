"""Explanations of places, as a part of the page that opens one paper at a time."""

import math
from collections.abc import Callable, Sequence

from peerorder.core.text import shortlist
from peerorder.core.translation import gettext as _, ngettext, translate
from peerorder.reports.instructor.text import HARDLY, moved, ordinal
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
    said = [*_about_mark(why), _place(why)]
    if why.interval is not None:
        low, high = why.interval
        text = _("The 90% interval for its place is {low:,}.") if low == high else _interval()
        said.append(text.format(low=low, high=high))
    if not why.votes:
        said.append(_("Nobody ranked it, so nothing is known about it and its place is a guess."))
        return said
    included = ngettext("{count:,} ranking includes it.", "{count:,} rankings include it.", len(why.votes))
    won = ngettext(
        "It won {won:g} of {count:,} comparison with other papers.",
        "It won {won:g} of {count:,} comparisons with other papers.",
        why.compared,
    )
    said += [included.format(count=len(why.votes)), won.format(won=why.won, count=why.compared)]
    said += [_own(grader, gain) for grader, gain in why.own]
    if any(vote.gain is not None for vote in why.votes):
        said.append(_certain(why))
    return said


def _interval() -> str:
    return _("The 90% interval for its place is from {low:,} to {high:,}.")


def _own(grader: str, gain: float) -> str:
    """Say what the ranking by an author of the paper did to it."""
    if not gain:
        text = _("The ranking by its author {grader} did not move it.")
    elif abs(gain) < HARDLY:
        text = _("The ranking by its author {grader} hardly moved it.")
    else:
        text = _("The ranking by its author {grader} moved it {how}.")
    return text.format(grader=grader, how=moved(gain))


def _about_mark(why: Explanation) -> list[str]:
    if why.mark is None:
        return []
    if not why.mark:
        return [_("No mark, because {reason}.").format(reason=why.mark_source)]
    if why.mark_range is None:
        first = _("Mark {mark}, {source}.").format(mark=why.mark, source=why.mark_source)
    else:
        low, high = why.mark_range
        first = _("Mark {mark} ({low} to {high}), {source}.").format(
            mark=why.mark, low=low, high=high, source=why.mark_source
        )
    text = _("{student} gets {mark}: {points} points were taken off for papers that were not ranked.")
    return [first, *(text.format(student=student, mark=mark, points=off) for student, mark, off in why.penalised)]


def _place(why: Explanation) -> str:
    others = why.shared_by - 1
    if others < 1:
        return _("Place {place:,} of {total:,}.").format(place=why.place, total=why.of)
    return ngettext(
        "Place {place:,} of {total:,}, shared with {count:,} other paper.",
        "Place {place:,} of {total:,}, shared with {count:,} other papers.",
        others,
    ).format(place=why.place, total=why.of, count=others)


def _certain(why: Explanation) -> str:
    """Say how reliable the effects of single ballots are."""
    if why.estimated:
        return _(
            "The effect of each ranking is a rough estimate: computing the order again without each takes too long."
        )
    least = math.ceil(why.chance)
    if not least:
        return _("The order was computed again without each of these rankings.")
    return ngettext(
        "The order was computed again without each of these rankings. "
        "Differences of up to {count:,} place may be due to chance.",
        "The order was computed again without each of these rankings. "
        "Differences of up to {count:,} places may be due to chance.",
        least,
    ).format(count=least)


def section(
    whys: Sequence[tuple[int, Explanation]], act: Callable[[str], Markup | None] | None = None
) -> Markup | None:
    """Return a part that opens for every paper, with its ballots; ``act`` returns actions on a grader, by the id."""
    if not whys:
        return None
    lead = _(
        "For each grader of a paper: the rank that they gave it among the papers they had, its rank among the same "
        "papers "
        "in the order of all, and what their ranking did to its place. Up 2 means that without this ranking the paper "
        "would be two places lower."
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
    if not why.mark:
        return _("place {place:,} of {total:,}").format(place=why.place, total=why.of)
    return _("mark {mark}, place {place:,} of {total:,}").format(mark=why.mark, place=why.place, total=why.of)


def _ballots(why: Explanation, act: Callable[[str], Markup | None] | None) -> Markup:
    columns = (
        _("Grader"),
        _("Their rank"),
        _("Rank in the order"),
        _("Moved it"),
        _("Place without"),
        _("Reliability"),
        _("Above it"),
        _("Below it"),
    )
    rows = [
        (
            joined(_called(vote), act and act(vote.grader)),
            _rank(vote),
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
    if any(vote.gain is not None for vote in why.votes):
        title = _("Rankings that include {paper}, those that moved it up most first.")
    else:
        title = _("Rankings that include {paper}.")
    return table(title.format(paper=why.paper), columns, rows, numbers=range(1, 6))


def _rank(vote: Vote) -> str:
    text = _("{rank} of {total:,} (tied)") if vote.equal else _("{rank} of {total:,}")
    return text.format(rank=ordinal(vote.rank), total=vote.of)


def _called(vote: Vote) -> Markup:
    extra = [word for word in (vote.name, _("staff") if vote.staff else "", translate(vote.flag)) if word]
    return joined(vote.grader, below(", ".join(extra)))


def _names(names: Sequence[str]) -> str:
    return shortlist(names, BESIDE) or UNKNOWN
