import math
import pickle
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import Bundles, BundlesError

FIGURE_1 = ["123", "145", "167", "246", "257", "347", "356"]


def as_graph(bundles):
    """The same bundles in networkx: bundle b is ("b", b), paper p is ("p", p)."""
    graph = nx.Graph()
    graph.add_nodes_from(("b", b) for b in range(len(bundles)))
    graph.add_nodes_from(("p", p) for p in range(bundles.n_papers))
    for b in range(len(bundles)):
        graph.add_edges_from((("b", b), ("p", int(p))) for p in bundles[b])
    return graph


def as_bundles(graph, rng):
    """Bundles from one side of a bipartite networkx graph, papers from the other, all in random order."""
    side = nx.bipartite.color(graph)
    nodes = list(graph)
    shuffled = [nodes[i] for i in rng.permutation(len(nodes))]
    papers = {node: number for number, node in enumerate(node for node in shuffled if side[node])}
    rows = [[papers[other] for other in graph[node]] for node in shuffled if not side[node]]
    return Bundles.from_rows(rows, len(papers))


def turned(bundles):
    """The same graph with its sides changed: a bundle a paper, a paper a bundle."""
    start, at = bundles.by_paper
    return Bundles(at, start, len(bundles))


def four_cycles(bundles):
    """Two papers and two bundles that both hold both."""
    rows = [set(bundles[b].tolist()) for b in range(len(bundles))]
    common = [sum({u, v} <= row for row in rows) for u, v in combinations(range(bundles.n_papers), 2)]
    return sum(math.comb(many, 2) for many in common)


def girth(graph):
    length = nx.girth(graph)
    return None if length == math.inf else length


def assert_like_networkx(bundles):
    graph = as_graph(bundles)
    assert bundles.sizes.tolist() == [graph.degree(("b", b)) for b in range(len(bundles))]
    assert bundles.degrees.tolist() == [graph.degree(("p", p)) for p in range(bundles.n_papers)]
    start, at = bundles.by_paper
    for p in range(bundles.n_papers):
        assert at[start[p] : start[p + 1]].tolist() == sorted(b for _, b in graph[("p", p)])
    components = list(nx.connected_components(graph))
    assert bundles.components == len(components)
    with_papers = [frozenset(p for kind, p in part if kind == "p") for part in components]
    labels = bundles.component_labels
    assert {frozenset(np.flatnonzero(labels == label).tolist()) for label in labels} == {*filter(None, with_papers)}
    assert bundles.four_cycles == four_cycles(bundles)
    assert bundles.girth == girth(graph)


@st.composite
def rows_and_papers(draw, most=9):
    """Bundles of any sizes, empty ones and lone papers included."""
    n = draw(st.integers(0, most))
    papers = st.lists(st.integers(0, n - 1), unique=True, max_size=4) if n else st.just([])
    return draw(st.lists(papers, max_size=most)), n


@given(rows_and_papers())
def test_any_bundles_are_what_networkx_says(given_rows):
    rows, n = given_rows
    bundles = Bundles.from_rows(rows, n)
    assert [bundles[b].tolist() for b in range(len(bundles))] == rows
    assert_like_networkx(bundles)


