"""After the deadline: who should be asked for a few more rankings, so that every paper has enough of them.

Asked are graders who put papers in order, for as few papers each as possible and never fewer than two, because a ballot
of one paper compares nothing. What they get is a ballot of its own: papers that have too few rankings, and where
papers would stay apart that no chain of ballots compares, one from each side.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

from peerorder.core.arrays import AnyIntArray, Int32Array, IntArray, as_indices, group_by
from peerorder.core.errors import HandoutError
from peerorder.core.profile import Profile
from peerorder.core.randomness import Generator, generator
from peerorder.schemes.allocation import forbidden_pairs
from peerorder.schemes.balanced import Allotment, Blocked, Forbidden, allot, allot_levelling
from peerorder.schemes.connecting import components_of, join

__all__ = ["State", "TopUp", "standing", "top_up"]

LEAST = 2


@dataclass(frozen=True, eq=False)
class State:
    """How far a round has come, counting ballots that compare at least two papers."""

    rankings: IntArray
    """How many such ballots judged every paper."""
    comparisons: IntArray
    """With how many papers every paper was compared, over all its ballots."""
    components: int

    def below(self, least: int) -> int:
        """How many papers have fewer rankings than this."""
        return int((self.rankings < least).sum())


@dataclass(frozen=True, eq=False)
class TopUp:
    """A second ballot for some: rows of a hand-out, in shuffled order for each grader."""

    grader: Int32Array
    paper: Int32Array
    before: State
    after: State
    willing: int
    """How many did their work and could be asked."""
    short: IntArray
    """Papers that would still have too few rankings: everybody who could be asked had them, wrote them or may not."""


def standing(ballot: IntArray, paper: IntArray, n_papers: int) -> State:
    """How far ballots have come; the ballot and the paper of every judgement."""
    sizes = np.bincount(ballot)
    counts = sizes[ballot] >= LEAST
    ballot, paper = ballot[counts], paper[counts]
    return State(
        rankings=np.bincount(paper, minlength=n_papers),
        comparisons=np.bincount(paper, weights=sizes[ballot] - 1, minlength=n_papers).astype(np.int64),
        components=components_of(ballot, paper, n_papers)[0],
    )


def top_up(
    profile: Profile,
    had: tuple[AnyIntArray, AnyIntArray],
    least: int,
    rng: Generator | int,
    *,
    conflicts: Iterable[tuple[int, int]] = (),
    excused: ArrayLike | None = None,
    most: int | None = None,
) -> TopUp:
    """Who gets which papers besides, so that every paper has ``least`` rankings and everything hangs together.

    Parameters
    ----------
    profile
        The ballots so far; those that put no paper above another compare nothing, and do not count.
    had
        Grader and paper of everything that was handed out; nobody gets a paper again.
    least
        How many rankings every paper should have.
    conflicts, excused
        As for ``allocate``.
    most
        How many papers nobody is asked to exceed, even if some papers stay short then; at least 2.
    """
    rng = generator(rng)
    if most is not None and most < LEAST:
        raise HandoutError(f"most is {most}; a ballot compares at least {LEAST} papers")
    if least < 1:
        raise HandoutError(f"papers should have at least {least} rankings; that must be 1 or more")
    m = profile.n_papers
    own = as_indices(profile.authored, "authored", -1, m, HandoutError)
    n = len(own)
    telling = profile.some(profile.telling)
    ballot, judged = np.repeat(np.arange(len(telling)), telling.sizes), telling.papers.astype(np.int64)
    before = standing(ballot, judged, m)
    able = np.zeros(n, bool)
    able[telling.grader] = True
    if excused is not None:
        able &= ~np.asarray(excused, bool)
    willing = np.flatnonzero(able)
    if not len(willing):
        raise HandoutError("nobody has put a paper above another yet, so there is nobody to ask for more")
    pairs = np.array(list(conflicts), np.int64).reshape(-1, 2)
    forbidden = forbidden_pairs(own, m, pairs)
    forbidden = forbidden.and_also(*(np.asarray(side, np.int64) for side in had))
    forbidden = forbidden.and_also(
        np.repeat(profile.grader, profile.sizes).astype(np.int64), profile.papers.astype(np.int64)
    )
    # One more paper would compare nothing: who has room for fewer than two is not asked.
    able &= forbidden.allowed_among(np.ones(m, bool)) >= LEAST
    could = np.flatnonzero(able)
    cap = m if most is None else most
    owner, held = _serve(np.maximum(least - before.rankings, 0), could, forbidden, rng, cap)
    owner, held = _at_least_two(owner, held, before.rankings, forbidden, rng)
    fixed = (ballot + n, judged)
    join(held, owner, forbidden, rng, fixed=fixed)
    owner, held = _bridges(owner, held, fixed, could, forbidden, rng, cap)
    order = np.lexsort((rng.random(len(owner)), owner))
    owner, held = owner[order], held[order]
    after = standing(np.concatenate([fixed[0], owner]), np.concatenate([fixed[1], held]), m)
    return TopUp(owner, held, before, after, len(willing), np.flatnonzero(after.rankings < least))


def _serve(
    need: IntArray, willing: IntArray, forbidden: Forbidden, rng: Generator, cap: int
) -> tuple[Int32Array, Int32Array]:
    """Graders for papers that need some, as few papers each as will do, and no more than ``cap``."""
    papers = np.flatnonzero(need)
    total, many = int(need.sum()), len(willing)
    if not total or not many:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    turned = forbidden.among(willing, papers).turned()
    each, most = max(LEAST, -(-total // many)), min(max(LEAST, len(papers)), cap)
    none = np.zeros(many, np.int64)
    tries = [each, each + 1, each + 2]
    while tries[-1] < most:
        tries.append(2 * tries[-1])
    for limit in (size for size in tries if size <= min(max(most, each), cap)):
        few = none.copy()
        few[rng.permutation(many)[: -(-total // limit)]] = limit
        # Two each for some; where that is not enough, evenly for all.
        for room in (few, np.full(many, limit)) if limit == LEAST else (np.full(many, limit),):
            found = allot(need[papers], none, room, turned, rng)
            if isinstance(found, Allotment):
                return _back(found, papers, willing)
    return _back(allot(need[papers], none, np.full(many, most), turned, rng, partial=True), papers, willing)


def _back(found: Allotment | Blocked, papers: IntArray, graders: IntArray) -> tuple[Int32Array, Int32Array]:
    if isinstance(found, Blocked):
        raise HandoutError("a partial allotment is never refused")
    return graders[found.rows[1]].astype(np.int32), papers[found.rows[0]].astype(np.int32)


def _at_least_two(
    owner: Int32Array, held: Int32Array, rankings: IntArray, forbidden: Forbidden, rng: Generator
) -> tuple[Int32Array, Int32Array]:
    """A second paper for whoever has only one, of those with few rankings."""
    n, m = forbidden.n_graders, forbidden.n_papers
    single = np.flatnonzero(np.bincount(owner, minlength=n) == 1)
    if not len(single):
        return owner, held
    loads = rankings + np.bincount(held, minlength=m)
    now = forbidden.and_also(owner.astype(np.int64), held.astype(np.int64)).among(single, np.arange(m))
    found = allot_levelling(np.ones(len(single), np.int64), loads, np.ones(m, bool), now, rng)
    if isinstance(found, Blocked):
        raise HandoutError("a second paper was not found")
    more = found.rows
    return np.concatenate([owner, single[more[0]].astype(np.int32)]), np.concatenate([held, more[1]])


def _bridges(
    owner: Int32Array,
    held: Int32Array,
    fixed: tuple[IntArray, IntArray],
    willing: IntArray,
    forbidden: Forbidden,
    rng: Generator,
    cap: int,
) -> tuple[Int32Array, Int32Array]:
    """Join what is still apart: two papers for somebody not asked yet, or one more for somebody who is."""
    m = forbidden.n_papers
    every = (np.concatenate([fixed[0], owner]), np.concatenate([fixed[1], held]))
    many, labels = components_of(*every, m)
    if many < 2:
        return owner, held
    rows: dict[int, list[int]] = {}
    for g, p in zip(owner.tolist(), held.tolist(), strict=True):
        rows.setdefault(g, []).append(p)
    asked = sorted(rows, key=lambda g: len(rows[g]))
    fresh = [g for g in rng.permutation(willing).tolist() if g not in rows]
    sizes = np.bincount(labels)
    # The papers of the largest part first: most graders may see some of them.
    papers = sorted(rng.permutation(m).tolist(), key=lambda p: -sizes[labels[p]])
    part = np.arange(many)
    begin, at = group_by(labels, many)
    for label in np.argsort(sizes)[:-1].tolist():
        island = rng.permutation(at[begin[label] : begin[label + 1]]).tolist()
        for g in chain(fresh, asked):
            # She needs a paper from here and one from elsewhere on one ballot.
            here = part[label]
            sides = {int(part[labels[p]]) for p in rows.get(g, [])}
            picks = []
            if here not in sides:
                picks.append(next((p for p in island if not forbidden.holds(g, p)), -1))
            if not sides - {here} and -1 not in picks:
                away = (p for p in papers if part[labels[p]] != here and not forbidden.holds(g, p))
                picks.append(next(away, -1))
            if -1 not in picks and len(rows.get(g, ())) + len(picks) <= cap:
                rows.setdefault(g, []).extend(picks)
                part[np.isin(part, [part[labels[p]] for p in rows[g]])] = here
                break
        fresh = [g for g in fresh if g not in rows]
    both = np.array([(g, p) for g, row in rows.items() for p in row], np.int32).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()
