from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

from peerorder.core import InputError, child
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES, hand_out
from peerorder.theory import borda_law, displacement, score_pmf

KNOWN = {2: 73.33, 3: 82.95, 4: 87.59, 5: 90.27, 6: 92.01, 8: 94.12, 12: 96.15}


def exact_law(k):
    """The double integral of the binomial law as one fraction.

    In the strength x = 1-r, Pr[S = s] is the Bernstein polynomial B_s of degree m. From b to 1 it
    integrates to the sum over j <= s of B_j of degree m+1 at b, over m+1; and two Bernstein polynomials
    multiply to a third, whose integral is known. What is left is a sum over j and the loser's score t,
    where the winner's scores s >= j count 1 above t and 1/2 at t.
    """
    m = k * (k - 1)
    sums = [0] * (2 * m + 1)
    for j in range(m + 1):
        for t in range(m + 1):
            twice = 2 * (m - j + 1) if j > t else 2 * (m - t) + 1
            sums[j + t] += comb(m + 1, j) * comb(m, t) * twice
    return sum(Fraction(x, comb(2 * m + 1, at)) for at, x in enumerate(sums)) / (2 * (m + 1) ** 2)


def law_on_a_grid(k, law, cells):
    """The same by the midpoint rule, pairs of cells r < q and half of r = q."""
    middle = (np.arange(cells) + 0.5) / cells
    score = law(middle)
    above = score[:, ::-1].cumsum(axis=1)[:, ::-1] - score / 2
    before = above.cumsum(axis=0) - above / 2
    return 2 * (before * score).sum() / cells**2


def slow_pmf(k, r, law):
    """Ballot by ballot: rank in the bundle, position, points; then the sum of k of them."""
    ballot = np.zeros(k)
    for better in range(k):
        for position in range(k):
            rank = comb(k - 1, better) * r**better * (1 - r) ** (k - 1 - better)
            ballot[k - 1 - position] += rank * law[better, position]
    total = np.ones(1)
    for _ in range(k):
        total = np.convolve(total, ballot)
    return total


@pytest.mark.parametrize(("k", "percent"), KNOWN.items())
def test_borda_law_known_values(k, percent):
    assert 100 * borda_law(k) == pytest.approx(percent, abs=0.005)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 8, 16])
def test_borda_law_is_the_exact_fraction(k):
    exact = exact_law(k)
    assert borda_law(k) == pytest.approx(float(exact), rel=1e-13)


def test_borda_law_of_two_papers_a_student_by_hand():
    # Scores are Binomial(2, x): with strengths a > b the mean of the three cases comes to 11/15.
    assert exact_law(2) == Fraction(11, 15)


@pytest.mark.parametrize("k", [2, 5, 12])
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_borda_law_is_the_limit_of_a_midpoint_grid(k, noise):
    coarse, fine = (law_on_a_grid(k, lambda r: score_pmf(k, r, noise=noise), cells) for cells in (400, 1200))
    law = borda_law(k, noise=noise)
    assert abs(fine - law) < abs(coarse - law) / 8  # the grid's error falls with the square of its cells
    assert fine == pytest.approx(law, abs=1e-5)


def test_borda_law_of_larger_bundles_still_agrees_with_the_grid():
    fine = law_on_a_grid(25, lambda r: score_pmf(25, r, noise=0.3), 2000)
    assert borda_law(25, noise=0.3) == pytest.approx(fine, abs=1e-5)


def test_borda_law_falls_with_noise_and_rises_with_k():
    by_noise = [borda_law(6, noise=noise) for noise in (0.0, 0.1, 0.3, 0.5, 0.8, 1.0)]
    assert by_noise == sorted(by_noise, reverse=True)
    assert by_noise[-1] == pytest.approx(0.5)  # as many reversed graders as good ones
    by_k = [borda_law(k, noise=0.3) for k in range(1, 15)]
    assert by_k == sorted(by_k)
    assert by_k[0] == pytest.approx(0.5)  # a bundle of one says nothing


