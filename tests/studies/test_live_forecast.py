"""What a round can be expected to get right as it stands, beside what the plan promised."""

import numpy as np
import pytest

from peerorder import NOISES, SCHEMES, child, hand_out
from peerorder.studies.live_forecast import expected_so_far
from peerorder.studies.plan import make_plan
from peerorder.theory import accuracy_so_far


def planned(n, k, missing, noise=30.0):
    (choice,) = make_plan(n, (k,), missing=missing, noise=noise, workers=1).choices
    return choice.expected["posterior"].pairwise_accuracy


@pytest.mark.parametrize("noise", [10.0, 30.0])
@pytest.mark.parametrize(("n", "k"), [(25, 4), (60, 5), (400, 8), (1000, 12)])
def test_a_full_round_is_what_was_planned(n, k, noise):
    assert expected_so_far(np.full(n, k * (k - 1)), noise) == pytest.approx(planned(n, k, 0.0, noise))


@pytest.mark.parametrize(("n", "k"), [(60, 5), (200, 8)])
def test_with_missing_ballots_it_is_near_the_plan_for_as_many(n, k):
    rng = child(0, "so far")
    bundles, truth = SCHEMES["random"].build(n, k, rng), rng.permutation(n)
    said = []
    for _ in range(5):
        whole = NOISES.parse("condorcet:level=30").draw(bundles, truth, rng, bundle_of=hand_out(bundles, range(n), rng))
        kept = rng.random(n) > 0.3
        rankings = np.bincount(whole.papers.reshape(n, k)[kept].ravel(), minlength=n)
        said.append(expected_so_far(rankings * (k - 1)))
    assert np.mean(said) == pytest.approx(planned(n, k, 30.0), abs=0.02)


def test_more_comparisons_are_better_and_better_than_borda():
    values = [expected_so_far(np.full(60, many)) for many in range(0, 400, 5)]
    assert all(before <= after for before, after in zip(values, values[1:], strict=False))
    assert expected_so_far(np.full(60, 20)) > accuracy_so_far(np.full(60, 20)) + 0.02


def test_nothing_is_a_coin_toss():
    assert expected_so_far(np.zeros(30, int)) == 0.5
    assert expected_so_far(np.zeros(0, int)) == 0.5
    some = np.array([20] * 30 + [0] * 30)
    assert expected_so_far(some) == pytest.approx(0.25 * expected_so_far(np.full(60, 20)) + 0.75 / 2)
