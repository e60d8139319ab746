import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.special import erf

from peerorder.core import Bundles, InputError, child
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES
from peerorder.theory import (
    Guarantee,
    eta,
    eta_bound,
    gaussian_integral,
    gaussian_integral_bound,
    graph_guarantee,
    overlap_matrix,
    smallest_n,
    theorem_2,
    theta_matrix,
    upset_bound,
)

from .graphs import random_bundles

GRID = [(beta, delta) for beta in (0.05, 0.3, 1.0, 2.5, 9.0) for delta in (0.0, 0.1, 0.7, 2.0)]


@pytest.mark.parametrize(("beta", "delta"), GRID)
def test_claim_9_closed_form_is_the_integral(beta, delta):
    integral, _ = quad(lambda y: (1 - y) * math.exp(-((beta * y + delta) ** 2)), 0, 1, epsabs=0, epsrel=1e-12)
    assert gaussian_integral(beta, delta) == pytest.approx(integral, rel=1e-9)


@given(st.floats(0.01, 50), st.floats(0, 10))
def test_claim_9_bound_is_above_the_integral(beta, delta):
    assert gaussian_integral(beta, delta) <= gaussian_integral_bound(beta, delta)


def test_claim_9_bound_is_reached_as_beta_grows():
    assert gaussian_integral(1e4, 0.0) > 0.9999 * gaussian_integral_bound(1e4, 0.0)


def test_claim_9_form_in_print_is_not_the_integral():
    # The lower end is y=0, where the argument is delta; in print it is beta, which gives nothing at delta=0.
    beta, delta = np.array(GRID).T
    end = beta + delta
    printed = end * np.sqrt(np.pi) / (2 * beta**2) * (erf(end) - erf(beta)) + (
        np.exp(-(end**2)) - np.exp(-(beta**2))
    ) / (2 * beta**2)
    exact = gaussian_integral(beta, delta)
    assert np.all(printed[delta == 0] == 0)
    assert np.all(exact > 0)
    different = beta != delta
    assert np.all(np.abs(printed - exact)[different & (beta < 9)] > 1e-4)


def test_claim_9_takes_arrays_and_refuses_what_it_does_not_cover():
    assert gaussian_integral([1.0, 2.0], 0.5).shape == (2,)
    for beta, delta in ((0.0, 1.0), (-1.0, 0.0), (1.0, -0.1), (float("nan"), 0.0)):
        with pytest.raises(InputError):
            gaussian_integral(beta, delta)
        with pytest.raises(InputError):
            gaussian_integral_bound(beta, delta)


@pytest.mark.parametrize("k", [*range(3, 60), 1000, 20_000])
def test_theorem_2_follows_from_lemma_3(k):
    factor = (k - 1) / (k * (k - 2) ** 2) * math.sqrt(2 * math.pi)
    n = smallest_n(k)
    assert theorem_2(n, k).value <= 1 - factor * eta_bound(k)
    assert theorem_2(n, k, girth6=True).value <= 1 - factor * eta_bound(k, girth6=True) + 1e-12
    # Half of the general constant would do, and is reached at k=3; less would not.
    half = (1 + theorem_2(n, k).value) / 2
    assert half <= 1 - factor * eta_bound(k) + 1e-9
    if k == 3:
        assert half == pytest.approx(1 - factor * eta_bound(k), rel=1e-12)
        assert theorem_2(n, k, girth6=True).value == pytest.approx(1 - factor * eta_bound(k, girth6=True), rel=1e-12)


def test_theorem_2_says_something_only_for_large_k():
    assert theorem_2(10**6, 49, girth6=True).value < 0 < theorem_2(10**6, 50, girth6=True).value
    assert theorem_2(10**9, 14_476).value < 0 < theorem_2(10**9, 14_477).value


@pytest.mark.parametrize("k", [3, 4, 12])
def test_theorem_2_assumes_what_the_section_assumes(k):
    n = smallest_n(k)
    assert theorem_2(n, k).applicable
    for girth6 in (False, True):
        small = theorem_2(n - 1, k, girth6=girth6)
        assert small.value is None
        assert str(n) in small.reason
        assert str(small).startswith("not applicable: ")
    assert theorem_2(10**6, 2) == Guarantee(None, "k is 2, but the theorem needs at least 3")


