"""Lemma 1: the plane is order-revealing. With perfect graders Borda and RSD then find the truth itself."""

import numpy as np
import pytest

from peerorder.core import Bundles, child
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES
from peerorder.theory import overlap_matrix

from .graphs import figure_1


def recovered(bundles, rule, rng):
    truth = rng.permutation(bundles.n_papers)
    profile = NOISES["perfect"].draw(bundles, truth, rng)
    return RULES[rule].aggregate(profile, rng).pairwise_accuracy(truth)


@pytest.mark.parametrize("k", [2, 3, 4, 6, 8, 12, 14])
def test_lemma_1_every_pair_shares_exactly_one_bundle(k):
    n = k * (k - 1) + 1
    bundles = SCHEMES["order-revealing"].build(n, k, child(0, "plane", k))
    assert bundles.k == k
    assert np.array_equal(overlap_matrix(bundles).toarray(), 1 - np.eye(n, dtype=int))


@pytest.mark.parametrize("k", [2, 3, 4, 6, 8])
@pytest.mark.parametrize("rule", ["borda", "rsd"])
def test_lemma_1_the_plane_reveals_the_order(k, rule):
    bundles = SCHEMES["order-revealing"].build(k * (k - 1) + 1, k, child(0, "plane", k))
    assert all(recovered(bundles, rule, child(0, rule, k, run)) == 1 for run in range(5))


def test_lemma_1_construction_in_its_own_letters():
    # u, v_i and w_ij of the paper, for p=3; the proof's last step is checked with its indices put right:
    # w_(i1,j1) and w_(i2,j2) meet in C_is with j1 = (i + i1 s) mod p and j2 = (i + i2 s) mod p.
    p = 3
    line = {(i, s): {("v", s)} | {("w", j, (i + j * s) % p) for j in range(p)} for i in range(p) for s in range(p)}
    for i1 in range(p):
        for i2 in range(i1 + 1, p):
            for j1 in range(p):
                for j2 in range(p):
                    s = next(s for s in range(p) if (i2 - i1) * s % p == (j2 - j1) % p)
                    i = (j1 - i1 * s) % p
                    assert j1 == (i + i1 * s) % p
                    assert j2 == (i + i2 * s) % p
                    assert {("w", i1, j1), ("w", i2, j2)} <= line[i, s]


def test_figure_1_is_order_revealing():
    bundles = figure_1()
    assert bundles.k == 3
    assert bundles.girth == 6
    assert np.array_equal(overlap_matrix(bundles).toarray(), 1 - np.eye(7, dtype=int))


@pytest.mark.parametrize("rule", ["borda", "rsd"])
def test_figure_1_bundles_give_the_true_order(rule):
    assert all(recovered(figure_1(), rule, child(0, rule, run)) == 1 for run in range(30))


@pytest.mark.parametrize("rule", ["borda", "rsd"])
def test_a_graph_where_a_pair_never_meets_does_not_reveal_the_order(rule):
    rows = [[(b + shift) % 7 for shift in (0, 1, 2)] for b in range(7)]
    bundles = Bundles.from_rows(rows, 7)
    assert any(recovered(bundles, rule, child(0, rule, run)) < 1 for run in range(30))