@given(st.integers(2, 9), st.floats(0, 1))
def test_borda_law_of_mirrored_graders_is_mirrored(k, quality):
    assert borda_law(k, qualities=quality) + borda_law(k, qualities=1 - quality) == pytest.approx(1)


def test_borda_law_of_guessers_is_a_coin():
    for k in (2, 5, 12):
        assert borda_law(k, qualities=0.5) == pytest.approx(0.5)


def test_borda_law_of_mixed_qualities():
    assert borda_law(5, qualities=[1.0, 1.0]) == pytest.approx(borda_law(5))
    grid = 1 - 0.3 * (np.arange(2000) + 0.5) / 2000
    assert borda_law(5, qualities=grid) == pytest.approx(borda_law(5, noise=0.3), abs=1e-8)
    half = borda_law(5, qualities=[1.0, 0.5], weights=[1, 1])
    assert borda_law(5, qualities=0.5) < half < borda_law(5)
    assert half < borda_law(5, qualities=[1.0, 0.5], weights=[2, 1])


@given(st.integers(1, 12), st.sampled_from([0.0, 1.0]) | st.floats(1e-3, 1 - 1e-3))  # scipy overflows at 1e-300
def test_score_of_perfect_graders_is_binomial(k, r):
    m = k * (k - 1)
    assert score_pmf(k, r) == pytest.approx(binom.pmf(np.arange(m + 1), m, 1 - r), abs=1e-12)


@given(st.integers(1, 7), st.floats(0, 1), st.floats(0, 1))
def test_score_is_the_sum_of_k_ballots(k, r, quality):
    expected = slow_pmf(k, r, displacement(k, quality))
    assert score_pmf(k, r, qualities=quality) == pytest.approx(expected, abs=1e-13)


def test_score_pmf_takes_arrays_of_quantiles():
    quantiles = np.array([[0.1, 0.5], [0.0, 1.0]])
    laws = score_pmf(4, quantiles, noise=0.4)
    assert laws.shape == (2, 2, 13)
    assert laws.sum(axis=-1) == pytest.approx(np.ones((2, 2)))
    assert np.all(laws >= 0)
    assert laws[0, 1] == pytest.approx(score_pmf(4, 0.5, noise=0.4), rel=1e-12)


def simulated(k, noise, runs, n=1000):
    """Percent that Borda recovers on random bundles, as in the paper: nobody grades her own paper."""
    found = []
    for run in range(runs):
        rng = child(0, "law", k, noise, run)
        bundles = SCHEMES["random"].build(n, k, rng)
        truth = rng.permutation(n)
        handed = hand_out(bundles, np.arange(n), rng)
        profile = NOISES.parse(f"condorcet:level={noise}").draw(bundles, truth, rng, bundle_of=handed)
        found.append(100 * RULES["borda"].aggregate(profile, rng).pairwise_accuracy(truth))
    return float(np.mean(found))


@pytest.mark.parametrize("k", [2, 3, 5, 8, 12, 25])
def test_borda_law_is_what_a_simulation_finds_with_perfect_graders(k):
    assert simulated(k, 0, 15) == pytest.approx(100 * borda_law(k), abs=0.3)


@pytest.mark.parametrize("k", [5, 8, 12])
@pytest.mark.parametrize("noise", [30, 50])
def test_borda_law_is_what_a_simulation_finds_with_condorcet_graders(k, noise):
    assert simulated(k, noise, 15) == pytest.approx(100 * borda_law(k, noise=noise / 100), abs=0.5)


def test_bad_input_is_refused():
    for k in (0, -1):
        with pytest.raises(InputError, match="bundle size"):
            borda_law(k)
    with pytest.raises(InputError, match="share"):
        borda_law(5, noise=30)
    with pytest.raises(InputError, match="give both"):
        borda_law(5, weights=[1.0])
    with pytest.raises(InputError, match="give only one"):
        score_pmf(5, 0.5, noise=0.3, qualities=[1.0])
    for quantile in (-0.1, 1.1, float("nan")):
        with pytest.raises(InputError, match="quantile"):
            score_pmf(5, quantile)
