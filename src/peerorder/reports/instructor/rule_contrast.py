"""Where Borda and the rule of this round differ, and why."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.outcome import Outcome
from peerorder.core.randomness import child
from peerorder.core.recovery import pairwise_accuracy
from peerorder.core.translation import gettext as _
from peerorder.reports.instructor.text import moved
from peerorder.reports.labels import rule_name
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import UNKNOWN, table
from peerorder.rounds.grading import GradedRound
from peerorder.rules import RULES

__all__ = ["Contrast", "contrasted", "section", "title"]

ROWS = 12
# Borda takes no time. Where Borda itself is the rule of the round, the other one takes some.
MOST = 10_000


@dataclass(frozen=True, eq=False)
class Contrast:
    """Another rule's order of the same rankings."""

    other: Outcome
    agreement: float
    """The share of all pairs of papers that both put in the same order."""
    papers: IntArray
    """Those whose places differ most, the largest difference first."""
    company: tuple[float, ...]
    """For each of these the mean place of the papers it was compared with."""
    doubted: tuple[str, ...] | None
    """For each, the number of its ballots by unreliable graders; None where the rule does not estimate this."""


def contrasted(graded: GradedRound, doubtful: IntArray | None) -> Contrast | None:
    """Merge the same ballots by Borda, or by the default rule where Borda is the rule; None where that takes long.

    ``doubtful`` are the graders who err much, where the rule of the round knows them.
    """
    outcome, profile = graded.outcome, graded.outcome.profile
    if profile.n_papers < 2:
        return None
    if outcome.rule != "borda":
        name = "borda"
    elif len(profile.papers) <= MOST:
        name = next(iter(RULES))
    else:
        return None
    other = RULES[name].aggregate(profile, child(graded.settings.seed, "grade"))
    apart = np.abs(other.ranks - outcome.ranks)
    papers = np.argsort(-apart, kind="stable")[:ROWS]
    papers = papers[apart[papers] > 0]
    ballots = [_ballots(graded, paper) for paper in papers.tolist()]
    company = tuple(_company(graded, *each) for each in zip(papers.tolist(), ballots, strict=True))
    doubted = None
    if doubtful is not None:
        by = [graded.round.profile.grader[each] for each in ballots]
        text = _("{count:,} of {total:,}")
        doubted = tuple(text.format(count=int(np.isin(each, doubtful).sum()), total=len(each)) for each in by)
    return Contrast(other, pairwise_accuracy(outcome.places, other.places), papers, company, doubted)


def _ballots(graded: GradedRound, paper: int) -> IntArray:
    profile = graded.round.profile
    return np.searchsorted(profile.start, np.flatnonzero(profile.papers == paper), side="right") - 1


def _company(graded: GradedRound, paper: int, ballots: IntArray) -> float:
    """Return the mean place, from 1, of the papers on the same ballots."""
    profile, places = graded.round.profile, graded.outcome.places
    met = np.concatenate([[], *(profile[ballot] for ballot in ballots.tolist())]).astype(np.int64)
    met = met[met != paper]
    return float(places[met].mean()) + 1 if len(met) else float("nan")


def title(graded: GradedRound, result: Contrast | None) -> str:
    """Return a title with both rules."""
    if result is None:
        return ""
    text = _("{rule} and {other} compared")
    return text.format(rule=rule_name(graded.outcome.rule), other=rule_name(result.other.rule))


def section(
    graded: GradedRound, result: Contrast | None, called: Callable[[int], Markup] | None = None
) -> Markup | None:
    """Return how much they agree in words, then the papers on which they do not.

    ``called`` returns the name of a paper, by its number; without it, its id is used.
    """
    if result is None:
        return None
    own, other = rule_name(graded.outcome.rule), rule_name(result.other.rule)
    lead = _(
        "Borda counts how many comparisons a paper won and treats all graders and all rivals equally. {rule} also "
        "takes "
        "into account who was beaten and by whose ballot. The two orders agree on {share:.1%} of all pairs of papers."
    ).format(rule=own if own != "Borda" else other, share=result.agreement)
    if not len(result.papers):
        return element("p", lead, " ", _("Every paper has the same place."))
    rows = [
        (
            called(paper) if called is not None else graded.round.papers[paper],
            f"{graded.outcome.ranks[paper]:,}",
            f"{result.other.ranks[paper]:,}",
            moved(float(result.other.ranks[paper] - graded.outcome.ranks[paper])),
            UNKNOWN if company != company else f"{company:,.0f}",
            None if result.doubted is None else result.doubted[index],
        )
        for index, (paper, company) in enumerate(zip(result.papers.tolist(), result.company, strict=True))
    ]
    middle = (graded.round.profile.n_papers + 1) / 2
    how = _(
        "Two things make a difference. A paper that met strong rivals wins less often than it deserves, one that met "
        "weak rivals more often; the middle of all places is {middle:,.0f}. And Borda counts rankings by graders "
        "who err "
        "much, or rank upside down, like all others."
    ).format(middle=middle)
    columns = (
        _("Paper"),
        _("Place by {rule}").format(rule=own),
        _("Place by {rule}").format(rule=other),
        _("{rule} moves it").format(rule=own),
        _("Mean place of its rivals"),
        _("Rankings by flagged or unreliable graders"),
    )
    return joined(
        element("p", lead),
        element("p", how),
        table(
            _("Papers whose places differ most between {rule} and {other}.").format(rule=own, other=other),
            columns,
            rows,
            numbers=(1, 2, 3, 4, 5),
        ),
    )
