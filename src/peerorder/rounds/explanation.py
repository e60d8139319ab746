"""Explanation of a paper's place: who ranked it, where on which ballot, and how each ballot moved it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.core.translation import gettext as _
from peerorder.rounds.grading import GradedRound
from peerorder.rounds.marking import NO_MARK, as_mark
from peerorder.rounds.round import Round
from peerorder.rules import RULES
from peerorder.rules.borda import borda_sums

__all__ = ["EVERY", "MOST", "Explanation", "Vote", "explain", "select_papers"]

EVERY = "all"
"""What to write for all papers."""

MOST = 300
"""As many papers are explained at most."""

# The effect of a ballot is computed by merging again without it, as long as all runs together read at most this many
# judgements; a rule that draws samples takes longer for each.
AGAIN, AGAIN_BY_SAMPLES = 10_000_000, 200_000
# The same where somebody waits for a page.
QUICK, QUICK_BY_SAMPLES = 1_000_000, 5_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Vote:
    """One ballot's ranking of a paper."""

    grader: str
    name: str
    """The grader's name on the roster; empty where there is none."""
    staff: bool
    rank: int
    of: int
    expected: int
    """The paper's rank among those on this ballot, by the merged order."""
    better: tuple[str, ...]
    equal: tuple[str, ...]
    worse: tuple[str, ...]
    reliability: float | None
    flag: str
    gain: float | None
    """Places that the paper gained through all ballots of this grader; None where this is unknown."""
    without: int | None
    """The place that it would have without them; None where it is only estimated."""


@dataclass(frozen=True)
class Explanation:
    """Everything that is known about one paper's mark and place."""

    paper: str
    place: int
    """From 1; papers with equal scores share one."""
    of: int
    interval: tuple[int, int] | None
    votes: tuple[Vote, ...]
    """Those that moved it up most first."""
    won: float
    """Comparisons won; a tie is half a win."""
    compared: int
    own: tuple[tuple[str, float], ...]
    """The authors who ranked other papers, and the places gained through their ballots."""
    estimated: bool
    """Whether gains are rough estimates from the rule's samples; otherwise the order was computed again."""
    chance: float
    """Differences of fewer places than this may be due to chance, because the rule itself draws at random."""
    shared_by: int = 1
    """The number of papers in this place."""
    mark: str | None = None
    """Its mark; empty where it has none, None where no marks were made."""
    mark_range: tuple[str, str] | None = None
    """The low and the high end of the mark, where they are known."""
    mark_source: str = ""
    """The source of the mark, or the reason why there is none."""
    authors: int = 1
    """The number of authors."""
    penalised: tuple[tuple[str, str, str], ...] = ()
    """Authors whose own mark is lower by a penalty: the id, the mark, and the points that were taken off."""


def select_papers(round_: Round, wanted: Sequence[str]) -> list[int]:
    """Return the numbers of the papers with these ids or codes; ``all`` selects every paper."""
    papers = round_.papers
    if EVERY in wanted and EVERY not in papers:
        if len(papers) > MOST:
            raise InputError(
                _("`explain` {every} works for up to {most} papers, but there are {count:,}; name the papers").format(
                    every=EVERY, most=MOST, count=len(papers)
                )
            )
        return list(range(len(papers)))
    number = {paper: index for index, paper in enumerate(papers)}
    # No two codes differ only in case or spaces.
    behind = {_normalise(code): paper for code, paper in (round_.codes or {}).items()}
    result = []
    for paper in wanted:
        index = number.get(paper, number.get(behind.get(_normalise(paper), "")))
        if index is None:
            raise InputError(
                _("`explain` {paper}: no such paper; {hint}").format(paper=paper, hint=_hint(paper, round_))
            )
        result.append(index)
    result = list(dict.fromkeys(result))
    if len(result) > MOST:
        raise InputError(
            _("`explain` takes up to {most} papers, but {count:,} were given; name fewer").format(
                most=MOST, count=len(result)
            )
        )
    return result


def _normalise(code: str) -> str:
    return "".join(code.split()).casefold()


def _hint(said: str, round_: Round) -> str:
    if round_.people is not None and said in round_.grader_number:
        return round_.paper_in_words(said)
    near = get_close_matches(said, round_.papers, 3) if len(round_.papers) <= 10_000 else []
    if near:
        return _("the nearest are {papers}").format(papers=", ".join(near))
    return _("write the ID of a paper, or its code") if round_.codes else _("write the ID as in the rankings")


def explain(
    graded: GradedRound, papers: Sequence[int], progress: Progress | None = None, *, quick: bool = False
) -> list[tuple[int, Explanation]]:
    """Explain the places of these papers by computing the order again without each grader involved.

    Where that takes long, a rule with samples gives estimates instead; with ``quick``, seconds count as long.
    """
    profile = graded.round.profile
    involved = {paper: _graders_involved(graded, paper) for paper in papers}
    every = np.unique(np.concatenate([np.zeros(0, np.int64), *involved.values()]))
    samples = graded.outcome.result.samples
    plain, sampled = (QUICK, QUICK_BY_SAMPLES) if quick else (AGAIN, AGAIN_BY_SAMPLES)
    affordable = len(every) * len(profile.papers) <= (plain if samples is None else sampled)
    places = _places_without_graders(graded, every, papers, progress) if affordable else {}
    return [(paper, _explain_paper(graded, paper, involved[paper], places)) for paper in papers]