@pytest.mark.parametrize("edges", [0, 20, 35, 45, 60, 120])
def test_random_bipartite_graphs(edges, rng):
    for _ in range(10):
        chosen = rng.choice(30 * 30, edges, replace=False)
        rows = [(chosen[chosen // 30 == b] % 30).tolist() for b in range(30)]
        assert_like_networkx(Bundles.from_rows(rows, 30))


@pytest.mark.parametrize("nodes", [1, 2, 3, 10, 60])
def test_trees_have_no_cycle(nodes, rng):
    graph = nx.random_labeled_tree(nodes, seed=int(rng.integers(1000)))
    bundles = as_bundles(graph, rng)
    assert bundles.girth is None
    assert bundles.components == 1
    assert_like_networkx(bundles)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cubical", 4),
        ("desargues", 6),
        ("heawood", 6),
        ("moebius_kantor", 6),
        ("pappus", 6),
        # The incidence graph of the smallest generalised quadrangle.
        ("tutte_coxeter", 8),
    ],
)
def test_famous_graphs(name, expected, rng):
    graph = nx.LCF_graph(30, [-13, -9, 7, -7, 9, 13], 5) if name == "tutte_coxeter" else getattr(nx, f"{name}_graph")()
    bundles = as_bundles(graph, rng)
    assert (bundles.girth, bundles.k, bundles.components) == (expected, 3, 1)
    assert_like_networkx(bundles)


@pytest.mark.parametrize("chain", [1, 2, 4])
def test_long_chains_between_branches(chain, rng):
    """Every edge of a random graph as a path: cycles whose nodes of degree 3 are on one side alone, or far apart."""
    for _ in range(8):
        plain = nx.gnm_random_graph(12, 15, seed=int(rng.integers(1000)))
        graph = nx.Graph()
        graph.add_nodes_from(plain)
        for number, (u, v) in enumerate(plain.edges):
            nx.add_path(graph, [u, *((number, i) for i in range(2 * chain - 1)), v])
        bundles = as_bundles(graph, rng)
        assert_like_networkx(bundles)
        assert_like_networkx(turned(bundles))


@pytest.mark.parametrize(
    "parts",
    [
        # (kind, size): cycles of degree 2 alone beside components with more, in every order of length.
        [("cycle", 6), ("cycle", 10)],
        [("cycle", 10), ("heawood", 0)],
        [("cycle", 4), ("heawood", 0)],
        [("heawood", 0), ("complete", 3), ("cycle", 12)],
        [("theta", 4), ("cycle", 6)],
        [("theta", 2), ("cycle", 14), ("tree", 9)],
        [("theta", 3), ("cycle", 14), ("heawood", 0)],
        [("tree", 7), ("tree", 2), ("cycle", 8)],
        [("tadpole", 5), ("cycle", 22)],
        # Two cycles joined by an edge: one hangs on a bundle, the other on a paper.
        [("joined", 6)],
        [("joined", 10), ("cycle", 14)],
    ],
)
def test_mixtures(parts, rng):
    def build(kind, size):
        if kind == "cycle":
            return nx.cycle_graph(size)
        if kind == "heawood":
            return nx.heawood_graph()
        if kind == "complete":
            return nx.complete_bipartite_graph(size, size)
        if kind == "tree":
            return nx.random_labeled_tree(size, seed=size)
        if kind == "tadpole":
            return nx.tadpole_graph(10, size)
        if kind == "joined":
            joined = nx.disjoint_union(nx.cycle_graph(size), nx.cycle_graph(12))
            joined.add_edge(0, size)
            return joined
        graph = nx.Graph()
        for path in range(3):
            nx.add_path(graph, ["left", *((path, i) for i in range(2 * size + 1)), "right"])
        return graph

    graph = nx.disjoint_union_all([build(*part) for part in parts])
    for _ in range(3):
        bundles = as_bundles(graph, rng)
        assert_like_networkx(bundles)
        assert_like_networkx(turned(bundles))


@pytest.mark.parametrize("n", [2, 3, 4, 50_000])
def test_one_long_cycle(n, rng):
    around = rng.permutation(n)
    bundles = Bundles.from_matrix(np.column_stack([around, np.roll(around, 1)]), n)
    assert bundles.girth == 2 * n
    assert bundles.four_cycles == (n == 2)
    assert (bundles.k, bundles.components) == (2, 1)


def test_three_long_chains_between_two_bundles_take_no_time():
    # Searching from every node would be 10^13 steps here.
    chain = 20_000
    rows = [[i, i + 1] for i in range(3 * chain - 1) if (i + 1) % chain]
    ends = [[0, chain, 2 * chain], [chain - 1, 2 * chain - 1, 3 * chain - 1]]
    bundles = Bundles.from_rows(rows + ends, 3 * chain)
    assert bundles.girth == 4 * chain
    assert bundles.components == 1


def test_figure_1_has_girth_6():
    bundles = Bundles.from_rows([[int(x) - 1 for x in row] for row in FIGURE_1], 7)
    assert (bundles.k, bundles.girth, bundles.four_cycles, bundles.components) == (3, 6, 0, 1)
    assert_like_networkx(bundles)
    assert str(bundles.report) == "7 bundles of 3 papers, every paper in 3; connected, girth 6, 0 4-cycles"
    assert bundles.report.regular


def test_complete_bundles_have_all_four_cycles():
    k = 5
    bundles = Bundles.from_matrix([list(range(k))] * k, k)
    assert (bundles.k, bundles.girth, bundles.four_cycles) == (k, 4, math.comb(k, 2) ** 2)


def test_degree_is_none_where_it_is_not_one():
    assert Bundles.from_rows([[0, 1], [1, 0]], 2).k == 2
    assert Bundles.from_rows([[0, 1], [1, 0]], 3).k is None
    assert Bundles.from_rows([[0, 1], [1]], 2).k is None
    # Bundles of 2 and papers in 1: each side has one degree, but not the same.
    assert Bundles.from_rows([[0, 1]], 2).k is None


def test_matrix_and_back():
    rows = [[3, 0], [1, 2], [2, 3]]
    bundles = Bundles.from_matrix(rows, 4)
    assert bundles.matrix.tolist() == rows
    assert not bundles.matrix.flags.writeable
    with pytest.raises(BundlesError, match="bundles of 1 to 2 papers do not form a matrix"):
        _ = Bundles.from_rows([[0], [1, 2]], 3).matrix


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (4, 0)])
def test_matrix_of_nothing(shape):
    bundles = Bundles.from_matrix(np.zeros(shape, np.int64), 5)
    assert len(bundles) == shape[0]
    assert bundles.matrix.shape == (shape[0], shape[1] if shape[0] else 0)


