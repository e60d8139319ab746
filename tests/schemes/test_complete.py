import networkx as nx
import numpy as np
import pytest

from peerorder.core import child
from peerorder.schemes import SCHEMES

from .graphs import as_graph, assert_grading_scheme, common_bundles, rows_of


def parts(rows):
    """The connected components, each as a set of bundles' numbers and a set of papers."""
    found = []
    for nodes in nx.connected_components(as_graph(rows)):
        sides = {"bundle": set(), "paper": set()}
        for side, index in nodes:
            sides[side].add(index)
        found.append((sides["bundle"], sides["paper"]))
    return sorted(found, key=lambda part: len(part[1]))


@pytest.mark.parametrize(
    ("n", "k"),
    [(12, 3), (14, 4), (15, 4), (11, 5), (9, 5), (10, 5), (7, 6), (6, 1), (2, 1), (13, 2), (40, 20), (1000, 8)],
)
def test_copies_of_k_kk_and_one_larger_rest(n, k, rng):
    rows = rows_of(SCHEMES["complete"].build(n, k, rng))
    assert_grading_scheme(rows, n, k)
    rest = n % k
    expected = [k] * (n // k) if rest == 0 else [k] * (n // k - 1) + [k + rest]
    found = parts(rows)
    assert [len(papers) for _, papers in found] == expected
    for bundles, papers in found:
        assert len(bundles) == len(papers)
        if len(papers) == k:
            assert all({*rows[b]} == papers for b in bundles)


@pytest.mark.parametrize("k", range(1, 11))
def test_every_n_up_to_three_times_k(k):
    for n in range(k + 1, 3 * k + 2):
        rows = rows_of(SCHEMES["complete"].build(n, k, child(0, n, k)))
        assert_grading_scheme(rows, n, k)
        assert len(parts(rows)) == (n // k if n % k == 0 else max(n // k, 1))


def test_rest_is_drawn_at_random():
    def rest(seed):
        rows = rows_of(SCHEMES["complete"].build(11, 4, child(seed)))
        bundles, papers = parts(rows)[-1]
        assert len(papers) == 7
        return tuple(np.sort(common_bundles([rows[b] for b in bundles], 11), axis=None))

    # 4-regular graphs on 7 and 7 differ in how many bundles their papers share.
    assert len({rest(seed) for seed in range(30)}) > 1