def test_theorem_2_beta_is_bounded_from_below():
    # lambda is at most k, so k(k-1) - lambda is at least k(k-2); in print the sign is turned.
    for name, n, k in (("random", 60, 4), ("complete", 40, 4), ("planes", 52, 4)):
        bundles = SCHEMES[name].build(n, k, child(0, name))
        off = ~np.eye(n, dtype=bool)
        shared = overlap_matrix(bundles).toarray()[off]
        assert np.all(k * (k - 1) - shared >= k * (k - 2))
        assert np.any(k * (k - 1) - shared > k * (k - 2))


def summed_tail(n, k, shared, theta):
    """The expected share of upsets of one pair of nodes by Lemma 7: the sum over places, before any integral."""
    gap = np.arange(1, n)
    return 2 / (n * (n - 1)) * ((n - gap) * upset_bound(n, k, shared, theta, 1, 1 + gap)).sum()


@pytest.mark.parametrize("k", [3, 5, 12, 16])
def test_theorem_2_bound_is_above_the_sum_that_it_stands_for(k):
    n = smallest_n(k)
    for shared in {0, 1, 2, k}:
        for theta in {8 * k * (k - 1), 16 * k * (k - 1), 8 * k * (k - 1) * (4 * k - 3)}:
            beta, delta = (k * (k - 1) - shared) / math.sqrt(2 * theta), shared / math.sqrt(2 * theta)
            total = summed_tail(n, k, shared, theta)
            assert total == pytest.approx(2 * gaussian_integral(beta, delta), rel=0.003)
            assert total <= 2 * gaussian_integral_bound(beta, delta)
            assert total <= (k - 1) / (k * (k - 2) ** 2) * math.sqrt(2 * math.pi * theta)


def test_theorem_2_sum_can_be_above_the_integral_in_its_proof():
    # The proof takes the sum to be at most the integral; at k=16 with little overlap it is above it.
    k, shared, theta = 16, 0, 8 * 16 * 15
    beta = k * (k - 1) / math.sqrt(2 * theta)
    assert summed_tail(smallest_n(k), k, shared, theta) > 1.001 * 2 * gaussian_integral(beta, 0.0)


def test_graph_guarantee_is_weaker_than_lemma_7_summed_over_the_graph():
    n, k = 182, 6
    bundles = random_bundles(n, k)
    off = ~np.eye(n, dtype=bool)
    cases, counts = np.unique(
        np.stack([overlap_matrix(bundles).toarray()[off], theta_matrix(bundles)[off]]), axis=1, return_counts=True
    )
    upsets = sum(
        count * summed_tail(n, k, shared, theta) for (shared, theta), count in zip(cases.T, counts, strict=True)
    )
    assert graph_guarantee(bundles).value <= 1 - upsets / counts.sum()


@pytest.mark.parametrize(
    ("scheme", "n", "k"), [("random", 398, 12), ("random", 722, 16), ("planes", 399, 12), ("girth6", 722, 16)]
)
def test_graph_guarantee_is_positive_and_below_what_borda_recovers(scheme, n, k):
    guarantees, found = [], []
    for run in range(3):
        rng = child(0, scheme, n, k, run)
        bundles = SCHEMES[scheme].build(n, k, rng)
        truth = rng.permutation(n)
        profile = NOISES["perfect"].draw(bundles, truth, rng)
        found.append(RULES["borda"].aggregate(profile, rng).pairwise_accuracy(truth))
        guarantees.append(graph_guarantee(bundles))
    assert all(g.applicable for g in guarantees)
    assert min(g.value for g in guarantees) > 0
    assert max(g.value for g in guarantees) < min(found)
    factor = (k - 1) / (k * (k - 2) ** 2) * math.sqrt(2 * math.pi)
    assert guarantees[-1].value == pytest.approx(1 - factor * eta(bundles), rel=1e-13)


def test_graph_guarantee_says_more_than_theorem_2():
    bundles = random_bundles(398, 12)
    assert graph_guarantee(bundles).value > theorem_2(398, 12).value
    assert str(graph_guarantee(bundles)).startswith("at least 0.0")


def test_graph_guarantee_says_where_it_does_not_apply():
    assert graph_guarantee(random_bundles(19, 3)).reason.endswith("at least 3k(k-1)+2 = 20")
    assert graph_guarantee(random_bundles(20, 3)).applicable
    assert "at least 3" in graph_guarantee(random_bundles(20, 2)).reason
    assert "same degree" in graph_guarantee(Bundles.from_rows([[0, 1], [1, 2, 3]], 4)).reason
