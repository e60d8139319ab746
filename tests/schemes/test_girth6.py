from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import SchemeError, child
from peerorder.schemes import SCHEMES, girth6
from peerorder.schemes.girth6 import _holders, _join, break_four_cycles, on_four_cycle, smallest_n, stir, try_switch
from peerorder.schemes.golomb import ruler
from peerorder.schemes.planes import plane
from peerorder.schemes.random_regular import random_rows

from .graphs import as_graph, assert_grading_scheme, isomorphic, meetings, most_shared, rows_of

SMALLEST = {2: 3, 3: 7, 4: 13, 5: 23, 6: 35, 7: 51, 8: 69, 12: 171}


def assert_girth_6_and_connected(rows, n, k):
    assert_grading_scheme(rows, n, k)
    assert most_shared(rows) == 1
    assert nx.is_connected(as_graph(rows))


def cyclic(n, k):
    """The graph from which a stirred one starts."""
    return [[(i + mark) % n for mark in ruler(k)] for i in range(n)]


def triangles(rows):
    """In how many triangles of papers that meet each paper is: a picture of the graph without its numbers."""
    return sorted(nx.triangles(meetings(rows)).values())


@pytest.mark.parametrize(("k", "n"), SMALLEST.items())
def test_smallest_n(k, n):
    assert smallest_n(k) == n


@pytest.mark.parametrize("k", SMALLEST)
def test_every_n_from_the_smallest_on(k):
    least = SMALLEST[k]
    more = (0, 1) if k == 12 else (0, 1, 2, 3, 4, 7, least, 2 * least, 3 * least + 1)
    for n in (least + m for m in more):
        for seed in range(1 if k > 5 else 2):
            rows = rows_of(SCHEMES["girth6"].build(n, k, child(seed, n, k)))
            assert_girth_6_and_connected(rows, n, k)


@pytest.mark.parametrize(("n", "k"), [(600, 8), (650, 12), (1500, 3), (2000, 2)])
def test_larger_n(n, k, rng):
    assert_girth_6_and_connected(rows_of(SCHEMES["girth6"].build(n, k, rng)), n, k)


@pytest.mark.parametrize("k", [3, 4, 5, 8, 12, 20])
def test_below_the_smallest_n_the_error_says_how_large(k, rng):
    n = smallest_n(k) - 1
    message = f"girth6 with k={k} needs at least {n + 1} papers, but n={n}"
    with pytest.raises(SchemeError, match=message):
        SCHEMES["girth6"].build(n, k, rng)
    assert len(SCHEMES["girth6"].build(n + 1, k, rng)) == n + 1


def test_bundles_of_one_paper_are_refused(rng):
    with pytest.raises(SchemeError, match="girth6 needs a k of at least 2"):
        SCHEMES["girth6"].build(10, 1, rng)


@pytest.mark.parametrize(
    ("n", "k", "start"), [(60, 4, "random"), (200, 6, "random"), (14, 4, "cyclic"), (75, 8, "cyclic")]
)
def test_both_starts_are_reached(n, k, start, rng, monkeypatch):
    stirred = []

    def recorded(rows, *rest):
        stirred.append(rows.tolist())
        stir(rows, *rest)

    monkeypatch.setattr(girth6, "stir", recorded)
    assert_girth_6_and_connected(rows_of(SCHEMES["girth6"].build(n, k, rng)), n, k)
    assert stirred == ([cyclic(n, k)] if start == "cyclic" else [])


@pytest.mark.parametrize(("n", "k"), [(3, 2), (10, 2), (7, 3), (60, 3), (100, 5), (150, 7)])
def test_cyclic_start_is_right_wherever_it_is_needed(n, k, rng, monkeypatch):
    monkeypatch.setattr(girth6, "break_four_cycles", lambda *_: False)
    assert_girth_6_and_connected(rows_of(SCHEMES["girth6"].build(n, k, rng)), n, k)


def test_at_the_order_of_a_plane_there_is_nothing_but_the_plane(rng):
    for k in (2, 3, 4):
        assert isomorphic(rows_of(SCHEMES["girth6"].build(SMALLEST[k], k, rng)), plane(k - 1).tolist())


@pytest.mark.parametrize(("n", "k"), [(20, 3), (60, 4), (20, 4), (40, 5)])
def test_other_seeds_give_other_graphs(n, k):
    """Not only other numbers on the papers of the same graph; the last two have a cyclic start."""
    pictures = [triangles(rows_of(SCHEMES["girth6"].build(n, k, child(seed)))) for seed in range(6)]
    assert len({*map(tuple, pictures)}) > 3
    # All papers of a cyclic graph look alike; stirred, they do not.
    assert len({*triangles(cyclic(n, k))}) == 1
    assert all(len({*picture}) > 1 for picture in pictures)


