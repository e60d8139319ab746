import networkx as nx
import numpy as np
from hypothesis import event, given, strategies as st

from peerorder.core import child
from peerorder.schemes.balanced import Forbidden
from peerorder.schemes.connecting import components_of, connect

from .classes import components

NONE = np.zeros(0, np.int64)


@given(
    edges=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=20),
    fixed=st.sets(st.tuples(st.integers(6, 8), st.integers(0, 6)), max_size=6),
    banned=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 6)), max_size=6),
    seed=st.integers(0, 99),
)
def test_swaps_keep_all_degrees_and_never_part_what_is_joined(edges, fixed, banned, seed):
    banned -= edges
    owner, held = (
        (np.array(side, np.int32) for side in zip(*edges, strict=True)) if edges else (NONE.astype(np.int32),) * 2
    )
    still = tuple(np.array(side, np.int64) for side in zip(*fixed, strict=True)) if fixed else (NONE, NONE)
    barred = tuple(np.array(side, np.int64) for side in zip(*banned, strict=True)) if banned else (NONE, NONE)
    before = components([*owner, *still[0]], [*held, *still[1]], 7)
    loads = np.bincount(held, minlength=7)
    assert components_of(np.concatenate([owner, still[0]]), np.concatenate([held, still[1]]), 7)[0] == before
    left = connect(held, owner, Forbidden(*barred, 6, 7), child(seed), fixed=still)
    assert left == components([*owner, *still[0]], [*held, *still[1]], 7) <= before
    event(f"{before - left} joined")
    now = {*zip(owner.tolist(), held.tolist(), strict=True)}
    assert len(now) == len(owner)
    assert not now & banned
    assert np.bincount(held, minlength=7).tolist() == loads.tolist()


@given(seed=st.integers(0, 99), n=st.integers(2, 12))
def test_with_enough_edges_and_nothing_forbidden_all_become_one(seed, n):
    """Cycles and single edges: as many edges as nodes less one or more, so that there is a way."""
    cycles = nx.disjoint_union_all([nx.complete_bipartite_graph(2, 2) for _ in range(n)])
    owner = np.array([edge[0] // 4 * 2 + edge[0] % 4 for edge in cycles.edges], np.int32)
    held = np.array([edge[1] // 4 * 2 + edge[1] % 4 - 2 for edge in cycles.edges], np.int32)
    assert components(owner, held, 2 * n) == n
    assert connect(held, owner, Forbidden(NONE, NONE, 2 * n, 2 * n), child(seed)) == 1
    assert components(owner, held, 2 * n) == 1


def test_a_cycle_pays_for_a_tree(rng):
    # A 4-cycle on papers 0 and 1, and a grader with papers 2 and 3.
    owner, held = np.array([0, 0, 1, 1, 2, 2], np.int32), np.array([0, 1, 0, 1, 2, 3], np.int32)
    assert connect(held, owner, Forbidden(NONE, NONE, 3, 4), rng) == 1


def test_trees_alone_cannot_be_joined(rng):
    owner, held = np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 2, 3], np.int32)
    assert connect(held, owner, Forbidden(NONE, NONE, 2, 4), rng) == 2


def test_no_papers():
    many, labels = components_of(NONE, NONE, 0)
    assert (many, len(labels)) == (0, 0)
