"""Allocation paper by paper: a given number per grader, a given number of graders per paper, and nothing forbidden.

For classes that no regular bundle graph fits: teams, assistants, more papers than graders. A random deal that gives
every paper its share is mended by random swaps, and what these leave open along augmenting paths over the nearly
complete graph of what is allowed, which is never written down. First every grader is served while no paper gets too
much; then papers with too little get some from papers that can spare it. Each search that finds no path has found
a cut, so a refusal is a proof (Hall; maximum flow with lower bounds).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator

__all__ = ["Allotment", "Blocked", "Forbidden", "allot", "allot_levelling", "even_shares", "shuffle_rows"]

SWAPS_A_SLOT = 64
# Stirring forgets how a deal was mended. Large ones are hardly mended at all.
STIRS_A_SLOT = 10
STIR_UP_TO = 2_000_000


class Forbidden:
    """Pairs of a grader and a paper that must not meet, sorted, in compressed rows from both sides."""

    def __init__(self, grader: IntArray, paper: IntArray, n_graders: int, n_papers: int) -> None:
        self.n_graders, self.n_papers = n_graders, n_papers
        pairs = np.asarray(grader, np.int64) * max(n_papers, 1) + np.asarray(paper, np.int64)
        if not (pairs[1:] > pairs[:-1]).all():
            pairs = np.unique(pairs)
        self.grader: Int32Array = (pairs // max(n_papers, 1)).astype(np.int32)
        self.paper: Int32Array = (pairs % max(n_papers, 1)).astype(np.int32)

    @cached_property
    def start(self) -> IntArray:
        """The pairs of grader g are those from ``start[g]`` to ``start[g + 1]``."""
        return _row_starts(self.grader, self.n_graders)

    @cached_property
    def paper_start(self) -> IntArray:
        """The same for papers, in ``by_paper``."""
        return _row_starts(self.paper, self.n_papers)

    @cached_property
    def by_paper(self) -> Int32Array:
        """The graders of all pairs, sorted by paper."""
        by_paper: Int32Array = self.grader[np.argsort(self.paper, kind="stable")]
        return by_paper

    def transposed(self) -> "Forbidden":
        """Return the same pairs with graders and papers exchanged."""
        return Forbidden(self.paper.astype(np.int64), self.grader.astype(np.int64), self.n_papers, self.n_graders)

    def union(self, grader: IntArray, paper: IntArray) -> "Forbidden":
        """Return these pairs and more."""
        both = (np.concatenate([self.grader, grader]), np.concatenate([self.paper, paper]))
        return Forbidden(*both, self.n_graders, self.n_papers)

    def among(self, graders: IntArray, papers: IntArray) -> "Forbidden":
        """Return the pairs of these graders and papers, numbered by their positions in the two lists."""
        grader, paper = (np.full(size, -1, np.int64) for size in (self.n_graders, self.n_papers))
        grader[graders], paper[papers] = np.arange(len(graders)), np.arange(len(papers))
        both = (grader[self.grader] >= 0) & (paper[self.paper] >= 0)
        return Forbidden(grader[self.grader[both]], paper[self.paper[both]], len(graders), len(papers))

    def contains(self, grader: int, paper: int) -> bool:
        """Return whether this pair is forbidden."""
        return bool(is_forbidden(self.start, self.paper, grader, paper))

    def allowed_among(self, papers: NDArray[np.bool_]) -> IntArray:
        """Return how many of these papers each grader may get."""
        out = np.bincount(self.grader[papers[self.paper]], minlength=self.n_graders)
        return int(papers.sum()) - out


def _row_starts(keys: Int32Array, n_keys: int) -> IntArray:
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=n_keys))])


@dataclass(frozen=True, eq=False)
class Allotment:
    """Grader g has ``papers[start[g]:start[g + 1]]``; -1 where nothing was found, in a partial allotment."""

    papers: Int32Array
    start: IntArray

    @property
    def rows(self) -> tuple[Int32Array, Int32Array]:
        """The grader and the paper of every slot that was filled."""
        owner = np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), np.diff(self.start))
        given = self.papers >= 0
        return owner[given], self.papers[given]


@dataclass(frozen=True, eq=False)
class Blocked:
    """The reason why there is no allotment: these graders or these papers need more than they can get.

    Where ``short_of_papers``, the graders need ``need`` papers in all and can get ``can``. Otherwise the papers need
    at least ``need`` graders in all and can get ``can``.
    """

    short_of_papers: bool
    graders: IntArray
    papers: IntArray
    need: int
    can: int


def even_shares(total: int, n: int) -> tuple[int, int]:
    """Return the smallest and the largest share where a total is divided evenly."""
    return (total // n, -(-total // n)) if n else (0, 0)


def allot(
    demand: IntArray,
    lower: IntArray,
    upper: IntArray,
    forbidden: Forbidden,
    rng: Generator,
    *,
    partial: bool = False,
) -> Allotment | Blocked:
    """Allocate papers to every grader, at random among what is allowed.

    Parameters
    ----------
    demand
        How many papers each grader gets, all different.
    lower, upper
        How many graders each paper gets at least and at most.
    forbidden
        Pairs of a grader and a paper that must not meet.
    partial
        Give out as much as there is room for, where not everybody can be served; ``lower`` is ignored then.
    """
    n, m = forbidden.n_graders, forbidden.n_papers
    demand = np.asarray(demand, np.int64)
    lower, upper = (np.array(bound, np.int64) for bound in (lower, upper))
    if partial:
        lower[:] = 0
    start = np.concatenate([[0], np.cumsum(demand)])
    owner = np.repeat(np.arange(n, dtype=np.int32), demand)
    held = _deal(int(start[-1]), lower, upper, rng)
    settle(held, start, owner, forbidden.start, forbidden.paper, rng, SWAPS_A_SLOT)
    if (held < 0).any():
        holes = rng.permutation(np.flatnonzero(held < 0))
        shelf = rng.permutation(m).astype(np.int32)
        stuck, graders, papers = serve(
            held, start, owner, forbidden.start, forbidden.paper, upper, holes, shelf, partial
        )
        if stuck:
            if lower.sum() == upper.sum() == demand.sum() and m - papers.sum() < graders.sum():
                # Everything fits exactly or not at all, so the other side of the cut says the same in fewer names.
                return _short_of_graders(~graders, ~papers, demand, lower, forbidden)
            return _short_of_papers(graders, papers, demand, upper, forbidden)
    loads = np.bincount(held[held >= 0], minlength=m)
    if (loads < lower).any():
        shelf = rng.permutation(n).astype(np.int32)
        wanting = rng.permutation(np.flatnonzero(loads < lower))
        both = (forbidden.paper_start, forbidden.by_paper)
        stuck, graders, papers = level(held, start, owner, *both, lower, wanting, shelf, m)
        if stuck:
            return _short_of_graders(graders, papers, demand, lower, forbidden)
    if len(held) <= STIR_UP_TO:
        stir(held, start, owner, forbidden.start, forbidden.paper, rng, STIRS_A_SLOT * len(held))
    return Allotment(held, start)


def allot_levelling(
    demand: IntArray, loads: IntArray, open_: NDArray[np.bool_], forbidden: Forbidden, rng: Generator
) -> Allotment | Blocked:
    """Allocate papers to every grader so that the loads become as even as possible.

    Only open papers are used, or all papers where these do not suffice.
    """
    water = _water(loads[open_], int(np.sum(demand)))
    # First so that none is left behind, then without that, then with more and more room.
    for fill, more in ((True, 0), (False, 0), (False, 1), (False, 2), (False, 4), (False, 1 << 30)):
        upper = np.where(open_, np.clip(water + more - loads, 0, forbidden.n_graders), 0)
        lower = np.where(open_ & fill, np.clip(water - 1 - loads, 0, upper), 0)
        result = allot(demand, lower, upper, forbidden, rng)
        if isinstance(result, Allotment):
            return result
    return allot(demand, np.zeros_like(loads), np.full(len(loads), forbidden.n_graders), forbidden, rng)


def _water(loads: IntArray, total: int) -> int:
    """Return the smallest height such that filling all loads up to it takes the total."""
    low, high = 0, int(loads.max(initial=0)) + total + 1
    while low < high:
        middle = (low + high) // 2
        if int(np.clip(middle - loads, 0, None).sum()) >= total:
            high = middle
        else:
            low = middle + 1
    return low


def _deal(total: int, lower: IntArray, upper: IntArray, rng: Generator) -> Int32Array:
    """Return a shuffled deck with every paper between its bounds, filled up with -1 to the total."""
    counts = np.minimum(lower, upper)
    rest = total - int(counts.sum())
    while rest > 0:
        open_ = np.flatnonzero(counts < upper)
        if not len(open_):
            break
        few = rng.permutation(open_)[:rest]
        counts[few] += 1
        rest -= len(few)
    deck = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    rng.shuffle(deck)
    if len(deck) < total:
        deck = np.concatenate([deck, np.full(total - len(deck), -1, np.int32)])
        rng.shuffle(deck)
    return deck[:total].copy()


def _short_of_papers(
    graders: NDArray[np.bool_],
    papers: NDArray[np.bool_],
    demand: IntArray,
    upper: IntArray,
    forbidden: Forbidden,
) -> Blocked:
    can = int(upper[papers].sum()) + int(forbidden.allowed_among(~papers)[graders].sum())
    return Blocked(True, np.flatnonzero(graders), np.flatnonzero(papers), int(demand[graders].sum()), can)


def _short_of_graders(
    graders: NDArray[np.bool_],
    papers: NDArray[np.bool_],
    demand: IntArray,
    lower: IntArray,
    forbidden: Forbidden,
) -> Blocked:
    can = int(demand[graders].sum()) + int(forbidden.allowed_among(papers)[~graders].sum())
    return Blocked(False, np.flatnonzero(graders), np.flatnonzero(papers), int(lower[papers].sum()), can)


@kernel
def is_forbidden(fstart, fpapers, g, p):  # type: ignore[no-untyped-def]
    """Return whether grader g must not get paper p, by binary search."""
    low, high = fstart[g], fstart[g + 1]
    while low < high:
        middle = (low + high) // 2
        if fpapers[middle] < p:
            low = middle + 1
        else:
            high = middle
    return low < fstart[g + 1] and fpapers[low] == p


@kernel
def fits(held, start, fstart, fpapers, g, p, slot):  # type: ignore[no-untyped-def]
    """Return whether paper p fits into this slot of grader g: not forbidden, and in no other slot of this grader."""
    for other in range(start[g], start[g + 1]):
        if held[other] == p and other != slot:
            return False
    return not is_forbidden(fstart, fpapers, g, p)


@kernel
def settle(held, start, owner, fstart, fpapers, rng, tries):  # type: ignore[no-untyped-def]
    """Swap what is doubled or forbidden with random other slots; a slot without a partner is emptied."""
    slots = len(held)
    for slot in range(slots):
        p, g = held[slot], owner[slot]
        if p < 0 or fits(held, start, fstart, fpapers, g, p, slot):
            continue
        done = False
        for _ in range(tries):
            other = int(rng.random() * slots)
            h, q = owner[other], held[other]
            if h == g or q == p or q < 0:
                continue
            if fits(held, start, fstart, fpapers, g, q, slot) and fits(held, start, fstart, fpapers, h, p, other):
                held[slot], held[other] = q, p
                done = True
                break
        if not done:
            held[slot] = -1


@kernel
def stir(held, start, owner, fstart, fpapers, rng, times):  # type: ignore[no-untyped-def]
    """Try ``times`` random swaps: the loads stay, and all allotments with these loads become equally likely."""
    slots = len(held)
    for _ in range(times):
        slot, other = int(rng.random() * slots), int(rng.random() * slots)
        g, h, p, q = owner[slot], owner[other], held[slot], held[other]
        if g == h or p == q or p < 0 or q < 0:
            continue
        if fits(held, start, fstart, fpapers, g, q, slot) and fits(held, start, fstart, fpapers, h, p, other):
            held[slot], held[other] = q, p


@kernel
def chain(held, m):  # type: ignore[no-untyped-def]
    """Return the slots of every paper as a linked list: its first slot, and each slot's neighbours."""
    first = np.full(m, -1, np.int64)
    after = np.full(len(held), -1, np.int64)
    before = np.full(len(held), -1, np.int64)
    for slot in range(len(held)):
        if held[slot] >= 0:
            link(first, after, before, held[slot], slot)
    return first, after, before


