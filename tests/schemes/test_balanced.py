import networkx as nx
import numpy as np
import pytest
from hypothesis import event, given, settings, strategies as st

from peerorder.core import child
from peerorder.schemes.balanced import Allotment, Blocked, Forbidden, allot, even_shares, shuffle_rows

from .flows import assert_legal, pairs, possible


@st.composite
def problems(draw):
    n, m = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    demand = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    lower = draw(st.lists(st.integers(0, 3), min_size=m, max_size=m))
    upper = [low + draw(st.integers(0, 3)) for low in lower]
    if n and m and draw(st.booleans()):
        # Everything fits exactly or not at all.
        each = draw(st.integers(1, 3))
        demand, lower, upper = [each * m] * n, [each * n] * m, [each * n] * m
        if draw(st.booleans()):
            demand, lower, upper = [m - 1] * n, *[[n * (m - 1) // m + (p < n * (m - 1) % m) for p in range(m)]] * 2
    chosen = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=25)) if n and m else []
    grader, paper = np.array(chosen, np.int64).reshape(-1, 2).T
    return demand, lower, upper, Forbidden(grader, paper, n, m)


def assert_cut(found, demand, lower, upper, banned):
    """The graders or papers that a refusal names need more than they can have, counted one by one."""
    n, m = len(demand), len(lower)
    graders, papers = {*found.graders.tolist()}, {*found.papers.tolist()}
    if found.short_of_papers:
        need = sum(demand[g] for g in graders)
        can = sum(upper[p] for p in papers)
        can += sum((g, p) not in banned for g in graders for p in range(m) if p not in papers)
    else:
        need = sum(lower[p] for p in papers)
        can = sum(demand[g] for g in graders)
        can += sum((g, p) not in banned for g in range(n) if g not in graders for p in papers)
    assert (found.need, found.can) == (need, can)
    assert need > can


@pytest.mark.slow
@settings(max_examples=400)
@given(problem=problems(), seed=st.integers(0, 99))
def test_legal_or_refused_and_networkx_agrees(problem, seed):
    demand, lower, upper, forbidden = problem
    found = allot(demand, lower, upper, forbidden, child(seed))
    banned = pairs(forbidden)
    if possible(demand, lower, upper, banned):
        event("possible")
        assert isinstance(found, Allotment)
        assert_legal(*found.rows, demand, lower, upper, banned)
    else:
        event(f"impossible, short of {'papers' if found.short_of_papers else 'graders'}")
        assert isinstance(found, Blocked)
        assert_cut(found, demand, lower, upper, banned)


@settings(max_examples=200)
@given(problem=problems(), seed=st.integers(0, 99))
def test_a_partial_allotment_is_as_large_as_any(problem, seed):
    demand, _, upper, forbidden = problem
    n, m = len(demand), len(upper)
    banned = pairs(forbidden)
    graph = nx.DiGraph()
    graph.add_nodes_from(["source", "sink"])
    graph.add_edges_from(("source", ("grader", g), {"capacity": demand[g]}) for g in range(n))
    graph.add_edges_from((("paper", p), "sink", {"capacity": upper[p]}) for p in range(m))
    graph.add_edges_from(
        (("grader", g), ("paper", p), {"capacity": 1}) for g in range(n) for p in range(m) if (g, p) not in banned
    )
    found = allot(demand, np.zeros(m, int), upper, forbidden, child(seed), partial=True)
    owner, paper = found.rows
    assert len(owner) == nx.maximum_flow_value(graph, "source", "sink")
    given_out = [*zip(owner.tolist(), paper.tolist(), strict=True)]
    assert len({*given_out}) == len(given_out)
    assert not {*given_out} & banned
    assert (np.bincount(owner, minlength=n) <= demand).all()
    assert (np.bincount(paper, minlength=m) <= upper).all()


@pytest.mark.parametrize(("n", "m", "k"), [(3000, 1000, 8), (900, 3000, 8), (500, 9, 8), (400, 10, 9)])
def test_large_and_dense(n, m, k, rng):
    own = np.arange(n) % m
    forbidden = Forbidden(np.arange(n), own, n, m)
    low, high = even_shares(n * k, m)
    found = allot(np.full(n, k), np.full(m, low), np.full(m, high), forbidden, rng)
    assert_legal(*found.rows, [k] * n, np.full(m, low), np.full(m, high), pairs(forbidden))
    owner, paper = found.rows
    assert not (paper == own[owner]).any()
    assert len(np.unique(owner.astype(np.int64) * m + paper)) == n * k
    loads = np.bincount(paper, minlength=m)
    assert (loads.min(), loads.max()) == (low, high)


def test_each_allotment_is_about_equally_likely(rng):
    """Three graders, four papers, two each, everybody's own forbidden: all solutions by hand, and how often each."""
    from itertools import combinations, product

    own = {0: 0, 1: 1, 2: 2}
    rows = [[c for c in combinations(range(4), 2) if own[g] not in c] for g in range(3)]
    legal = [choice for choice in product(*rows) if all(1 <= sum(p in row for row in choice) <= 2 for p in range(4))]
    forbidden = Forbidden(np.arange(3), np.arange(3), 3, 4)
    counts = dict.fromkeys(legal, 0)
    runs = 6000
    for _ in range(runs):
        found = allot([2] * 3, [1] * 4, [2] * 4, forbidden, rng)
        counts[tuple(tuple(sorted(found.papers[2 * g : 2 * g + 2].tolist())) for g in range(3))] += 1
    share = runs / len(legal)
    assert min(counts.values()) > 0.6 * share
    assert max(counts.values()) < 1.5 * share


def test_a_number_of_a_paper_tells_nothing_about_a_grader(rng):
    n, m, k, runs = 12, 6, 2, 1500
    counts = np.zeros((n, m))
    none = np.zeros(0, np.int64)
    for _ in range(runs):
        found = allot(np.full(n, k), np.full(m, 4), np.full(m, 4), Forbidden(none, none, n, m), rng)
        np.add.at(counts, found.rows, 1)
    share = k / m
    assert abs(counts / runs - share).max() < 4.5 * np.sqrt(share * (1 - share) / runs)


def test_rows_are_shuffled_and_keep_what_they_hold(rng):
    held, start = np.arange(9, dtype=np.int32), np.array([0, 3, 3, 9])
    seen = set()
    for _ in range(60):
        shuffle_rows(held, start, rng)
        assert sorted(held[:3].tolist()) == [0, 1, 2]
        assert sorted(held[3:].tolist()) == [3, 4, 5, 6, 7, 8]
        seen.add(tuple(held[:3].tolist()))
    assert len(seen) == 6


def test_pairs_that_are_forbidden_from_both_sides(rng):
    forbidden = Forbidden(np.array([2, 0, 2, 2]), np.array([1, 3, 0, 1]), 3, 4)
    assert pairs(forbidden) == {(0, 3), (2, 0), (2, 1)}
    assert pairs(forbidden.transposed()) == {(3, 0), (0, 2), (1, 2)}
    assert pairs(forbidden.union(np.array([1]), np.array([1]))) == {(0, 3), (2, 0), (2, 1), (1, 1)}
    assert forbidden.allowed_among(np.array([True, True, False, True])).tolist() == [2, 3, 1]
