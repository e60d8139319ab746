"""Ballots of a file of rankings: which entries form a ballot, and the ballots in order."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array, IntArray
from peerorder.core.graph import first_row_with_repeat
from peerorder.files.formats.sheets import Column

__all__ = ["Ballots", "ballots_of", "grouped", "levels_of", "repeats"]


@dataclass(frozen=True, eq=False)
class Ballots:
    """The ballot of every entry as a number, and the grader of every ballot."""

    of: Int32Array
    grader: Int32Array
    called: Column | None = None
    """The name of every ballot, where the file has names."""

    def some(self, kept: NDArray[np.bool_]) -> "Ballots":
        """Return the ballots with some of the entries; a ballot may then be empty."""
        return self if kept.all() else Ballots(self.of[kept], self.grader, self.called)

    @cached_property
    def begin(self) -> IntArray:
        """The offset of each ballot when all entries are in the order of their ballots."""
        # The entries of a ballot mostly follow each other, and counting a stretch takes as long as counting an entry.
        first = np.flatnonzero(np.append(True, self.of[1:] != self.of[:-1])[: len(self.of)])
        sizes = np.bincount(self.of[first], np.diff(first, append=len(self.of)), len(self.grader))
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def ballots_of(grader: Int32Array, n_graders: int, ballot: Column | None) -> Ballots:
    """Return a ballot for every grader, or for every grader and every text in the column."""
    if ballot is None:
        return Ballots(grader, np.arange(n_graders, dtype=np.int32))
    number = max(len(ballot.words), 1)
    pairs, of = np.unique(grader.astype(np.int64) * number + ballot.codes, return_inverse=True)
    called = Column((pairs % number).astype(np.int32), ballot.words)
    return Ballots(of.astype(np.int32), (pairs // number).astype(np.int32), called)


def repeats(ballots: Ballots, paper: Int32Array, n_papers: int) -> Iterator[tuple[int, int]]:
    """Yield entries whose paper is already on the same ballot, each with the entry before."""
    if first_row_with_repeat(grouped(ballots.of, paper, np.zeros_like(paper))[0], ballots.begin) < 0:
        return
    pairs = ballots.of.astype(np.int64) * n_papers + paper
    order = np.argsort(pairs, kind="stable")
    for index in np.flatnonzero(pairs[order][1:] == pairs[order][:-1]):
        yield int(order[index + 1]), int(order[index])


def grouped(of: Int32Array, paper: Int32Array, rank: Int32Array) -> tuple[Int32Array, Int32Array]:
    """Return papers and ranks in the order of their ballots, in each by rank."""
    if ((of[1:] > of[:-1]) | ((of[1:] == of[:-1]) & (rank[1:] >= rank[:-1]))).all():
        return paper, rank
    order = np.lexsort((rank, of))
    return paper[order], rank[order]


def levels_of(ranks: Int32Array, start: IntArray) -> Int32Array | None:
    """Return tie levels of ballots whose ranks rise, 0 at the best and one more where the rank is another.

    None where there is no tie.
    """
    sizes = np.diff(start)
    first = start[:-1][sizes > 0]
    new = np.ones(len(ranks), bool)
    np.not_equal(ranks[1:], ranks[:-1], out=new[1:])
    new[first] = True
    if new.all():
        return None
    levels = np.cumsum(new, dtype=np.int32)
    return levels - np.repeat(levels[first], sizes[sizes > 0])