@kernel
def link(first, after, before, p, slot):  # type: ignore[no-untyped-def]
    """Put a slot at the head of a paper's list."""
    after[slot], before[slot] = first[p], -1
    if first[p] >= 0:
        before[first[p]] = slot
    first[p] = slot


@kernel
def unlink(first, after, before, p, slot):  # type: ignore[no-untyped-def]
    """Take a slot out of a paper's list."""
    if before[slot] >= 0:
        after[before[slot]] = after[slot]
    else:
        first[p] = after[slot]
    if after[slot] >= 0:
        before[after[slot]] = before[slot]


@kernel
def serve(held, start, owner, fstart, fpapers, upper, holes, shelf, partial):  # type: ignore[no-untyped-def]
    """Fill the holes along augmenting paths, no paper beyond its upper bound.

    Returns (False, ...) when done; else True, and the graders and the papers that the search reached. The shelf
    holds the papers, those not reached yet in front; swapping keeps it whole from search to search.
    """
    n, m = len(start) - 1, len(upper)
    first, after, before = chain(held, m)
    load = np.zeros(m, np.int64)
    for slot in range(len(held)):
        if held[slot] >= 0:
            load[held[slot]] += 1
    mark = np.zeros(m, np.int64)
    call = 0
    reached = np.zeros(n, np.int64)
    lost = np.zeros(n, np.bool_)
    gives = np.empty(n, np.int64)
    taker = np.empty(m, np.int32)
    queue = np.empty(n, np.int32)
    graders = np.zeros(n, np.bool_)
    papers = np.zeros(m, np.bool_)
    for search in range(len(holes)):
        hole = holes[search]
        root = owner[hole]
        if lost[root]:
            continue
        left = m
        queue[0] = root
        reached[root] = search + 1
        gives[root] = hole
        head, tail = 0, 1
        end = -1
        while head < tail and end < 0:
            who = queue[head]
            head += 1
            call += 1
            for index in range(fstart[who], fstart[who + 1]):
                mark[fpapers[index]] = call
            for index in range(start[who], start[who + 1]):
                if held[index] >= 0:
                    mark[held[index]] = call
            s = 0
            while s < left:
                p = shelf[s]
                if mark[p] == call:
                    s += 1
                    continue
                left -= 1
                shelf[s], shelf[left] = shelf[left], p
                taker[p] = who
                if load[p] < upper[p]:
                    end = p
                    break
                slot = first[p]
                while slot >= 0:
                    h = owner[slot]
                    if reached[h] != search + 1:
                        reached[h] = search + 1
                        gives[h] = slot
                        queue[tail] = h
                        tail += 1
                    slot = after[slot]
        if end < 0:
            if partial:
                # Nothing leads out of what this search reached, now or later.
                for index in range(tail):
                    lost[queue[index]] = True
                continue
            for index in range(tail):
                graders[queue[index]] = True
            for index in range(left, m):
                papers[shelf[index]] = True
            return True, graders, papers
        load[end] += 1
        p = end
        while True:
            who = taker[p]
            slot = gives[who]
            old = held[slot]
            if old >= 0:
                unlink(first, after, before, old, slot)
            held[slot] = p
            link(first, after, before, p, slot)
            if who == root:
                break
            p = old
    return False, graders, papers


