import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from peerorder.core import Bundles, graph as core_graph
from peerorder.core.graph import count_four_cycles, first_row_with_repeat, shortest_cycle


def compressed(rows):
    papers = np.array([p for row in rows for p in row], np.int32)
    return papers, np.cumsum([0, *map(len, rows)])


@given(st.lists(st.lists(st.integers(0, 7), max_size=4), max_size=8))
def test_first_row_with_repeat(rows):
    bad = [b for b, row in enumerate(rows) if len(set(row)) < len(row)]
    assert first_row_with_repeat(*compressed(rows)) == (bad[0] if bad else -1)


def test_same_paper_in_neighbouring_rows_is_no_repeat():
    assert first_row_with_repeat(*compressed([[0, 1], [1, 0], [], [0]])) == -1


@pytest.mark.parametrize("block", [1, 3, 4])
def test_blocks_do_not_matter(monkeypatch, rng, block):
    rows = [
        *rng.integers(40, size=(20, 1)).tolist(),
        *rng.permuted(np.tile(range(40), (12, 1)), axis=1)[:, :2].tolist(),
    ]
    rows = [rows[index] for index in rng.permutation(len(rows))]
    whole = Bundles.from_rows(rows, 40)
    labels, components = whole.component_labels, whole.components
    monkeypatch.setattr(core_graph, "BLOCK", block)
    apart = Bundles.from_rows(rows, 40)
    assert apart.components == components > 2
    assert apart.component_labels.tolist() == labels.tolist()
    repeated = [index for index, row in enumerate(rows) if len(row) == 2][-2]
    rows[repeated] = [5, 5]
    assert first_row_with_repeat(*compressed(rows)) == repeated


@given(st.lists(st.lists(st.integers(0, 9), unique=True, max_size=3), max_size=8))
def test_components_are_numbered_as_scipy_numbers_them(rows):
    """By their first nodes, bundles before papers: the draws of ``girth6`` follow these numbers."""
    bundles = Bundles.from_rows(rows, 10)
    edges = (np.repeat(np.arange(len(rows)), bundles.sizes), bundles.papers + len(rows))
    size = len(rows) + 10
    matrix = coo_array((np.ones(len(bundles.papers)), edges), shape=(size, size))
    count, labels = connected_components(matrix.tocsr(), directed=False)
    assert bundles.components == count
    assert bundles.component_labels.tolist() == labels[len(rows) :].tolist()


@pytest.mark.slow
@given(st.lists(st.lists(st.integers(0, 5), unique=True, max_size=4), max_size=6))
def test_cycles_one_by_one(rows):
    """Against all simple cycles, 4-cycles included, which ``Bundles.girth`` never leaves to the search."""
    bundles = Bundles.from_rows(rows, 6)
    graph = nx.Graph([(("b", b), ("p", p)) for b, row in enumerate(rows) for p in row])
    lengths = [len(cycle) for cycle in nx.simple_cycles(graph, length_bound=4)]
    arrays = (bundles.papers, bundles.start, *bundles.by_paper)
    assert count_four_cycles(*arrays) == lengths.count(4)
    shortest = nx.girth(graph)
    assert shortest_cycle(*arrays) == (shortest if shortest < 100 else 0)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_search_finds_four_cycles_too(k):
    bundles = Bundles.from_matrix([list(range(k))] * k, k)
    assert shortest_cycle(bundles.papers, bundles.start, *bundles.by_paper) == 4
