"""Why a paper stands where it stands: who ranked it, where on which ballot, and what each ballot did to its place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.rounds.grading import GradedRound
from peerorder.rounds.marking import NO_MARK, as_mark
from peerorder.rounds.round import Round
from peerorder.rules import RULES
from peerorder.rules.borda import borda_sums

__all__ = ["EVERY", "MOST", "Vote", "Why", "chosen", "explain"]

EVERY = "all"
"""What to write for all papers."""

MOST = 300
"""As many papers are explained at most."""

# What happens without a ballot is found by merging again without it, where all runs together read at most so many
# judgements; a rule that draws samples takes longer for each.
AGAIN, AGAIN_BY_SAMPLES = 10_000_000, 200_000
# The same where somebody waits for a page.
QUICK, QUICK_BY_SAMPLES = 1_000_000, 5_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Vote:
    """What one ballot says about a paper."""

    grader: str
    name: str
    """What the roster calls the grader; empty where it does not say."""
    staff: bool
    rank: int
    of: int
    expected: int
    """The rank that the order of all gives the paper among those on this ballot."""
    better: tuple[str, ...]
    equal: tuple[str, ...]
    worse: tuple[str, ...]
    reliability: float | None
    flag: str
    gain: float | None
    """Places that the paper gained by all ballots of this grader; None where nobody can say."""
    without: int | None
    """The place that it would have without them; None where it is only estimated."""


@dataclass(frozen=True)
class Why:
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
    """The authors who ranked others, and what their ballots did to it."""
    estimated: bool
    """Whether gains are a rough estimate by the rule's samples; otherwise everything was merged again."""
    chance: float
    """Differences of fewer places than this may be chance, because the rule itself draws at random."""
    shared_by: int = 1
    """How many papers have this place."""
    mark: str | None = None
    """Its mark; empty where it has none, None where no marks were made."""
    mark_range: tuple[str, str] | None = None
    """The low and the high end of the mark, where they are known."""
    mark_source: str = ""
    """Where the mark came from, or why there is none."""
    authors: int = 1
    """How many people wrote it."""
    penalised: tuple[tuple[str, str, str], ...] = ()
    """Authors whose own mark is lower by a penalty: the id, the mark, and the points that were taken off."""


def chosen(round_: Round, wanted: Sequence[str]) -> list[int]:
    """The numbers of the papers that somebody asked for by their ids or codes, or by ``all``."""
    papers = round_.papers
    if EVERY in wanted and EVERY not in papers:
        if len(papers) > MOST:
            raise InputError(
                f"`explain` {EVERY} is for {MOST} papers at most, and there are {len(papers):,}; name the papers"
            )
        return list(range(len(papers)))
    number = {paper: at for at, paper in enumerate(papers)}
    # Codes never differ in case or blanks alone.
    behind = {_folded(code): paper for code, paper in (round_.codes or {}).items()}
    found = []
    for paper in wanted:
        at = number.get(paper, number.get(behind.get(_folded(paper), "")))
        if at is None:
            raise InputError(f"`explain` {paper}: there is no such paper; {_hint(paper, round_)}")
        found.append(at)
    found = list(dict.fromkeys(found))
    if len(found) > MOST:
        raise InputError(f"`explain` takes {MOST} papers at most, and these are {len(found):,}")
    return found


def _folded(code: str) -> str:
    return "".join(code.split()).casefold()


def _hint(said: str, round_: Round) -> str:
    if round_.people is not None and said in round_.grader_number:
        return round_.paper_in_words(said)
    near = get_close_matches(said, round_.papers, 3) if len(round_.papers) <= 10_000 else []
    if near:
        return f"the nearest are {', '.join(near)}"
    return "write the id of a paper, or its code" if round_.codes else "write the id as it stands in the rankings"


def explain(
    graded: GradedRound, papers: Sequence[int], progress: Progress | None = None, *, quick: bool = False
) -> list[tuple[int, Why]]:
    """Look into these papers; everything is merged again without each grader who has to do with one of them.

    Where that takes long, a rule with samples gives estimates instead; ``quick`` says that seconds are long.
    """
    profile = graded.round.profile
    involved = {paper: _involved(graded, paper) for paper in papers}
    every = np.unique(np.concatenate([np.zeros(0, np.int64), *involved.values()]))
    samples = graded.outcome.findings.samples
    plain, sampled = (QUICK, QUICK_BY_SAMPLES) if quick else (AGAIN, AGAIN_BY_SAMPLES)
    affordable = len(every) * len(profile.papers) <= (plain if samples is None else sampled)
    places = _without(graded, every, papers, progress) if affordable else {}
    return [(paper, _why(graded, paper, involved[paper], places)) for paper in papers]