@pytest.mark.parametrize(("q", "copies"), [(1, 2), (1, 7), (2, 2), (2, 6), (3, 4), (5, 2)])
def test_joining_disjoint_planes_makes_no_four_cycle(q, copies):
    n, k = copies * (q * q + q + 1), q + 1
    apart = np.concatenate([plane(q) + copy * (q * q + q + 1) for copy in range(copies)]).astype(np.int32)
    for seed in range(15):
        rows = _join(apart.copy(), child(seed)).matrix
        assert_girth_6_and_connected(rows.tolist(), n, k)
        # One switch a component, and no more.
        assert (rows != apart).sum() <= 2 * (copies - 1)


def test_joining_what_is_connected_changes_nothing(rng):
    rows = _join(plane(3).astype(np.int32), rng).matrix
    assert rows.tolist() == plane(3).tolist()


def edges_of(rows):
    return {(b, int(p)) for b, row in enumerate(rows) for p in row}


def slow_on_four_cycle(edges, b, p):
    """Another bundle and another paper, with all three other edges there."""
    others = [q for c, q in edges if c == b and q != p]
    holders = [c for c, q in edges if q == p and c != b]
    return any((c, q) in edges for c in holders for q in others)


def assert_holders(rows, holders):
    start = [sorted(b for b, row in enumerate(rows) if p in row) for p in range(len(rows))]
    assert np.sort(holders, axis=1).tolist() == start


@st.composite
def regular_rows(draw):
    n = draw(st.integers(3, 14))
    k = draw(st.integers(2, min(4, n - 1)))
    return random_rows(n, k, child(draw(st.integers(0, 999))))


@given(regular_rows())
def test_four_cycles_through_an_edge_are_what_the_definition_says(rows):
    holders, mark = _holders(rows), np.zeros(len(rows) + 1, np.int64)
    assert_holders(rows, holders)
    edges = edges_of(rows)
    for b, p in edges:
        assert on_four_cycle(rows, holders, b, p, mark) == slow_on_four_cycle(edges, b, p)


@given(regular_rows(), st.integers(0, 999))
def test_a_switch_is_made_exactly_where_no_new_edge_is_on_a_four_cycle(rows, seed):
    rng = child(seed)
    n, k = rows.shape
    holders, mark = _holders(rows), np.zeros(n + 1, np.int64)
    for _ in range(25):
        b, c = rng.integers(n, size=2)
        i, j = rng.integers(k, size=2)
        before, p, q = edges_of(rows), int(rows[b, i]), int(rows[c, j])
        after = before - {(b, p), (c, q)} | {(b, q), (c, p)}
        allowed = (
            b != c
            and p != q
            and not {(b, q), (c, p)} & before
            and not slow_on_four_cycle(after, b, q)
            and not slow_on_four_cycle(after, c, p)
        )
        assert try_switch(rows, holders, b, i, c, j, mark) == allowed
        assert edges_of(rows) == (after if allowed else before)
        assert_holders(rows, holders)


@pytest.mark.parametrize(("n", "k"), [(8, 3), (30, 4), (60, 4)])
def test_breaking_says_true_only_when_no_four_cycle_is_left(n, k):
    answers = []
    for seed in range(15):
        rng = child(seed, n, k)
        rows = random_rows(n, k, rng)
        holders = _holders(rows)
        answers.append(break_four_cycles(rows, holders, rng, 50))
        assert_grading_scheme(rows.tolist(), n, k)
        assert_holders(rows, holders)
        assert answers[-1] == (most_shared(rows.tolist()) == 1)
    # The smallest is hopeless now and then, the largest never.
    assert (False in answers) == (n == 8)
    assert True in answers


def test_breaking_leaves_a_graph_without_four_cycles_alone(rng):
    rows = plane(3).astype(np.int32)
    assert break_four_cycles(rows, _holders(rows), rng, 0)
    assert rows.tolist() == plane(3).tolist()


@pytest.mark.parametrize(("n", "k"), [(16, 3), (30, 4)])
def test_stirring_switches_often_and_keeps_girth_6(n, k, rng):
    rows = np.array(cyclic(n, k), np.int32)
    stir(rows, _holders(rows), rng, 50 * n * k)
    assert_grading_scheme(rows.tolist(), n, k)
    assert most_shared(rows.tolist()) == 1
    kept = len(edges_of(rows) & edges_of(cyclic(n, k)))
    # Of n k edges, a graph drawn afresh would keep about k^2.
    assert kept < n * k / 2


def test_cyclic_start_has_no_four_cycle_by_hand():
    rows = [{*row} for row in cyclic(smallest_n(5), 5)]
    assert all(len(one & other) <= 1 for one, other in combinations(rows, 2))
