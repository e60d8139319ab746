"""Late joiners: papers for new graders and graders for new papers, without changing anybody else's papers.

A new paper gets as many rankings as the others have on average, all but one from other new graders where these
suffice, and at least one from an earlier grader: on that ballot it meets papers that are on everybody else's
ballots. Earlier graders get at most one more paper. The remaining slots of new graders go to the earlier
papers, evenly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerorder.core.arrays import AnyIntArray, Int32Array, IntArray, as_indices
from peerorder.core.errors import HandoutError
from peerorder.core.randomness import Generator, generator
from peerorder.core.translation import gettext as _
from peerorder.schemes.allocation import enough_for_each, enough_to_compare, forbidden_pairs, refusal
from peerorder.schemes.balanced import Allotment, Blocked, Forbidden, allot, allot_levelling
from peerorder.schemes.connecting import components_of, connect

__all__ = ["LateJoiners", "add_late_joiners"]


@dataclass(frozen=True, eq=False)
class LateJoiners:
    """The new rows, in shuffled order for each grader."""

    grader: Int32Array
    paper: Int32Array
    joined: IntArray
    """Graders who had nothing before."""
    late: IntArray
    """Papers that nobody had before."""
    one_more: IntArray
    """Graders who had papers before and get one more."""
    target: int
    """How many rankings every late paper should get."""
    short: IntArray
    """Late papers that get fewer."""
    components: int


def add_late_joiners(
    rows: tuple[AnyIntArray, AnyIntArray],
    authored: ArrayLike,
    n_papers: int,
    k: int,
    rng: Generator | int,
    *,
    conflicts: Iterable[tuple[int, int]] = (),
    excused: ArrayLike | None = None,
    begun: ArrayLike | None = None,
    graders: Sequence[str] | None = None,
    papers: Sequence[str] | None = None,
) -> LateJoiners:
    """Return the rows to add to a hand-out for graders and papers that are not in it.

    Parameters
    ----------
    rows
        The grader and the paper of every row of the hand-out.
    authored, n_papers, conflicts, excused, graders, papers
        As for ``allocate``.
    k
        The number of papers for each new grader.
    begun
        Graders who have looked at their papers. They would notice which paper is late, so they get one only where
        the others do not suffice.
    """
    rng = generator(rng)
    k = enough_to_compare(k)
    own = as_indices(authored, "authored", -1, n_papers, HandoutError)
    n = len(own)
    free = np.zeros(n, bool) if excused is None else np.asarray(excused, bool)
    last = np.zeros(n, bool) if begun is None else np.asarray(begun, bool)
    who, what = (np.asarray(side, np.int64) for side in rows)
    pairs = np.array(list(conflicts), np.int64).reshape(-1, 2)
    forbidden = forbidden_pairs(own, n_papers, pairs)
    loads = np.bincount(what, minlength=n_papers)
    has = np.bincount(who, minlength=n) > 0
    joined, before = np.flatnonzero(~has & ~free), np.flatnonzero(has & ~free)
    late = np.flatnonzero(loads == 0)
    enough_for_each(np.where(~has & ~free, k, 0), forbidden, graders)
    forbidden = forbidden.union(who, what)
    target = max(1, round(float(loads[loads > 0].mean()))) if len(what) else k
    among = _among_themselves(joined, late, before, k, target, forbidden, rng)
    forbidden = forbidden.union(*among)
    demand = np.where(~has & ~free, k, 0) - np.bincount(among[0], minlength=n)
    rest = allot_levelling(demand, loads, loads > 0, forbidden, rng)
    if isinstance(rest, Blocked):
        raise HandoutError(refusal(rest, graders, papers))
    forbidden = forbidden.union(*(side.astype(np.int64) for side in rest.rows))
    loads = loads + np.bincount(np.concatenate([among[1], rest.rows[1]]), minlength=n_papers)
    first = _from_those_before(before[~last[before]], late, np.maximum(target - loads[late], 0), forbidden, rng)
    loads = loads + np.bincount(first[1], minlength=n_papers)
    then = _from_those_before(before[last[before]], late, np.maximum(target - loads[late], 0), forbidden, rng)
    owner, held = (np.concatenate(parts).astype(np.int32) for parts in zip(among, rest.rows, first, then, strict=True))
    connect(held, owner, forbidden, rng, fixed=(who, what))
    owner, held = _bridges(owner, held, (who, what), before, last, late, forbidden, rng)
    order = np.lexsort((rng.random(len(owner)), owner))
    owner, held = owner[order], held[order]
    every = (np.concatenate([who, owner]), np.concatenate([what, held]))
    return LateJoiners(
        grader=owner,
        paper=held,
        joined=joined,
        late=late,
        one_more=np.intersect1d(owner, before),
        target=target,
        short=late[np.bincount(every[1], minlength=n_papers)[late] < target],
        components=components_of(*every, n_papers)[0],
    )


def _among_themselves(
    joined: IntArray, late: IntArray, before: IntArray, k: int, target: int, forbidden: Forbidden, rng: Generator
) -> tuple[IntArray, IntArray]:
    """Give late papers to late graders, one ranking fewer than wanted where an earlier grader can add it."""
    wanted = np.full(len(late), target)
    wanted[rng.permutation(len(late))[: len(before)]] -= 1
    transposed = forbidden.among(joined, late).transposed()
    result = allot(wanted, np.zeros(len(joined), np.int64), np.full(len(joined), k), transposed, rng, partial=True)
    return _back(result, late, joined)


def _from_those_before(
    before: IntArray, late: IntArray, wanted: IntArray, forbidden: Forbidden, rng: Generator
) -> tuple[IntArray, IntArray]:
    """Give one more paper to as many earlier graders as are needed."""
    transposed = forbidden.among(before, late).transposed()
    result = allot(
        wanted, np.zeros(len(before), np.int64), np.ones(len(before), np.int64), transposed, rng, partial=True
    )
    return _back(result, late, before)


def _back(result: Allotment | Blocked, papers: IntArray, graders: IntArray) -> tuple[IntArray, IntArray]:
    """Return grader and paper of an allotment of graders to papers."""
    if isinstance(result, Blocked):
        raise HandoutError(_("a partial allotment is never refused"))
    return graders[result.rows[1]], papers[result.rows[0]]


def _bridges(
    owner: Int32Array,
    held: Int32Array,
    fixed: tuple[IntArray, IntArray],
    before: IntArray,
    last: NDArray[np.bool_],
    late: IntArray,
    forbidden: Forbidden,
    rng: Generator,
) -> tuple[Int32Array, Int32Array]:
    """Give late papers that form a component of their own one more grader from the main one, where possible."""
    m = forbidden.n_papers
    labels = components_of(np.concatenate([fixed[0], owner]), np.concatenate([fixed[1], held]), m)[1]
    islands = np.setdiff1d(labels[late], labels[np.setdiff1d(np.arange(m), late)])
    free = sorted(rng.permutation(np.setdiff1d(before, owner)).tolist(), key=last.__getitem__)
    for island in islands.tolist():
        candidates = rng.permutation(late[labels[late] == island]).tolist()
        for g in free:
            paper = next((p for p in candidates if not forbidden.contains(g, p)), None)
            if paper is not None:
                owner, held = np.append(owner, np.int32(g)), np.append(held, np.int32(paper))
                free.remove(g)
                break
    return owner, held