def _graders_involved(graded: GradedRound, paper: int) -> IntArray:
    """Return the graders of the paper, and its authors who ranked other papers."""
    profile = graded.round.profile
    ballots = np.searchsorted(profile.start, np.flatnonzero(profile.papers == paper), side="right") - 1
    authors = np.flatnonzero((profile.authored == paper) & (graded.round.judged > 1))
    return np.unique(np.concatenate([profile.grader[ballots], authors]))


def _places_without_graders(
    graded: GradedRound, graders: IntArray, papers: Sequence[int], progress: Progress | None
) -> dict[tuple[int, int], int]:
    """Return the place of each of the papers without each of the graders."""
    rule, settings = RULES.parse(graded.settings.rule), graded.settings
    result = {}
    for done, who in enumerate(graders.tolist()):
        if progress is not None:
            progress(done, len(graders))
        times = np.where(graded.round.staff, settings.staff_weight, 1)
        times[who] = 0
        remaining = graded.round.profile.reweighted(times)
        if remaining.informative.any():
            ranks = rule.aggregate(remaining, child(settings.seed, "grade")).ranks
            result.update({(who, paper): int(ranks[paper]) for paper in papers})
    return result


def _explain_paper(
    graded: GradedRound, paper: int, involved: IntArray, places: Mapping[tuple[int, int], int]
) -> Explanation:
    read, outcome = graded.round, graded.outcome
    profile, result = read.profile, outcome.result
    place = int(graded.places[paper])
    gains = {who: float(places[who, paper] - place) for who in involved.tolist() if (who, paper) in places}
    chance, estimated = 0.0, False
    if result.samples is not None:
        drawn = result.samples.places[:, paper]
        # Two standard errors of the difference between two means.
        chance = float(2 * np.sqrt(2 / len(drawn)) * drawn.std())
        estimated = not gains
    if estimated and result.samples is not None:
        estimates = result.samples.influences(involved, np.full(len(involved), paper))
        gains = dict(zip(involved.tolist(), estimates.tolist(), strict=True))
    ballots = np.searchsorted(profile.start, np.flatnonzero(profile.papers == paper), side="right") - 1
    votes = [
        _make_vote(graded, paper, ballot, gains.get(who), places.get((who, paper)))
        for ballot, who in zip(ballots.tolist(), profile.grader[ballots].tolist(), strict=True)
    ]
    votes.sort(key=lambda vote: (-(vote.gain or 0), vote.rank / vote.of, vote.grader))
    won, compared = borda_sums(profile)[paper].tolist()
    ends = None if result.intervals is None else result.intervals[paper].tolist()
    return Explanation(
        paper=read.papers[paper],
        place=place,
        of=profile.n_papers,
        interval=None if ends is None else (ends[0], ends[1]),
        votes=tuple(votes),
        won=won / 2,
        compared=compared,
        own=tuple(
            (read.graders[who], gains[who])
            for who in involved.tolist()
            if who in gains and profile.authored[who] == paper
        ),
        estimated=estimated,
        chance=chance,
        shared_by=int(outcome.shared_by[paper]),
        authors=int((profile.authored == paper).sum()),
        **_mark_fields(graded, paper),
    )


def _mark_fields(graded: GradedRound, paper: int) -> dict[str, Any]:
    """What is known about the mark of a paper, by the names of ``Why``."""
    marking = graded.marking
    if marking is None:
        return {}
    mark = as_mark(marking.marks[paper]) if marking.has_mark(paper) else ""
    ends = None
    if marking.low is not None and marking.high is not None and mark:
        ends = tuple(as_mark(end[paper]) for end in (marking.low, marking.high))
    known = ends is not None and NO_MARK not in ends
    return {
        "mark": mark,
        "mark_range": ends if known else None,
        "mark_source": marking.source(paper),
        "penalised": _penalised_authors(graded, paper, marking.marks[paper]) if mark else (),
    }


def _penalised_authors(graded: GradedRound, paper: int, mark: float | str) -> tuple[tuple[str, str, str], ...]:
    if graded.round.people is None or not graded.settings.penalty or isinstance(mark, str):
        return ()
    table = graded.students()
    own = graded.round.papers[paper]
    return tuple(
        (student, as_mark(got), as_mark(mark - got))
        for student, authored, got in zip(table["student"], table["paper"], table["mark"], strict=True)
        if authored == own and got is not None and got < mark
    )


def _make_vote(graded: GradedRound, paper: int, ballot: int, gain: float | None, without: int | None) -> Vote:
    read, outcome = graded.round, graded.outcome
    profile, result = read.profile, outcome.result
    ranked = profile[ballot]
    level = profile.tie_levels[profile.start[ballot] : profile.start[ballot + 1]]
    own = level[ranked == paper][0]
    others = ranked != paper
    names = [
        tuple(read.papers[index] for index in ranked[part].tolist())
        for part in (level < own, (level == own) & others, level > own)
    ]
    who = int(profile.grader[ballot])
    return Vote(
        grader=read.graders[who],
        name=read.people.names[who] if read.people is not None else "",
        staff=bool(read.staff[who]),
        rank=int((level < own).sum()) + 1,
        of=len(ranked),
        expected=int((outcome.ranks[ranked] < outcome.ranks[paper]).sum()) + 1,
        better=names[0],
        equal=names[1],
        worse=names[2],
        reliability=None if result.reliability is None else float(result.reliability[who]),
        flag=result.flags[who] if result.flags is not None else "",
        gain=gain,
        without=without,
    )
