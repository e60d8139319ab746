"""Why a paper stands where it stands: who ranked it, where on which ballot, and what each ballot did to its place."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.errors import InputError
from peerorder.core.randomness import child
from peerorder.files.grading import Graded
from peerorder.rules import RULES
from peerorder.rules.borda import borda_sums

__all__ = ["EVERY", "MOST", "Vote", "Why", "chosen", "explained"]

EVERY = "all"
"""What to write for all papers."""

MOST = 300
"""As many papers are explained at most."""

# A rule without samples is run again without each ballot where all runs together read so many judgements at most.
AGAIN = 2_000_000


@dataclass(frozen=True)
class Vote:
    """What one ballot says about a paper."""

    grader: str
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


@dataclass(frozen=True)
class Why:
    """Everything that is known about one paper's place."""

    paper: str
    place: int
    of: int
    interval: tuple[int, int] | None
    votes: tuple[Vote, ...]
    """Those that moved it up most first."""
    won: float
    """Comparisons won; a tie is half a win."""
    compared: int
    own: tuple[tuple[str, float], ...]
    """The authors who ranked others, and what their ballots did to it."""
    sampled: bool
    """Whether gains come from the rule's own samples, not from running it again without a ballot."""


def chosen(papers: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """The numbers of the papers that somebody asked for by their ids, or by ``all``."""
    if EVERY in wanted and EVERY not in papers:
        if len(papers) > MOST:
            raise InputError(
                f"--explain {EVERY} is for {MOST} papers at most, and there are {len(papers):,}; name the papers"
            )
        return list(range(len(papers)))
    number = {paper: at for at, paper in enumerate(papers)}
    for paper in wanted:
        if paper not in number:
            near = get_close_matches(paper, papers, 3) if len(papers) <= 10_000 else []
            hint = f"the nearest are {', '.join(near)}" if near else "write the id as it stands in the rankings"
            raise InputError(f"--explain {paper}: there is no such paper; {hint}")
    found = list(dict.fromkeys(number[paper] for paper in wanted))
    if len(found) > MOST:
        raise InputError(f"--explain takes {MOST} papers at most, and these are {len(found):,}")
    return found


def explained(graded: Graded, paper: int) -> Why:
    """Look into one paper."""
    read, outcome = graded.round, graded.outcome
    profile, findings = read.profile, outcome.findings
    entries = np.flatnonzero(profile.papers == paper)
    ballots = np.searchsorted(profile.start, entries, side="right") - 1
    graders = profile.grader[ballots]
    authors = np.flatnonzero(profile.wrote == paper)
    authors = authors[read.judged[authors] > 1]
    gains = _gains(graded, paper, np.unique(np.concatenate([graders, authors])))
    votes = [_vote(graded, paper, ballot, gains.get(int(profile.grader[ballot]))) for ballot in ballots.tolist()]
    votes.sort(key=lambda vote: (-(vote.gain or 0), vote.rank / vote.of, vote.grader))
    won, compared = borda_sums(profile)[paper].tolist()
    ends = None if findings.intervals is None else findings.intervals[paper].tolist()
    return Why(
        paper=read.papers[paper],
        place=int(outcome.places[paper]) + 1,
        of=profile.n_papers,
        interval=None if ends is None else (ends[0], ends[1]),
        votes=tuple(votes),
        won=won / 2,
        compared=compared,
        own=tuple((read.graders[who], gains[who]) for who in authors.tolist() if who in gains),
        sampled=findings.samples is not None,
    )


def _vote(graded: Graded, paper: int, ballot: int, gain: float | None) -> Vote:
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
        staff=bool(read.staff[who]),
        rank=int((level < own).sum()) + 1,
        of=len(ranked),
        expected=int((outcome.places[ranked] < outcome.places[paper]).sum()) + 1,
        better=names[0],
        equal=names[1],
        worse=names[2],
        reliability=None if findings.reliability is None else float(findings.reliability[who]),
        flag=findings.flags[who] if findings.flags is not None else "",
        gain=gain,
    )


def _gains(graded: Graded, paper: int, graders: IntArray) -> dict[int, float]:
    """What each grader did to the paper, by the samples or by merging again without her."""
    outcome, settings = graded.outcome, graded.settings
    if outcome.findings.samples is not None:
        gains = outcome.findings.samples.gains(graders, np.full(len(graders), paper))
        return dict(zip(graders.tolist(), gains.tolist(), strict=True))
    if len(graders) * len(outcome.profile.papers) > AGAIN:
        return {}
    rule = RULES.parse(settings.rule)
    found = {}
    for who in graders.tolist():
        times = np.where(graded.round.staff, settings.staff_weight, 1)
        times[who] = 0
        without = graded.round.profile.repeated(times)
        if (without.sizes > 1).any():
            places = rule.aggregate(without, child(settings.seed, "grade")).places
            found[who] = float(places[paper] - outcome.places[paper])
    return found
