"""Connecting components: swaps that change no load link papers that no chain of ballots compares.

Two components become one when (g, p) and (h, q), one of each, become (g, q) and (h, p), provided that one of the two
edges lies on a cycle: then its component stays whole without it. So the edges outside a spanning forest are
what swaps use up, and there are enough of these as soon as there are as many edges as nodes less one.
"""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from peerorder.core.arrays import AnyIntArray, Int32Array, group_by
from peerorder.core.graph import root_of
from peerorder.core.jit import kernel
from peerorder.core.randomness import Generator
from peerorder.schemes.balanced import Forbidden, is_forbidden

__all__ = ["components_of", "connect"]

PASSES = 20
TRIES = 400


def components_of(ballot: AnyIntArray, paper: AnyIntArray, n_papers: int) -> tuple[int, Int32Array]:
    """Return the number of groups of papers that no ballot compares with each other, and the group of every paper."""
    if n_papers == 0:
        return 0, np.zeros(0, np.int32)
    rows = int(np.max(ballot, initial=-1)) + 1
    size = n_papers + rows
    edges = coo_array((np.ones(len(paper), np.int8), (np.asarray(ballot) + n_papers, paper)), shape=(size, size))
    labels = connected_components(edges.tocsr(), directed=False)[1][:n_papers]
    _, compact = np.unique(labels, return_inverse=True)
    return int(compact.max()) + 1, compact.astype(np.int32)


def connect(
    held: Int32Array,
    owner: Int32Array,
    forbidden: Forbidden,
    rng: Generator,
    fixed: tuple[AnyIntArray, AnyIntArray] | None = None,
) -> int:
    """Swap papers in ``held`` until the comparison graph is connected, if possible; return the components left.

    Parameters
    ----------
    held, owner
        The paper and the grader of every slot that may change; ``held`` is changed.
    forbidden
        Pairs that must not meet, including what each grader already has.
    fixed
        Ballot and paper of everything that may not change. Ballots are numbered as graders are, or beyond them.
    """
    m = forbidden.n_papers
    ballots, papers = fixed if fixed is not None else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    rows = max(int(np.max(ballots, initial=-1)), int(np.max(owner, initial=-1))) + 1
    left = components_of(np.concatenate([ballots, owner]), np.concatenate([papers, held]), m)[0]
    for _ in range(PASSES):
        if left <= 1 or not len(held):
            break
        order = rng.permutation(len(held))
        label, spare = forest(ballots, papers, owner, held, order, rows, m)
        parts, place = np.unique(label, return_inverse=True)
        of_slot: Int32Array = place.astype(np.int32)
        cycles = np.bincount(of_slot[spare], minlength=len(parts))
        if not cycles.any():
            break
        # Those with cycles first: they use up none of the main component's.
        turn = np.lexsort([rng.random(len(parts)), -np.minimum(cycles, 1)])
        main = int(np.argmax(cycles))
        begin, index = group_by(of_slot, len(parts))
        swap_into_main(
            held, owner, forbidden.start, forbidden.paper, spare, begin, index, turn[turn != main], main, rng, TRIES
        )
        left = components_of(np.concatenate([ballots, owner]), np.concatenate([papers, held]), m)[0]
    return left


@kernel
def forest(ballots, papers, owner, held, order, rows, m):  # type: ignore[no-untyped-def]
    """Return the component of every slot, and whether it is outside a spanning forest that prefers what is fixed."""
    parent = np.arange(rows + m)
    for index in range(len(ballots)):
        a, b = root_of(parent, ballots[index]), root_of(parent, rows + papers[index])
        parent[a] = b
    spare = np.zeros(len(held), np.bool_)
    for slot in order:
        a, b = root_of(parent, owner[slot]), root_of(parent, rows + held[slot])
        spare[slot] = a == b
        parent[a] = b
    label = np.empty(len(held), np.int64)
    for slot in range(len(held)):
        label[slot] = root_of(parent, owner[slot])
    return label, spare


@kernel
def swap_into_main(held, owner, fstart, fpapers, spare, begin, index, turn, main, rng, tries):  # type: ignore[no-untyped-def]
    """Connect each component to the main one by one swap, where one is allowed."""
    pool = np.empty(len(held), np.int64)
    mainland = np.empty(len(held), np.int64)
    pool_size = land = 0
    for x in range(begin[main], begin[main + 1]):
        mainland[land] = index[x]
        land += 1
        if spare[index[x]]:
            pool[pool_size] = index[x]
            pool_size += 1
    own = np.empty(len(held), np.int64)
    for part in turn:
        if pool_size == 0:
            return
        # The slots on cycles, or all slots where there are none.
        cyclic = 0
        for x in range(begin[part], begin[part + 1]):
            if spare[index[x]]:
                own[cyclic] = index[x]
                cyclic += 1
        size = cyclic
        if cyclic == 0:
            for x in range(begin[part], begin[part + 1]):
                own[size] = index[x]
                size += 1
        for attempt in range(tries):
            pick, lend = int(rng.random() * size), int(rng.random() * pool_size)
            slot, other = own[pick], pool[lend]
            if cyclic and attempt % 2:
                # One edge on a cycle is enough: the other may be any.
                other = mainland[int(rng.random() * land)]
            g, p, h, q = owner[slot], held[slot], owner[other], held[other]
            if is_forbidden(fstart, fpapers, g, q) or is_forbidden(fstart, fpapers, h, p):
                continue
            held[slot], held[other] = q, p
            if cyclic:
                # One of the two new edges joins, the other closes a cycle, and so do the component's own.
                for x in range(cyclic):
                    if x != pick:
                        pool[pool_size] = own[x]
                        pool_size += 1
            else:
                pool_size -= 1
                pool[lend] = pool[pool_size]
            for x in range(begin[part], begin[part + 1]):
                mainland[land] = index[x]
                land += 1
            break