@kernel
def level(held, start, owner, pstart, pgraders, lower, wanting, shelf, m):  # type: ignore[no-untyped-def]
    """Bring papers below their lower bound up to it, at the cost of papers above theirs.

    Returns (False, ...) when done; else True, and the graders and the papers that the search reached. The shelf
    holds the graders, those not reached yet in front.
    """
    n = len(start) - 1
    first, after, before = chain(held, m)
    load = np.zeros(m, np.int64)
    for slot in range(len(held)):
        load[held[slot]] += 1
    mark = np.zeros(n, np.int64)
    call = 0
    reached = np.zeros(m, np.int64)
    gives = np.empty(m, np.int64)
    takes = np.empty(n, np.int32)
    queue = np.empty(m, np.int32)
    graders = np.zeros(n, np.bool_)
    papers = np.zeros(m, np.bool_)
    search = 0
    for at_wanting in range(len(wanting)):
        root = wanting[at_wanting]
        while load[root] < lower[root]:
            search += 1
            left = n
            queue[0] = root
            reached[root] = search
            head, tail = 0, 1
            end = -1
            while head < tail and end < 0:
                p = queue[head]
                head += 1
                call += 1
                for index in range(pstart[p], pstart[p + 1]):
                    mark[pgraders[index]] = call
                slot = first[p]
                while slot >= 0:
                    mark[owner[slot]] = call
                    slot = after[slot]
                s = 0
                while s < left and end < 0:
                    g = shelf[s]
                    if mark[g] == call:
                        s += 1
                        continue
                    left -= 1
                    shelf[s], shelf[left] = shelf[left], g
                    takes[g] = p
                    for slot in range(start[g], start[g + 1]):
                        q = held[slot]
                        if reached[q] != search:
                            reached[q] = search
                            gives[q] = slot
                            if load[q] > lower[q]:
                                end = q
                                break
                            queue[tail] = q
                            tail += 1
            if end < 0:
                for index in range(left, n):
                    graders[shelf[index]] = True
                for index in range(tail):
                    papers[queue[index]] = True
                return True, graders, papers
            load[end] -= 1
            load[root] += 1
            q = end
            while q != root:
                slot = gives[q]
                p = takes[owner[slot]]
                unlink(first, after, before, q, slot)
                held[slot] = p
                link(first, after, before, p, slot)
                q = p
    return False, graders, papers


@kernel
def shuffle_rows(held, start, rng):  # type: ignore[no-untyped-def]
    """Shuffle the papers of every grader, so that positions carry no information."""
    for g in range(len(start) - 1):
        for index in range(start[g + 1] - 1, start[g], -1):
            other = start[g] + int(rng.random() * (index - start[g] + 1))
            held[index], held[other] = held[other], held[index]
