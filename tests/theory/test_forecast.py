from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import InputError, child
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES, hand_out
from peerorder.theory import borda_forecast, borda_law, displacement, share_pmf


def slow_law(k, r, missing, quality):
    """The score of a paper as a dictionary: all numbers of ballots, all sums of points, one after another."""
    one = np.zeros(k)
    for better, row in enumerate(displacement(k, quality)):
        for position, chance in enumerate(row):
            one[k - 1 - position] += comb(k - 1, better) * r**better * (1 - r) ** (k - 1 - better) * chance
    law = {}
    total = np.ones(1)
    for many in range(k + 1):
        came = comb(k, many) * (1 - missing) ** many * missing ** (k - many)
        for s, chance in enumerate(total):
            score = round(s / (many * (k - 1)), 6) if many else 0.5
            law[score] = law.get(score, 0.0) + came * chance
        total = np.convolve(total, one)
    return law


@given(st.integers(2, 6), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_law_of_the_score_is_a_mixture_over_the_ballots_that_came(k, r, missing, quality):
    scores, law = share_pmf(k, r, missing=missing, qualities=quality)
    expected = slow_law(k, r, missing, quality)
    found = {round(float(score), 6): chance for score, chance in zip(scores, law, strict=True)}
    assert set(found) <= set(expected)
    for score, chance in expected.items():
        assert found.get(score, 0.0) == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_with_all_ballots_it_is_the_law(k, noise):
    assert borda_forecast(k, noise=noise).pairwise_accuracy == pytest.approx(borda_law(k, noise=noise), abs=1e-12)


def test_without_ballots_the_order_is_a_random_one():
    nothing = borda_forecast(6, missing=1.0)
    assert nothing.pairwise_accuracy == pytest.approx(0.5)
    assert nothing.off == pytest.approx(1 / 3, abs=1e-4)  # the mean distance of two random numbers from 0 to 1


def test_of_single_papers_nothing_is_known():
    assert borda_forecast(1).off == pytest.approx(1 / 3, abs=1e-4)
    assert borda_forecast(1, missing=0.5).pairwise_accuracy == pytest.approx(0.5)


def test_more_ballots_and_more_papers_are_better():
    by_missing = [borda_forecast(6, missing=share, noise=0.3) for share in (0.0, 0.1, 0.3, 0.6, 0.9)]
    assert [f.pairwise_accuracy for f in by_missing] == sorted((f.pairwise_accuracy for f in by_missing), reverse=True)
    assert [f.off for f in by_missing] == sorted(f.off for f in by_missing)
    by_k = [borda_forecast(k, missing=0.2, noise=0.3) for k in range(2, 15)]
    assert [f.off for f in by_k] == sorted((f.off for f in by_k), reverse=True)


def off_on_a_grid(k, missing, noise, cells):
    """The mean distance by the midpoint rule, places and true places both cut into cells."""
    middle = (np.arange(cells) + 0.5) / cells
    _, law = share_pmf(k, middle, missing=missing, noise=noise)
    tied = law.mean(axis=0)
    better = np.cumsum(tied[::-1])[::-1] - tied
    steps = (np.arange(50) + 0.5) / 50
    total = 0.0
    for low, width, chances in zip(better, tied, law.T, strict=True):
        total += (chances[:, None] * np.abs(low + width * steps - middle[:, None])).mean()
    return total


@pytest.mark.parametrize(("k", "missing", "noise"), [(2, 0.0, 0.0), (4, 0.3, 0.5), (6, 0.2, 0.3)])
def test_the_distance_is_that_of_a_grid(k, missing, noise):
    off = borda_forecast(k, missing=missing, noise=noise).off
    assert off == pytest.approx(off_on_a_grid(k, missing, noise, 600), abs=5e-5)


def simulated(k, missing, noise, runs, n=1500):
    found = []
    for run in range(runs):
        rng = child(0, "forecast", k, missing, noise, run)
        bundles = SCHEMES["random"].build(n, k, rng)
        truth = rng.permutation(n)
        handed = hand_out(bundles, np.arange(n), rng)
        crowd = NOISES.parse(f"condorcet:level={noise},missing={missing / 100}")
        outcome = RULES["borda"].aggregate(crowd.draw(bundles, truth, rng, bundle_of=handed), rng)
        found.append((100 * outcome.pairwise_accuracy(truth), 100 * np.abs(outcome.places - truth).mean() / n))
    return np.mean(found, axis=0)


@pytest.mark.parametrize(("k", "missing", "noise"), [(3, 20, 30), (5, 60, 0), (8, 20, 50), (8, 40, 30), (12, 30, 10)])
def test_a_simulation_finds_the_same(k, missing, noise):
    recovered, off = simulated(k, missing, noise, 15)
    forecast = borda_forecast(k, missing=missing / 100, noise=noise / 100)
    assert recovered == pytest.approx(100 * forecast.pairwise_accuracy, abs=0.3)
    assert off == pytest.approx(100 * forecast.off, abs=0.25)


def test_bad_input_is_refused():
    for share in (-0.1, 1.1, 20):
        with pytest.raises(InputError, match="missing ballots"):
            borda_forecast(5, missing=share)
    with pytest.raises(InputError, match="bundle size"):
        borda_forecast(0)
    with pytest.raises(InputError, match="quantile"):
        share_pmf(5, 1.5)
