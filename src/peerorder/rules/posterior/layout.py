"""A profile as the sampler walks through it: by ballot, by paper, by grader and by author, in compressed rows."""

from typing import NamedTuple

import numpy as np

from peerorder.core.arrays import Int32Array
from peerorder.core.profile import Profile

__all__ = ["Layout", "laid_out"]


class Layout(NamedTuple):
    """Shared by all chains and never written to.

    An entry is one paper on one ballot, in the order of the ballots; a slot is the same entry in the order of
    the papers. Ballot b has the entries ``start[b]`` to ``start[b + 1]``, paper i the slots ``first[i]`` to
    ``first[i + 1]``, grader g the ballots ``ballots[given[g]:given[g + 1]]``, and paper i was written by
    ``authors[signed[i]:signed[i + 1]]``.
    """

    start: Int32Array
    first: Int32Array
    ballot: Int32Array
    """The ballot of every slot."""
    entry: Int32Array
    """The entry of every slot, as the ballots are written."""
    slot: Int32Array
    """The slot of every entry, as the ballots are written."""
    given: Int32Array
    ballots: Int32Array
    wrote: Int32Array
    signed: Int32Array
    authors: Int32Array
    tied: Int32Array
    """Every entry that is tied with the next one."""
    ranked: int
    """How many papers are on ballots."""


def laid_out(profile: Profile) -> Layout:
    """The rows of a profile."""
    start = profile.start.astype(np.int32)
    first, entry = _rows(profile.papers, profile.n_papers)
    slot = np.empty(len(entry), np.int32)
    slot[entry] = np.arange(len(entry), dtype=np.int32)
    ballot = np.repeat(np.arange(len(profile), dtype=np.int32), profile.sizes)[entry]
    given, ballots = _rows(profile.grader, profile.n_graders)
    writers = np.flatnonzero(profile.wrote >= 0).astype(np.int32)
    signed, at = _rows(profile.wrote[writers], profile.n_papers)
    tied = np.empty(0, np.int32)
    if profile.levels is not None:
        # Levels begin anew at 0 in every ballot, so two equal neighbours are in one ballot unless both are 0.
        same = profile.levels[1:] == profile.levels[:-1]
        same[start[1:-1][(start[1:-1] > 0) & (start[1:-1] < len(profile.papers))] - 1] = False
        tied = np.flatnonzero(same).astype(np.int32)
    ranked = int((profile.rankings > 0).sum())
    return Layout(start, first, ballot, entry, slot, given, ballots, profile.wrote, signed, writers[at], tied, ranked)


def _rows(keys: Int32Array, n: int) -> tuple[Int32Array, Int32Array]:
    """Where the items of every key begin when sorted by key, and the items in that order."""
    begin = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(keys, minlength=n), out=begin[1:])
    return begin, np.argsort(keys, kind="stable").astype(np.int32)