def test_nothing_at_all():
    bundles = Bundles([], [0], 0)
    assert len(bundles) == bundles.components == bundles.four_cycles == 0
    assert bundles.girth is None
    assert bundles.k is None
    assert bundles.component_labels.shape == bundles.degrees.shape == bundles.sizes.shape == (0,)
    assert str(bundles.report) == "0 bundles of 0 papers, every paper in 0; 0 components, no cycles, 0 4-cycles"


def test_report_of_uneven_bundles():
    report = Bundles.from_rows([[0, 1], [0, 1, 2], []], 4).report
    assert not report.regular
    assert (report.bundles, report.papers) == (3, 4)
    assert (report.bundle_sizes, report.paper_degrees) == ((0, 3), (0, 2))
    assert str(report) == "3 bundles of 0 to 3 papers, every paper in 0 to 2; 3 components, girth 4, 1 4-cycles"


def test_rows_like_those_of_any_sequence():
    bundles = Bundles.from_rows([[0], [1, 2], []], 3)
    assert [row.tolist() for row in bundles] == [[0], [1, 2], []]
    assert bundles[-2].tolist() == [1, 2]
    for outside in (3, -4):
        with pytest.raises(IndexError):
            bundles[outside]
    assert repr(bundles) == "<Bundles: 3 of 3 papers, 3 entries>"


def test_arrays_cannot_change():
    papers, start = np.array([0, 1, 2], np.int32), np.array([0, 2, 3])
    bundles = Bundles(papers, start, 3)
    papers[:] = 9
    start[:] = 9
    assert (bundles.papers.tolist(), bundles.start.tolist()) == ([0, 1, 2], [0, 2, 3])
    # Nor in another process; the second time with what was worked out before.
    for _ in range(2):
        for one in (bundles, pickle.loads(pickle.dumps(bundles))):
            for array in (one.papers, one.start, one.sizes, one.degrees, *one.by_paper, one[0]):
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1


def test_arrays_of_ours_are_not_copied():
    bundles = Bundles([0, 1, 2], [0, 3], 3)
    again = Bundles(bundles.papers, bundles.start, 3)
    assert np.shares_memory(again.papers, bundles.papers)
    assert np.shares_memory(again.start, bundles.start)


