"""Top-ups: whom to ask for a few more rankings after the deadline, so that every paper has enough.

Only graders who have put papers in order are asked, for as few papers each as possible and never fewer than two,
because a ballot of one paper compares nothing. They get a separate ballot: papers with too few rankings, and where
papers would otherwise not be linked by comparisons, one from each side.
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
from peerorder.core.translation import gettext as _
from peerorder.schemes.allocation import forbidden_pairs
from peerorder.schemes.balanced import Allotment, Blocked, Forbidden, allot, allot_levelling
from peerorder.schemes.connecting import components_of, connect

__all__ = ["Coverage", "TopUp", "coverage_of", "top_up"]

LEAST = 2


@dataclass(frozen=True, eq=False)
class Coverage:
    """How well the papers are covered by ballots that compare at least two papers."""

    rankings: IntArray
    """The number of such ballots for every paper."""
    comparisons: IntArray
    """The number of papers that every paper was compared with, over all its ballots."""
    components: int

    def below(self, least: int) -> int:
        """Return the number of papers with fewer rankings than this."""
        return int((self.rankings < least).sum())


@dataclass(frozen=True, eq=False)
class TopUp:
    """A second ballot for some: rows of a hand-out, in shuffled order for each grader."""

    grader: Int32Array
    paper: Int32Array
    before: Coverage
    after: Coverage
    willing: int
    """The number of graders who ranked papers and could be asked."""
    short: IntArray
    """Papers that would still have too few rankings: nobody else could be asked for them."""


def coverage_of(ballot: IntArray, paper: IntArray, n_papers: int) -> Coverage:
    """Return the coverage, given the ballot and the paper of every judgement."""
    sizes = np.bincount(ballot)
    counts = sizes[ballot] >= LEAST
    ballot, paper = ballot[counts], paper[counts]
    return Coverage(
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
    """Choose more papers for graders, so that every paper has ``least`` rankings and the comparison graph is connected.

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
        The largest number of papers to ask of anybody, even if some papers stay short; at least 2.
    """
    rng = generator(rng)
    if most is not None and most < LEAST:
        raise HandoutError(
            _("`most` is {most}; a ballot must have at least {least} papers").format(most=most, least=LEAST)
        )
    if least < 1:
        raise HandoutError(_("`least` is {least}; it must be 1 or more").format(least=least))
    m = profile.n_papers
    own = as_indices(profile.authored, "authored", -1, m, HandoutError)
    n = len(own)
    informative = profile.select(profile.informative)
    ballot, judged = np.repeat(np.arange(len(informative)), informative.sizes), informative.papers.astype(np.int64)
    before = coverage_of(ballot, judged, m)
    able = np.zeros(n, bool)
    able[informative.grader] = True
    if excused is not None:
        able &= ~np.asarray(excused, bool)
    willing = np.flatnonzero(able)
    if not len(willing):
        raise HandoutError(_("nobody has put a paper above another yet, so there is nobody to ask for more"))
    pairs = np.array(list(conflicts), np.int64).reshape(-1, 2)
    forbidden = forbidden_pairs(own, m, pairs)
    forbidden = forbidden.union(*(np.asarray(side, np.int64) for side in had))
    forbidden = forbidden.union(
        np.repeat(profile.grader, profile.sizes).astype(np.int64), profile.papers.astype(np.int64)
    )
    # A ballot of one paper compares nothing: graders with room for fewer than two are not asked.
    able &= forbidden.allowed_among(np.ones(m, bool)) >= LEAST
    could = np.flatnonzero(able)
    cap = m if most is None else most
    owner, held = _serve(np.maximum(least - before.rankings, 0), could, forbidden, rng, cap)
    owner, held = _at_least_two(owner, held, before.rankings, forbidden, rng)
    fixed = (ballot + n, judged)
    connect(held, owner, forbidden, rng, fixed=fixed)
    owner, held = _bridges(owner, held, fixed, could, forbidden, rng, cap)
    order = np.lexsort((rng.random(len(owner)), owner))
    owner, held = owner[order], held[order]
    after = coverage_of(np.concatenate([fixed[0], owner]), np.concatenate([fixed[1], held]), m)
    return TopUp(owner, held, before, after, len(willing), np.flatnonzero(after.rankings < least))


def _serve(
    need: IntArray, willing: IntArray, forbidden: Forbidden, rng: Generator, cap: int
) -> tuple[Int32Array, Int32Array]:
    """Find graders for papers that need some, with as few papers each as possible, and no more than ``cap``."""
    papers = np.flatnonzero(need)
    total, number = int(need.sum()), len(willing)
    if not total or not number:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    transposed = forbidden.among(willing, papers).transposed()
    each, most = max(LEAST, -(-total // number)), min(max(LEAST, len(papers)), cap)
    none = np.zeros(number, np.int64)
    tries = [each, each + 1, each + 2]
    while tries[-1] < most:
        tries.append(2 * tries[-1])
    for limit in (size for size in tries if size <= min(max(most, each), cap)):
        few = none.copy()
        few[rng.permutation(number)[: -(-total // limit)]] = limit
        # Two each for some; where that is not enough, evenly for all.
        for room in (few, np.full(number, limit)) if limit == LEAST else (np.full(number, limit),):
            result = allot(need[papers], none, room, transposed, rng)
            if isinstance(result, Allotment):
                return _back(result, papers, willing)
    return _back(allot(need[papers], none, np.full(number, most), transposed, rng, partial=True), papers, willing)


def _back(result: Allotment | Blocked, papers: IntArray, graders: IntArray) -> tuple[Int32Array, Int32Array]:
    if isinstance(result, Blocked):
        raise HandoutError(_("a partial allotment is never refused"))
    return graders[result.rows[1]].astype(np.int32), papers[result.rows[0]].astype(np.int32)


def _at_least_two(
    owner: Int32Array, held: Int32Array, rankings: IntArray, forbidden: Forbidden, rng: Generator
) -> tuple[Int32Array, Int32Array]:
    """Give a second paper to graders who have only one, from those with few rankings."""
    n, m = forbidden.n_graders, forbidden.n_papers
    single = np.flatnonzero(np.bincount(owner, minlength=n) == 1)
    if not len(single):
        return owner, held
    loads = rankings + np.bincount(held, minlength=m)
    now = forbidden.union(owner.astype(np.int64), held.astype(np.int64)).among(single, np.arange(m))
    result = allot_levelling(np.ones(len(single), np.int64), loads, np.ones(m, bool), now, rng)
    if isinstance(result, Blocked):
        raise HandoutError(_("a second paper was not found"))
    more = result.rows
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
    number, labels = components_of(*every, m)
    if number < 2:
        return owner, held
    rows: dict[int, list[int]] = {}
    for g, p in zip(owner.tolist(), held.tolist(), strict=True):
        rows.setdefault(g, []).append(p)
    asked = sorted(rows, key=lambda g: len(rows[g]))
    fresh = [g for g in rng.permutation(willing).tolist() if g not in rows]
    sizes = np.bincount(labels)
    # The papers of the largest part first: most graders may see some.
    papers = sorted(rng.permutation(m).tolist(), key=lambda p: -sizes[labels[p]])
    part = np.arange(number)
    begin, index = group_by(labels, number)
    for label in np.argsort(sizes)[:-1].tolist():
        island = rng.permutation(index[begin[label] : begin[label + 1]]).tolist()
        for g in chain(fresh, asked):
            # The grader needs a paper from this part and one from elsewhere on one ballot.
            own_part = part[label]
            sides = {int(part[labels[p]]) for p in rows.get(g, [])}
            picks = []
            if own_part not in sides:
                picks.append(next((p for p in island if not forbidden.contains(g, p)), -1))
            if not sides - {own_part} and -1 not in picks:
                away = (p for p in papers if part[labels[p]] != own_part and not forbidden.contains(g, p))
                picks.append(next(away, -1))
            if -1 not in picks and len(rows.get(g, ())) + len(picks) <= cap:
                rows.setdefault(g, []).extend(picks)
                part[np.isin(part, [part[labels[p]] for p in rows[g]])] = own_part
                break
        fresh = [g for g in fresh if g not in rows]
    both = np.array([(g, p) for g, row in rows.items() for p in row], np.int32).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()
