"""How good the order would be: what the library says about the rankings so far, and if everybody finished."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Max

from peerorder.core.arrays import IntArray
from peerorder.core.randomness import child
from peerorder.web.assignments.models import Assignment
from peerorder.web.monitor.models import Offer
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.handouts import MOST_MORE, joining as work_out_joining
from peerorder.web.ranking.models import Ballot, Handout, Slot
from peerorder.web.ranking.queries import finished
from peerorder.web.ranking.round_snapshot import load_profile, load_snapshot

if TYPE_CHECKING:
    from peerorder.schemes.top_up import State


# A large class takes a while to look through: of every minute at most a twentieth is spent on it.
SHARE = 20
LISTED = 20


@dataclass(frozen=True)
class Line:
    """One line of the monitor: the state of a round in numbers."""

    short: int
    """Papers with too few rankings."""
    unranked: int
    """Papers with none."""
    groups: int
    """Groups of papers that no chain of rankings compares."""
    accuracy: float
    """Expected share of pairs in the right order, in percent."""
    rankings: int
    """How many judgements count: each is one paper on one ballot that compares it with another."""


@dataclass(frozen=True)
class Forecast:
    """Now, and if all finish."""

    papers: int
    least: int
    now: Line
    finished: Line
    shortest: list[tuple[int, int, int]]
    """Papers with the fewest rankings: id, rankings now and if all finish."""
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


@dataclass(frozen=True)
class Joining:
    """What happens when late papers join."""

    papers: int
    """Papers that nobody had before."""
    late: list[tuple[int, int]]
    """Members who had nothing to rank, and how many papers they get."""
    others: list[tuple[int, int]]
    """The same of those who had papers before."""
    again: int
    """How many of these are done, and would not be any more."""


def enough(assignment: Assignment) -> int:
    """How many rankings a paper should have at least: half of what was planned, as ``peerorder assign`` has it."""
    return max(2, -(-assignment.papers_each // 2))


def _line(state: "State", least: int) -> Line:
    from peerorder.studies.live_forecast import expected_so_far

    accuracy = round(100 * expected_so_far(state.comparisons), 1)
    return Line(state.below(least), state.below(1), state.components, accuracy, int(state.rankings.sum()))


def forecast(assignment: Assignment) -> tuple[Forecast | None, bool]:
    """What to expect, None before papers are handed out; and whether that is of now.

    It is kept until something changes, and in large classes for a while longer.
    """
    done = Ballot.objects.filter(assignment=assignment, submission__isnull=False)
    out = Handout.objects.filter(assignment=assignment, ready_at__isnull=False)
    # A late paper counts from when it is handed in, though nobody has it yet.
    papers = Paper.objects.filter(assignment=assignment, current__isnull=False, withdrawn_at=None)
    signature = (
        tuple(done.aggregate(many=Count("pk"), last=Max("submission")).values()),
        tuple(out.aggregate(many=Count("pk"), last=Max("ready_at")).values()),
        tuple(papers.aggregate(many=Count("pk"), last=Max("current")).values()),
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
    from peerorder.schemes.top_up import standing

    least = enough(assignment)
    there = load_snapshot(assignment)
    profile = load_profile(assignment, there)
    said, many = profile.some(profile.telling), len(there.papers)
    now = standing(np.repeat(np.arange(len(said)), said.sizes), said.papers.astype(np.int64), many)
    finished = standing(*_all_ballots(assignment, there.paper_number), many)
    few = np.flatnonzero(now.rankings < least)
    few = few[np.lexsort((now.rankings[few], finished.rankings[few]))]
    listed = [(there.papers[p], int(now.rankings[p]), int(finished.rankings[p])) for p in few[:LISTED].tolist()]
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
        which = (grader, handout if why == Handout.Why.TOP_UP else 0)
        if paper in numbers:
            rows.append((ballots.setdefault(which, len(ballots)), numbers[paper]))
    both = np.array(rows, np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


def plan(assignment: Assignment) -> Plan:
    """Who should be asked for more, of those who are done now and were not asked before; by the library."""
    from peerorder.schemes import top_up

    least = enough(assignment)
    there = load_snapshot(assignment)
    asked = set(Offer.objects.filter(assignment=assignment, answered_at__isnull=False).values_list("member", flat=True))
    done = set(finished(Ballot.objects.filter(assignment=assignment)).values_list("grader", flat=True)) - asked
    excused = there.excused | np.array([member not in done for member in there.members], bool)
    rng = child(assignment.seed, "offers", there.handouts)
    found = top_up(load_profile(assignment, there), there.rows, least, rng, excused=excused, most=MOST_MORE)
    who, many = np.unique(found.grader, return_counts=True)
    return Plan(
        asked=[(there.members[g], int(x)) for g, x in zip(who.tolist(), many.tolist(), strict=True)],
        willing=found.willing,
        least=least,
        before=_line(found.before, least),
        after=_line(found.after, least),
        short=len(found.short),
    )


def joining(assignment: Assignment) -> Joining:
    """Who would get how many papers if late ones joined now; by the library."""
    there = load_snapshot(assignment)
    found = work_out_joining(assignment, there).found
    who, many = np.unique(found.grader, return_counts=True)
    gets = {there.members[g]: int(x) for g, x in zip(who.tolist(), many.tolist(), strict=True)}
    new = {there.members[g] for g in found.joined.tolist()}
    done = set(finished(Ballot.objects.filter(assignment=assignment)).values_list("grader", flat=True))
    return Joining(
        papers=len(found.late),
        late=[(member, x) for member, x in gets.items() if member in new],
        others=[(member, x) for member, x in gets.items() if member not in new],
        again=len(done & (gets.keys() - new)),
    )