@pytest.mark.parametrize(
    ("papers", "start", "n_papers", "message"),
    [
        ([0, 1, 1], [0, 3], 2, r"bundle 0 holds a paper twice: \[0, 1, 1\]"),
        ([0, 1, 2, 0, 2], [0, 2, 2, 5], 3, r"bundle 2 holds a paper twice: \[2, 0, 2\]"),
        ([0, 1, 2, 0, 2], [0, 2, 5], 3, r"bundle 1 holds a paper twice: \[2, 0, 2\]"),
        ([0, 3], [0, 2], 3, r"papers\[1\] is 3; it must be at least 0 and below 3"),
        ([-1], [0, 1], 3, r"papers\[0\] is -1"),
        ([0.0], [0, 1], 3, "papers must hold whole numbers; it holds float64"),
        ([True], [0, 1], 3, "papers must hold whole numbers; it holds bool"),
        ([[0, 1]], [0, 2], 3, "papers must be a flat list of whole numbers; it has 2 dimensions"),
        ([[0], [1, 2]], [0, 2], 3, "papers must be an array of numbers"),
        (None, [0, 1], 3, "it has 0 dimensions"),
        ([0], [], 3, "start must begin with 0"),
        ([0], [1, 1], 3, "start must begin with 0"),
        ([0, 1], [0, 2, 1, 2], 3, r"start\[2\] is smaller than the entry before it"),
        ([0, 1], [0, 1], 3, "start must end with the number of entries, 2; it ends with 1"),
        ([0, 1], [0, 3], 3, "start must end with the number of entries, 2; it ends with 3"),
        ([], [0], -1, "the number of papers is -1; it cannot be negative"),
        ([], [0], 2**31, "it can be at most 2147483647"),
        ([], [0], 2.0, r"the number of papers is 2\.0; it must be a whole number"),
        ([], [0], None, "the number of papers is None; it must be a whole number"),
    ],
)
def test_arrays_that_are_no_bundles(papers, start, n_papers, message):
    with pytest.raises(BundlesError, match=message):
        Bundles(papers, start, n_papers)


def test_rows_that_are_no_bundles():
    with pytest.raises(BundlesError, match="bundle 1 is 4; it must be a list of papers"):
        Bundles.from_rows([[0], 4], 3)
    with pytest.raises(BundlesError, match="papers must hold whole numbers"):
        Bundles.from_rows([[0], "12"], 3)
    with pytest.raises(BundlesError, match="one row per bundle; this one has 1 dimension"):
        Bundles.from_matrix([0, 1], 3)
    with pytest.raises(BundlesError, match="the matrix of bundles must be an array of numbers"):
        Bundles.from_matrix([[0], [1, 2]], 3)


def assert_valid(bundles):
    """What the class promises of every object that it builds."""
    assert bundles.papers.dtype == np.int32
    assert bundles.start.dtype == np.int64
    assert bundles.start[0] == 0
    assert bundles.start[-1] == len(bundles.papers)
    for row in bundles:
        assert len(set(row.tolist())) == len(row)
        assert all(0 <= p < bundles.n_papers for p in row)
    assert_like_networkx(bundles)


@given(st.data())
def test_junk_arrays_build_bundles_or_an_error_of_ours(junk, offsets, counts, data):
    papers = data.draw(junk, "papers")
    start = data.draw(offsets | junk, "start")
    try:
        bundles = Bundles(papers, start, data.draw(counts, "n_papers"))
    except BundlesError:
        return
    assert_valid(bundles)


@given(st.data())
def test_junk_papers_with_fitting_offsets(junk, data):
    """As above, but the offsets fit whatever came, so that more of it gets as far as the last checks."""
    papers = data.draw(junk, "papers")
    many = len(papers) if isinstance(papers, list) else np.size(papers)
    cuts = sorted(data.draw(st.lists(st.integers(0, many), max_size=4)))
    try:
        bundles = Bundles(papers, [0, *cuts, many], 7)
    except BundlesError:
        return
    assert_valid(bundles)


@given(st.data())
def test_junk_matrices_and_rows(junk, data):
    build, given_rows = data.draw(
        st.tuples(st.just(Bundles.from_matrix), junk)
        | st.tuples(st.just(Bundles.from_rows), st.lists(junk, max_size=4))
    )
    try:
        bundles = build(given_rows, 7)
    except BundlesError:
        return
    assert_valid(bundles)
