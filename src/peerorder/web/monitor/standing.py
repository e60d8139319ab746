"""How good the order would be: what the library says about the rankings so far, and if everybody finished."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max

from peerorder.core.arrays import IntArray
from peerorder.core.randomness import child
from peerorder.web.monitor.models import Offer
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.models import Ballot, HandOut, Slot
from peerorder.web.rounds.models import Assignment

if TYPE_CHECKING:
    from peerorder.schemes.topping_up import State

__all__ = ["Forecast", "Line", "Plan", "enough", "forecast", "plan"]

# A large class takes a while to look through: of every minute at most a twentieth is spent on it.
SHARE = 20
LISTED = 20


@dataclass(frozen=True)
class Line:
    """One line of the monitor: the state of a round in four numbers."""

    short: int
    """Papers with too few rankings."""
    unranked: int
    """Papers with none."""
    groups: int
    """Groups of papers that no chain of rankings compares."""
    accuracy: float
    """Expected share of pairs in the right order, in percent."""
    amounts_to: float
    """As if everybody had ranked so many."""


@dataclass(frozen=True)
class Forecast:
    """Now, and if all finish."""

    papers: int
    least: int
    now: Line
    finished: Line
    shortest: list[tuple[int, str, int, int]]
    """Papers with the fewest rankings: id, code, rankings now and if all finish."""
    more: int
    """Papers that are short and not listed."""

    @property
    def complete(self) -> bool:
        """Whether nothing is to be gained by waiting."""
        return self.now.accuracy >= self.finished.accuracy


@dataclass(frozen=True)
class Plan:
    """Who could be asked for how many more."""

    asked: list[tuple[int, int]]
    """Member and number of papers."""
    willing: int
    least: int
    before: Line
    after: Line
    short: int
    """Papers that would still have too few."""


def enough(assignment: Assignment) -> int:
    """How many rankings a paper should have at least: half of what was planned, as ``peerorder assign`` has it."""
    return max(2, -(-assignment.papers_each // 2))


def _line(state: "State", least: int) -> Line:
    from peerorder.theory import accuracy_so_far, amounts_to

    accuracy = round(100 * accuracy_so_far(state.comparisons), 1)
    return Line(state.below(least), state.below(1), state.components, accuracy, round(amounts_to(state.comparisons), 1))


def forecast(assignment: Assignment) -> tuple[Forecast | None, bool]:
    """What to expect, None before papers are handed out; and whether that is of now.

    It is kept until something changes, and in large classes for a while longer.
    """
    done = Ballot.objects.filter(assignment=assignment, handed_in_at__isnull=False)
    out = HandOut.objects.filter(assignment=assignment, ready_at__isnull=False)
    withdrawn = Paper.objects.filter(assignment=assignment, withdrawn_at__isnull=False).count()
    signature = (
        tuple(done.aggregate(many=Count("pk"), last=Max("handed_in_at")).values()),
        tuple(out.aggregate(many=Count("pk"), last=Max("ready_at")).values()),
        withdrawn,
    )
    if not signature[1][0]:
        return None, True
    key = f"forecast-{assignment.pk}"
    before, found, until = cache.get(key, (None, None, 0.0))
    if found is None or (before != signature and time.monotonic() > until):
        begin = time.monotonic()
        found = _forecast(assignment)
        end = time.monotonic()
        cache.set(key, (signature, found, end + SHARE * (end - begin)), 3600)
        before = signature
    return found, before == signature


def _forecast(assignment: Assignment) -> Forecast:
    from peerorder.schemes.topping_up import standing
    from peerorder.web.ranking.standing import profile_of, standing_of

    least = enough(assignment)
    there = standing_of(assignment)
    profile = profile_of(assignment, there)
    many = len(there.papers)
    now = standing(np.repeat(np.arange(len(profile)), profile.sizes), profile.papers.astype(np.int64), many)
    finished = standing(*_all_ballots(assignment, there.paper_number), many)
    few = np.flatnonzero(now.rankings < least)
    few = few[np.lexsort((now.rankings[few], finished.rankings[few]))]
    listed = [
        (there.papers[p], there.codes[p], int(now.rankings[p]), int(finished.rankings[p]))
        for p in few[:LISTED].tolist()
    ]
    return Forecast(
        papers=many,
        least=least,
        now=_line(now, least),
        finished=_line(finished, least),
        shortest=listed,
        more=max(0, len(few) - LISTED),
    )


def _all_ballots(assignment: Assignment, numbers: dict[int, int]) -> tuple[IntArray, IntArray]:
    """The ballot and the paper of everything that was asked for; a top-up is a ballot of its own."""
    slots = Slot.objects.filter(assignment=assignment).order_by()
    ballots: dict[tuple[int, int], int] = {}
    rows = []
    for grader, paper, handout, why in slots.values_list("grader", "paper", "handout", "handout__why"):
        which = (grader, handout if why == HandOut.Why.TOP_UP else 0)
        if paper in numbers:
            rows.append((ballots.setdefault(which, len(ballots)), numbers[paper]))
    both = np.array(rows, np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


def plan(assignment: Assignment) -> Plan:
    """Who should be asked for more, of those who are done and were not asked before; by the library."""
    from peerorder.schemes import top_up
    from peerorder.web.ranking.standing import profile_of, standing_of

    least = enough(assignment)
    there = standing_of(assignment)
    asked = set(Offer.objects.filter(assignment=assignment, answered_at__isnull=False).values_list("member", flat=True))
    excused = there.excused | np.array([member in asked for member in there.members], bool)
    rng = child(assignment.seed, "offers", there.handouts)
    found = top_up(profile_of(assignment, there), there.rows, least, rng, excused=excused)
    who, many = np.unique(found.grader, return_counts=True)
    return Plan(
        asked=[(there.members[g], int(x)) for g, x in zip(who.tolist(), many.tolist(), strict=True)],
        willing=found.willing,
        least=least,
        before=_line(found.before, least),
        after=_line(found.after, least),
        short=len(found.short),
    )