def _involved(graded: GradedRound, paper: int) -> IntArray:
    """Who ranked the paper, and those of its authors who ranked others."""
    profile = graded.round.profile
    ballots = np.searchsorted(profile.start, np.flatnonzero(profile.papers == paper), side="right") - 1
    authors = np.flatnonzero((profile.authored == paper) & (graded.round.judged > 1))
    return np.unique(np.concatenate([profile.grader[ballots], authors]))


def _without(
    graded: GradedRound, graders: IntArray, papers: Sequence[int], progress: Progress | None
) -> dict[tuple[int, int], int]:
    """The place of each of the papers without each of the graders."""
    rule, settings = RULES.parse(graded.settings.rule), graded.settings
    found = {}
    for done, who in enumerate(graders.tolist()):
        if progress is not None:
            progress(done, len(graders))
        times = np.where(graded.round.staff, settings.staff_weight, 1)
        times[who] = 0
        left = graded.round.profile.reweighted(times)
        if left.telling.any():
            ranks = rule.aggregate(left, child(settings.seed, "grade")).ranks
            found.update({(who, paper): int(ranks[paper]) for paper in papers})
    return found


def _why(graded: GradedRound, paper: int, involved: IntArray, places: Mapping[tuple[int, int], int]) -> Why:
    read, outcome = graded.round, graded.outcome
    profile, findings = read.profile, outcome.findings
    place = int(graded.places[paper])
    gains = {who: float(places[who, paper] - place) for who in involved.tolist() if (who, paper) in places}
    chance, estimated = 0.0, False
    if findings.samples is not None:
        drawn = findings.samples.places[:, paper]
        # Two standard errors of the difference between two means.
        chance = float(2 * np.sqrt(2 / len(drawn)) * drawn.std())
        estimated = not gains
    if estimated and findings.samples is not None:
        estimates = findings.samples.gains(involved, np.full(len(involved), paper))
        gains = dict(zip(involved.tolist(), estimates.tolist(), strict=True))
    ballots = np.searchsorted(profile.start, np.flatnonzero(profile.papers == paper), side="right") - 1
    votes = [
        _vote(graded, paper, ballot, gains.get(who), places.get((who, paper)))
        for ballot, who in zip(ballots.tolist(), profile.grader[ballots].tolist(), strict=True)
    ]
    votes.sort(key=lambda vote: (-(vote.gain or 0), vote.rank / vote.of, vote.grader))
    won, compared = borda_sums(profile)[paper].tolist()
    ends = None if findings.intervals is None else findings.intervals[paper].tolist()
    return Why(
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
        **_mark(graded, paper),
    )


def _mark(graded: GradedRound, paper: int) -> dict[str, Any]:
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
        "penalised": _penalised(graded, paper, marking.marks[paper]) if mark else (),
    }


def _penalised(graded: GradedRound, paper: int, mark: float | str) -> tuple[tuple[str, str, str], ...]:
    if graded.round.people is None or not graded.settings.penalty or isinstance(mark, str):
        return ()
    table = graded.students()
    own = graded.round.papers[paper]
    return tuple(
        (student, as_mark(got), as_mark(mark - got))
        for student, authored, got in zip(table["student"], table["paper"], table["mark"], strict=True)
        if authored == own and got is not None and got < mark
    )


def _vote(graded: GradedRound, paper: int, ballot: int, gain: float | None, without: int | None) -> Vote:
    read, outcome = graded.round, graded.outcome
    profile, findings = read.profile, outcome.findings
    ranked = profile[ballot]
    level = profile.tie_levels[profile.start[ballot] : profile.start[ballot + 1]]
    own = level[ranked == paper][0]
    others = ranked != paper
    names = [
        tuple(read.papers[at] for at in ranked[part].tolist())
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
        reliability=None if findings.reliability is None else float(findings.reliability[who]),
        flag=findings.flags[who] if findings.flags is not None else "",
        gain=gain,
        without=without,
    )
