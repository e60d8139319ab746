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
from peerorder.web.assignments.queries import students_of
from peerorder.web.courses.models import Member
from peerorder.web.monitor.models import Offer
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.handouts import MOST_MORE, joining as work_out_joining
from peerorder.web.ranking.models import Ballot, Handout, Slot
from peerorder.web.ranking.queries import finished
from peerorder.web.ranking.round_snapshot import load_judgements, load_profile, load_snapshot

if TYPE_CHECKING:
    from peerorder.schemes.top_up import Coverage


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
    mute: list[int]
    """Members who handed in without putting a paper above another: they are done, and their rankings say nothing."""
    gone: int
    """Rankings of papers that cannot come any more, because who was asked for them was removed."""

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


def _line(state: "Coverage", least: int) -> Line:
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
    removed = Member.objects.filter(course=assignment.course_id, removed_at__isnull=False)
    signature = (
        tuple(done.aggregate(many=Count("pk"), last=Max("submission")).values()),
        tuple(out.aggregate(many=Count("pk"), last=Max("ready_at")).values()),
        tuple(papers.aggregate(many=Count("pk"), last=Max("current")).values()),
        tuple(removed.aggregate(many=Count("pk"), last=Max("removed_at")).values()),
    )
    if not signature[1][0]:
        return None, True
    key = f"outlook-{assignment.pk}"
    before, found, until = cache.get(key, (None, None, 0.0))
    if found is None or (before != signature and time.monotonic() > until):
        begin = time.monotonic()
        found = _forecast(assignment)
        end = time.monotonic()
        cache.set(key, (signature, found, end + SHARE * (end - begin)), 3600)
        before = signature
    return found, before == signature


def _forecast(assignment: Assignment) -> Forecast:
    from peerorder.schemes.top_up import coverage_of

    least = enough(assignment)
    there = load_snapshot(assignment)
    expected, many = _outlook(assignment, there.paper_number), len(there.papers)
    now = coverage_of(*_rows(expected.now), many)
    finished = coverage_of(*_rows(expected.finished), many)
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
        mute=expected.mute,
        gone=expected.gone,
    )


@dataclass(frozen=True)
class _Outlook:
    """Ballots that compare papers, each as the numbers of its papers."""

    now: list[list[int]]
    finished: list[list[int]]
    """The same if everybody hands in who still can, and puts in order what they have not declined to judge."""
    mute: list[int]
    gone: int


def _outlook(assignment: Assignment, numbers: dict[int, int]) -> _Outlook:
    said = {(each.grader, each.paper): each.rank for each in load_judgements(assignment) if each.is_judged}
    students = set(students_of(assignment).values_list("pk", flat=True))
    ranked: dict[tuple[int, int], list[tuple[int, int]]] = {}
    awaited: dict[tuple[int, int], list[int]] = {}
    gone = 0
    # A top-up is a ballot of its own.
    slots = Slot.objects.filter(assignment=assignment).order_by()
    for grader, part, paper in slots.values_list("grader", "part", "paper"):
        if paper not in numbers:
            continue
        if (grader, paper) not in said:
            if grader in students:
                awaited.setdefault((grader, part), []).append(numbers[paper])
            gone += grader not in students
        elif (rank := said[grader, paper]) is not None:
            ranked.setdefault((grader, part), []).append((rank, numbers[paper]))
    now = {which: _papers(found) for which, found in ranked.items() if len({rank for rank, _paper in found}) > 1}
    finished = now | {which: more + _papers(ranked.get(which, [])) for which, more in awaited.items()}
    mute = {grader for grader, _paper in said} & students - {grader for grader, _part in now}
    return _Outlook(list(now.values()), list(finished.values()), sorted(mute), gone)


def _papers(ranked: list[tuple[int, int]]) -> list[int]:
    return [paper for _rank, paper in ranked]


def _rows(ballots: list[list[int]]) -> tuple[IntArray, IntArray]:
    """Return the ballot and the paper of everything on them."""
    sizes = np.array([len(ballot) for ballot in ballots], np.int64)
    papers = np.array([paper for ballot in ballots for paper in ballot], np.int64)
    return np.repeat(np.arange(len(ballots)), sizes), papers


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
    found = work_out_joining(assignment, there).result
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
