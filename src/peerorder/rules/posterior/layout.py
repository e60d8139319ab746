"""A profile as the sampler walks through it: by ballot, by paper, by grader and by author, in compressed rows."""

from typing import NamedTuple

import numpy as np

from peerorder.core.arrays import Int32Array
from peerorder.core.profile import Profile

__all__ = ["Layout", "make_layout"]


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
    authored: Int32Array
    signed: Int32Array
    authors: Int32Array
    ties: Int32Array
    """The first entry of every tie, and the one behind its last, in two columns."""
    tie_begin: Int32Array
    """The first entry of the tie that an entry is in, itself where it is in none; empty where there are no ties."""
    tie_end: Int32Array
    """The entry behind the last one of that tie."""
    ranked: int
    """How many papers are on ballots."""


def make_layout(profile: Profile) -> Layout:
    """The rows of a profile."""
    start = profile.start.astype(np.int32)
    first, entry = _rows(profile.papers, profile.n_papers)
    slot = np.empty(len(entry), np.int32)
    slot[entry] = np.arange(len(entry), dtype=np.int32)
    ballot = np.repeat(np.arange(len(profile), dtype=np.int32), profile.sizes)[entry]
    given, ballots = _rows(profile.grader, profile.n_graders)
    writers = np.flatnonzero(profile.authored >= 0).astype(np.int32)
    signed, at = _rows(profile.authored[writers], profile.n_papers)
    no_entries = np.empty(0, np.int32)
    ties, tie_begin, tie_end = np.empty((0, 2), np.int32), no_entries, no_entries
    if profile.levels is not None:
        begins = np.ones(len(profile.papers) + 1, bool)
        begins[1:-1] = profile.levels[1:] != profile.levels[:-1]
        begins[start] = True
        bounds = np.flatnonzero(begins).astype(np.int32)
        sizes = np.diff(bounds)
        tie_begin, tie_end = np.repeat(bounds[:-1], sizes), np.repeat(bounds[1:], sizes)
        ties = np.stack([bounds[:-1], bounds[1:]], axis=1)[sizes > 1]
    ranked = int((profile.rankings > 0).sum())
    return Layout(
        start=start,
        first=first,
        ballot=ballot,
        entry=entry,
        slot=slot,
        given=given,
        ballots=ballots,
        authored=profile.authored,
        signed=signed,
        authors=writers[at],
        ties=ties,
        tie_begin=tie_begin,
        tie_end=tie_end,
        ranked=ranked,
    )


def _rows(keys: Int32Array, n: int) -> tuple[Int32Array, Int32Array]:
    """Where the items of every key begin when sorted by key, and the items in that order."""
    begin = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(keys, minlength=n), out=begin[1:])
    return begin, np.argsort(keys, kind="stable").astype(np.int32)
