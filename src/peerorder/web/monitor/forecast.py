"""Forecast the accuracy of a round: from the rankings so far, and if everybody finished; by the library."""

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
from peerorder.web.ranking.handouts import MOST_MORE, late_rows
from peerorder.web.ranking.models import Ballot, Handout, Slot
from peerorder.web.ranking.queries import finished_ballots
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
    """The state of a round now, and if everybody finishes."""

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
        """Return whether waiting would not improve the order."""
        return self.now.accuracy >= self.finished.accuracy


@dataclass(frozen=True)
class Plan:
    """Students who could be asked for more rankings."""

    asked: list[tuple[int, int]]
    """Member and number of papers."""
    willing: int
    least: int
    before: Line
    after: Line
    short: int
    """Papers that would still have too few."""


@dataclass(frozen=True)
class LatePreview:
    """The effect of adding late papers to the round."""

    papers: int
    """Papers that nobody had before."""
    late: list[tuple[int, int]]
    """Members who had nothing to rank, and how many papers they get."""
    others: list[tuple[int, int]]
    """The same of those who had papers before."""
    again: int
    """Number of these who have finished and would have to rank again."""


def rankings_needed(assignment: Assignment) -> int:
    """Return how many rankings every paper needs: half of the planned number, as in ``peerorder assign``."""
    return max(2, -(-assignment.papers_each // 2))


def _line(state: "Coverage", least: int) -> Line:
    from peerorder.studies.live_forecast import expected_so_far

    accuracy = round(100 * expected_so_far(state.comparisons), 1)
    return Line(state.below(least), state.below(1), state.components, accuracy, int(state.rankings.sum()))


def forecast_round(assignment: Assignment) -> tuple[Forecast | None, bool]:
    """Return the forecast, None before papers are handed out, and whether it is up to date.

    It is cached until something changes, and in large classes for a while longer.
    """
    done = Ballot.objects.filter(assignment=assignment, submission__isnull=False)
    out = Handout.objects.filter(assignment=assignment, ready_at__isnull=False)
    # A late paper counts from when it is handed in, though nobody has it yet.
    papers = Paper.objects.filter(assignment=assignment, current__isnull=False, withdrawn_at=None)
    removed = Member.objects.filter(course=assignment.course_id, removed_at__isnull=False)
    signature = (
        tuple(done.aggregate(count=Count("pk"), last=Max("submission")).values()),
        tuple(out.aggregate(count=Count("pk"), last=Max("ready_at")).values()),
        tuple(papers.aggregate(count=Count("pk"), last=Max("current")).values()),
        tuple(removed.aggregate(count=Count("pk"), last=Max("removed_at")).values()),
    )
    if not signature[1][0]:
        return None, True
    key = f"outlook-{assignment.pk}"
    before, result, until = cache.get(key, (None, None, 0.0))
    if result is None or (before != signature and time.monotonic() > until):
        begin = time.monotonic()
        result = _compute_forecast(assignment)
        end = time.monotonic()
        cache.set(key, (signature, result, end + SHARE * (end - begin)), 3600)
        before = signature
    return result, before == signature


def _compute_forecast(assignment: Assignment) -> Forecast:
    from peerorder.schemes.top_up import coverage_of

    least = rankings_needed(assignment)
    snapshot = load_snapshot(assignment)
    outlook, count = _outlook(assignment, snapshot.paper_number), len(snapshot.papers)
    now = coverage_of(*_rows(outlook.now), count)
    finished = coverage_of(*_rows(outlook.finished), count)
    few = np.flatnonzero(now.rankings < least)
    few = few[np.lexsort((now.rankings[few], finished.rankings[few]))]
    listed = [(snapshot.papers[p], int(now.rankings[p]), int(finished.rankings[p])) for p in few[:LISTED].tolist()]
    return Forecast(
        papers=count,
        least=least,
        now=_line(now, least),
        finished=_line(finished, least),
        shortest=listed,
        more=max(0, len(few) - LISTED),
        mute=outlook.mute,
        gone=outlook.gone,
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
    ranks = {(each.grader, each.paper): each.rank for each in load_judgements(assignment) if each.is_judged}
    students = set(students_of(assignment).values_list("pk", flat=True))
    ranked: dict[tuple[int, int], list[tuple[int, int]]] = {}
    awaited: dict[tuple[int, int], list[int]] = {}
    gone = 0
    # A top-up is a ballot of its own.
    slots = Slot.objects.filter(assignment=assignment).order_by()
    for grader, part, paper in slots.values_list("grader", "part", "paper"):
        if paper not in numbers:
            continue
        if (grader, paper) not in ranks:
            if grader in students:
                awaited.setdefault((grader, part), []).append(numbers[paper])
            gone += grader not in students
        elif (rank := ranks[grader, paper]) is not None:
            ranked.setdefault((grader, part), []).append((rank, numbers[paper]))
    now = {ballot: _papers(rows) for ballot, rows in ranked.items() if len({rank for rank, _paper in rows}) > 1}
    finished = now | {ballot: more + _papers(ranked.get(ballot, [])) for ballot, more in awaited.items()}
    mute = {grader for grader, _paper in ranks} & students - {grader for grader, _part in now}
    return _Outlook(list(now.values()), list(finished.values()), sorted(mute), gone)


def _papers(ranked: list[tuple[int, int]]) -> list[int]:
    return [paper for _rank, paper in ranked]


def _rows(ballots: list[list[int]]) -> tuple[IntArray, IntArray]:
    """Return the ballot and the paper of everything on them."""
    sizes = np.array([len(ballot) for ballot in ballots], np.int64)
    papers = np.array([paper for ballot in ballots for paper in ballot], np.int64)
    return np.repeat(np.arange(len(ballots)), sizes), papers


def plan_top_up(assignment: Assignment) -> Plan:
    """Return which finished students, not asked before, should be asked for how many more rankings; by the library."""
    from peerorder.schemes import top_up

    least = rankings_needed(assignment)
    snapshot = load_snapshot(assignment)
    asked = set(Offer.objects.filter(assignment=assignment, answered_at__isnull=False).values_list("member", flat=True))
    done = set(finished_ballots(Ballot.objects.filter(assignment=assignment)).values_list("grader", flat=True)) - asked
    excused = snapshot.excused | np.array([member not in done for member in snapshot.members], bool)
    rng = child(assignment.seed, "offers", snapshot.handouts)
    result = top_up(load_profile(assignment, snapshot), snapshot.rows, least, rng, excused=excused, most=MOST_MORE)
    graders, counts = np.unique(result.grader, return_counts=True)
    return Plan(
        asked=[(snapshot.members[g], count) for g, count in zip(graders.tolist(), counts.tolist(), strict=True)],
        willing=result.willing,
        least=least,
        before=_line(result.before, least),
        after=_line(result.after, least),
        short=len(result.short),
    )


def preview_late_papers(assignment: Assignment) -> LatePreview:
    """Return which students would get how many papers if late papers were added now; by the library."""
    snapshot = load_snapshot(assignment)
    result = late_rows(assignment, snapshot).result
    graders, counts = np.unique(result.grader, return_counts=True)
    papers = {snapshot.members[g]: count for g, count in zip(graders.tolist(), counts.tolist(), strict=True)}
    new = {snapshot.members[g] for g in result.joined.tolist()}
    done = set(finished_ballots(Ballot.objects.filter(assignment=assignment)).values_list("grader", flat=True))
    return LatePreview(
        papers=len(result.late),
        late=[(member, count) for member, count in papers.items() if member in new],
        others=[(member, count) for member, count in papers.items() if member not in new],
        again=len(done & (papers.keys() - new)),
    )
