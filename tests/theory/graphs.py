"""Bundle graphs and slow Borda for the tests of the theory: small, and written straight from the definitions."""

import numpy as np
from hypothesis import strategies as st

from peerorder.core import Bundles, child
from peerorder.schemes import SCHEMES

FIGURE_1 = ["123", "145", "167", "246", "257", "347", "356"]


def figure_1():
    return Bundles.from_rows([[int(paper) - 1 for paper in row] for row in FIGURE_1], 7)


def random_bundles(n, k, *labels):
    return SCHEMES["random"].build(n, k, child(0, "random", n, k, *labels))


@st.composite
def any_bundles(draw):
    """Bundles of any sizes, some empty, over a few papers, some in no bundle."""
    n = draw(st.integers(2, 9))
    rows = draw(st.lists(st.lists(st.integers(0, n - 1), unique=True, max_size=n), max_size=8))
    return Bundles.from_rows(rows, n)


def slow_overlaps(bundles):
    sets = [set(bundles[b].tolist()) for b in range(len(bundles))]
    n = bundles.n_papers
    return np.array(
        [[sum(u in s and v in s for s in sets) if u != v else 0 for v in range(n)] for u in range(n)], dtype=np.int64
    )


def slow_theta(bundles):
    """The definition, pair by pair: z runs over the papers at distance two from u or v."""
    common, n = slow_overlaps(bundles), bundles.n_papers
    theta = np.zeros((n, n), np.int64)
    for u in range(n):
        for v in range(n):
            if u != v:
                around = [z for z in range(n) if z not in (u, v) and (common[u, z] or common[v, z])]
                theta[u, v] = 4 * sum((common[u, z] + common[v, z]) ** 2 for z in around)
    return theta


def perfect_scores(bundles, places):
    """Borda scores less k under perfect graders, a row for every row of ``places`` (the place of each paper)."""
    scores = np.zeros(places.shape, np.int64)
    for bundle in (bundles[b] for b in range(len(bundles))):
        inside = places[:, bundle]
        scores[:, bundle] += (inside[:, :, None] < inside[:, None, :]).sum(axis=2)
    return scores


def random_places(n, runs, rng):
    """True places from 1, a row a run: every paper on a random node."""
    return rng.permuted(np.tile(np.arange(1, n + 1), (runs, 1)), axis=1)
