import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerorder.core import Bundles, InputError, child
from peerorder.schemes import SCHEMES
from peerorder.theory import eta, eta_bound, eta_bound_by_cycles, overlap_matrix, theta, theta_matrix

from .graphs import any_bundles, figure_1, random_bundles, slow_overlaps, slow_theta

SCHEME_SIZES = [
    ("random", 40, 3),
    ("random", 41, 7),
    ("random", 500, 12),
    ("planes", 39, 4),
    ("planes", 9, 2),
    ("complete", 40, 5),
    ("complete", 43, 5),
    ("order-revealing", 31, 6),
    ("girth6", 60, 4),
    ("girth6", 200, 5),
]


def built(scheme, n, k):
    return SCHEMES[scheme].build(n, k, child(0, scheme, n, k))


@given(any_bundles())
def test_overlaps_and_theta_are_their_definitions(bundles):
    common = overlap_matrix(bundles)
    assert np.array_equal(common.toarray(), slow_overlaps(bundles))
    assert np.all(common.data > 0)
    assert np.array_equal(theta_matrix(bundles), slow_theta(bundles))


@given(any_bundles(), st.data())
def test_theta_of_one_pair_is_an_entry_of_the_matrix(bundles, data):
    u, v = data.draw(st.permutations(range(bundles.n_papers)))[:2]
    assert theta(bundles, u, v) == slow_theta(bundles)[u, v]


@pytest.mark.slow
@settings(max_examples=200)
@given(any_bundles())
def test_eta_is_its_definition_on_any_graph(bundles):
    n = bundles.n_papers
    assert eta(bundles) == pytest.approx(np.sqrt(slow_theta(bundles)).sum() / (n * (n - 1)), rel=1e-13)


@pytest.mark.parametrize(("n", "k", "low", "high"), [(300, 2, 0.9, 1), (300, 4, 0.4, 0.9), (150, 12, 0, 0)])
def test_eta_agrees_with_the_dense_sum_whether_most_pairs_are_near_or_far(n, k, low, high):
    bundles = random_bundles(n, k)
    common = overlap_matrix(bundles).toarray()
    assert low <= np.mean(common + common @ common == 0) <= high
    assert eta(bundles) == pytest.approx(np.sqrt(theta_matrix(bundles)).sum() / (n * (n - 1)), rel=1e-13)


def test_eta_does_not_depend_on_labels():
    bundles = random_bundles(200, 4)
    names = child(0, "names").permutation(200)
    renamed = Bundles(names[bundles.papers], bundles.start, 200)
    assert eta(renamed) == pytest.approx(eta(bundles), rel=1e-13)
    assert eta(renamed) != eta(random_bundles(200, 4, "another"))


def test_eta_of_copies_of_k_33_by_hand():
    # Six papers in two copies: u and v of one copy share 3 bundles and one third paper, theta = 4 * 36;
    # of different copies each has two neighbours with overlap 3, theta = 4 * 4 * 9.
    bundles = Bundles.from_rows([[0, 1, 2]] * 3 + [[3, 4, 5]] * 3, 6)
    assert theta(bundles, 0, 1) == 4 * 36
    assert theta(bundles, 0, 3) == 4 * 4 * 9
    assert eta(bundles) == 12.0


@pytest.mark.parametrize(("scheme", "n", "k"), SCHEME_SIZES)
def test_overlaps_of_a_regular_graph_sum_to_k_times_k_minus_1(scheme, n, k):
    assert np.all(overlap_matrix(built(scheme, n, k)).sum(axis=1) == k * (k - 1))


@pytest.mark.parametrize(("scheme", "n", "k"), SCHEME_SIZES)
def test_lemma_3_bounds_eta_on_every_scheme(scheme, n, k):
    bundles = built(scheme, n, k)
    assert eta(bundles) <= eta_bound(k)
    assert theta_matrix(bundles).max() <= eta_bound(k) ** 2 * (1 + 1e-12)
    if bundles.four_cycles == 0:
        assert eta(bundles) <= eta_bound(k, girth6=True)
        assert theta_matrix(bundles).max() <= eta_bound(k, girth6=True) ** 2 * (1 + 1e-12)


def test_lemma_3_covers_every_registered_scheme():
    ours = {scheme.name for scheme in SCHEMES.values() if scheme.construct.__module__.startswith("peerorder.")}
    assert {name for name, _, _ in SCHEME_SIZES} == ours


@pytest.mark.parametrize("k", [3, 6])
def test_lemma_3_needs_girth_6_for_its_second_bound(k):
    # Copies of K_kk, full of 4-cycles, lie above the bound for girth 6, and two papers of one copy far above.
    bundles = built("complete", 10 * k, k)
    assert eta_bound(k, girth6=True) < eta(bundles) <= eta_bound(k)


def test_lemma_3_girth_6_bound_is_nearly_reached_by_one_plane():
    # In a plane every third paper meets both u and v once: theta = 16 (n-2) with n-1 = k(k-1).
    bundles = built("order-revealing", 133, 12)
    assert eta(bundles) == pytest.approx(4 * np.sqrt(131), rel=1e-13)
    assert 0.99 * eta_bound(12, girth6=True) < eta(bundles) < eta_bound(12, girth6=True)


@pytest.mark.parametrize(("scheme", "n", "k"), SCHEME_SIZES)
def test_eta_bound_by_cycles_is_the_root_of_the_mean_of_theta(scheme, n, k):
    bundles = built(scheme, n, k)
    bound = eta_bound_by_cycles(n, k, bundles.four_cycles)
    assert bound**2 == pytest.approx(theta_matrix(bundles).sum() / (n * (n - 1)), rel=1e-12)
    assert eta(bundles) <= bound * (1 + 1e-12)


def test_eta_bound_by_cycles_is_close_on_random_graphs_and_linear_in_k():
    for k in (4, 8, 12, 16):
        n = 3 * k * (k - 1) + 2
        bundles = random_bundles(n, k)
        assert eta(bundles) > 0.98 * eta_bound_by_cycles(n, k, bundles.four_cycles)
        expected = (k - 1) ** 4 / 4
        assert eta_bound_by_cycles(100 * n, k, round(expected)) < np.sqrt(32 / 3 * k * (k - 1))


def test_eta_of_10_000_papers_needs_no_square_matrix():
    bundles = random_bundles(10_000, 6)
    assert overlap_matrix(bundles).nnz <= 10_000 * 30
    bound = eta_bound_by_cycles(10_000, 6, bundles.four_cycles)
    assert 0.99 * bound < eta(bundles) <= bound


def test_bad_input_is_refused():
    bundles = figure_1()
    for u, v in ((0, 0), (0, 7), (-1, 2)):
        with pytest.raises(InputError):
            theta(bundles, u, v)
    with pytest.raises(InputError, match="at least 2"):
        eta(Bundles.from_rows([[0]], 1))
    with pytest.raises(InputError):
        eta_bound(0)
    for n, k, cycles in ((2, 1, 0), (9, 0, 0), (9, 3, -1)):
        with pytest.raises(InputError):
            eta_bound_by_cycles(n, k, cycles)
