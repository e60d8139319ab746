import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import Bundles
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
