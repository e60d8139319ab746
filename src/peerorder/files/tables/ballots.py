"""Which entries of a file of rankings make a ballot, and the ballots in order."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.graph import first_row_with_repeat
from peerorder.core.jit import kernel
from peerorder.files.formats.sheets import Column

__all__ = ["Ballots", "ballots_of", "grouped", "levels_of", "repeats"]

SHORT = 32


@dataclass(frozen=True, eq=False)
class Ballots:
    """The ballot of every entry as a number, and the grader of every ballot."""

    of: Int32Array
    grader: Int32Array
    called: Column | None = None
    """What every ballot is called, where the file says so."""

    def some(self, kept: NDArray[np.bool_]) -> "Ballots":
        """With some of the entries; a ballot may be empty then."""
        return self if kept.all() else Ballots(self.of[kept], self.grader, self.called)

    @property
    def begin(self) -> IntArray:
        """Where each ballot begins when all entries are in the order of their ballots."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.of, minlength=len(self.grader)))])


def ballots_of(grader: Int32Array, n_graders: int, ballot: Column | None) -> Ballots:
    """A ballot for every grader, or for every grader and every text in the column."""
    if ballot is None:
        return Ballots(grader, np.arange(n_graders, dtype=np.int32))
    many = max(len(ballot.words), 1)
    pairs, of = np.unique(grader.astype(np.int64) * many + ballot.codes, return_inverse=True)
    called = Column((pairs % many).astype(np.int32), ballot.words)
    return Ballots(of.astype(np.int32), (pairs // many).astype(np.int32), called)


def repeats(ballots: Ballots, paper: Int32Array, n_papers: int) -> Iterator[tuple[int, int]]:
    """Entries whose paper is on the same ballot already, each with the entry before."""
    begin = ballots.begin
    if first_row_with_repeat(grouped(ballots.of, begin, paper, np.zeros_like(paper))[0], begin, n_papers) < 0:
        return
    pairs = ballots.of.astype(np.int64) * n_papers + paper
    order = np.argsort(pairs, kind="stable")
    for at in np.flatnonzero(pairs[order][1:] == pairs[order][:-1]):
        yield int(order[at + 1]), int(order[at])


@kernel
def grouped(of, begin, paper, rank):  # type: ignore[no-untyped-def]
    """Papers and ranks in the order of their ballots, in each by rank; ballot b has the places from ``begin[b]``."""
    papers = np.empty(len(of), np.int32)
    ranks = np.empty(len(of), np.int32)
    filled = begin[:-1].copy()
    for at in range(len(of)):
        place = filled[of[at]]
        filled[of[at]] += 1
        papers[place], ranks[place] = paper[at], rank[at]
    for b in range(len(begin) - 1):
        first, last = begin[b], begin[b + 1]
        if last - first > SHORT:
            order = np.argsort(ranks[first:last], kind="mergesort")
            papers[first:last] = papers[first:last][order]
            ranks[first:last] = ranks[first:last][order]
            continue
        for at in range(first + 1, last):
            place, p, r = at, papers[at], ranks[at]
            while place > first and ranks[place - 1] > r:
                ranks[place], papers[place] = ranks[place - 1], papers[place - 1]
                place -= 1
            ranks[place], papers[place] = r, p
    return papers, ranks


@kernel
def levels_of(ranks, start):  # type: ignore[no-untyped-def]
    """Tie levels of ballots whose ranks rise, 0 at the best and one more where the rank is another; and if any tie."""
    levels = np.zeros(len(ranks), np.int32)
    ties = False
    for b in range(len(start) - 1):
        for place in range(start[b] + 1, start[b + 1]):
            more = ranks[place] != ranks[place - 1]
            levels[place] = levels[place - 1] + more
            ties |= not more
    return levels, ties
