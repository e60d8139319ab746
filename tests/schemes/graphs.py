"""What the tests of the schemes share: bundle graphs for networkx, and the definitions, slowly."""

from collections import Counter

import networkx as nx
import numpy as np
from scipy import stats

FIGURE_1 = ["123", "145", "167", "246", "257", "347", "356"]


def rows_of(bundles):
    return [bundles[b].tolist() for b in range(len(bundles))]


def as_graph(rows):
    """Bundle b is ("bundle", b), paper p is ("paper", p); the side is a node attribute, for isomorphism."""
    graph = nx.Graph()
    graph.add_nodes_from(("bundle", b) for b in range(len(rows)))
    graph.add_edges_from((("bundle", b), ("paper", int(p))) for b, row in enumerate(rows) for p in row)
    for node in graph:
        graph.nodes[node]["side"] = node[0]
    return graph


def isomorphic(rows, others):
    """Whether one set of bundles is the other with papers and bundles renamed."""
    same_side = nx.isomorphism.categorical_node_match("side", None)
    return nx.is_isomorphic(as_graph(rows), as_graph(others), node_match=same_side)


def meetings(rows):
    """The papers in networkx, joined where they share a bundle; the weight of an edge is how many they share."""
    graph = as_graph(rows)
    return nx.bipartite.weighted_projected_graph(graph, [node for node in graph if node[0] == "paper"])


def most_shared(rows):
    """In how many bundles a pair of papers is at most; 1 means that there is no 4-cycle."""
    return max((shared for _, _, shared in meetings(rows).edges(data="weight")), default=0)


def common_bundles(rows, n):
    """How many bundles every two papers share, as a matrix."""
    holds = np.zeros((len(rows), n), np.int64)
    for b, row in enumerate(rows):
        holds[b, row] = 1
    return holds.T @ holds


def assert_grading_scheme(rows, n, k):
    """The paper's definition: n bundles of k papers out of n, every paper in exactly k."""
    assert len(rows) == n
    assert all(len(row) == k == len({*row}) for row in rows)
    assert Counter(p for row in rows for p in row) == dict.fromkeys(range(n), k)


def p_value(counts, law):
    """Pearson's chi-square of observed counts against the probabilities of a law over the same outcomes."""
    assert {*counts} <= {*law}
    outcomes = list(law)
    observed = np.array([counts[x] for x in outcomes], float)
    expected = np.array([float(law[x]) for x in outcomes]) * observed.sum()
    return stats.chisquare(observed, expected).pvalue
