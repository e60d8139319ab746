import numpy as np
import pytest

from peerorder.core import InputError, Samples, child


def some(draws=200, n=7, graders=3):
    rng = child(0, "samples")
    places = np.array([rng.permutation(n) for _ in range(draws)], np.uint16)
    return Samples(places, rng.normal(-5, 1, (draws, graders)).astype(np.float32))


def test_intervals_hold_at_least_what_they_promise_and_no_place_too_many():
    samples = some(draws=1000, n=50)
    low, high = samples.intervals(0.9).T
    inside = (samples.places + 1 >= low) & (samples.places + 1 <= high)
    assert (inside.mean(axis=0) >= 0.9).all()
    narrower = (samples.places + 1 > low) & (samples.places + 1 < high)
    assert (narrower.mean(axis=0) < 0.9).all()


def test_intervals_in_parts_are_those_of_the_whole(monkeypatch):
    whole = some().intervals(0.8)
    monkeypatch.setattr("peerorder.core.samples.CHUNK", 2)
    assert np.array_equal(some().intervals(0.8), whole)


def test_above_counts_the_draws():
    samples = some()
    assert samples.probability_in_top(0.0).tolist() == [0] * 7
    assert samples.probability_in_top(1.0).tolist() == [1] * 7
    assert samples.probability_in_top(3 / 7) == pytest.approx((samples.places < 3).mean(axis=0))
    assert samples.probability_in_top(3 / 7).sum() == pytest.approx(3)


def test_above_counts_whole_papers():
    # 0.07 * 100 is a little more than 7.
    samples = Samples(np.arange(100, dtype=np.uint16)[None], np.zeros((1, 0), np.float32))
    assert [samples.probability_in_top(percent / 100).sum() for percent in range(101)] == list(range(101))


@pytest.mark.parametrize("share", [-0.1, 1.1, np.nan])
def test_a_cut_is_a_share(share):
    with pytest.raises(InputError, match="from 0 to 1"):
        some().probability_in_top(share)


def test_draws_that_her_ballots_made_improbable_count_for_more_without_her():
    places = np.array([[0, 1], [1, 0]], np.uint16)
    # Her ballots are three times as probable in the first order, so without her the second has weight 3/4.
    samples = Samples(places, np.log([[0.3], [0.1]]).astype(np.float32))
    assert samples.influence(0, 0) == pytest.approx(0.75 - 0.5, abs=1e-6)
    assert samples.influence(0, 1) == pytest.approx(0.25 - 0.5, abs=1e-6)


def test_one_draw_does_not_decide():
    places = np.arange(100, dtype=np.uint16)[:, None]
    evidence = np.zeros((100, 1), np.float32)
    evidence[99] = -500
    # Its weight is cut off at ten times the median.
    assert abs(Samples(places, evidence).influence(0, 0)) < 10


def test_gains_of_many_are_those_of_each(monkeypatch):
    monkeypatch.setattr("peerorder.core.samples.FEW", 4)
    samples = some(graders=5)
    by, on = np.divmod(np.arange(5 * 7), 7)
    for grader, paper, gain in zip(by, on, samples.influences(by, on), strict=True):
        log_weight = -samples.evidence[:, grader].astype(float)
        weight = np.minimum(np.exp(log_weight - np.median(log_weight)), 10)
        places = samples.places[:, paper].astype(float)
        assert gain == pytest.approx(np.average(places, weights=weight) - places.mean(), abs=1e-9)
    assert samples.influences([], []).tolist() == []


def test_draws_know_their_chain():
    samples = Samples(some(draws=12).places, np.zeros((12, 1), np.float32), 3, 9.5)
    assert samples.chain.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert repr(samples) == "<Samples: 12 draws of 7 papers from 3 chains>"


def test_probabilities_count_the_draws():
    samples = some()
    assert samples.probability(0, 1) == np.mean(samples.places[:, 0] < samples.places[:, 1])
    assert samples.probability(0, 1) + samples.probability(1, 0) == 1


def test_r_hat_tells_chains_that_disagree(monkeypatch):
    monkeypatch.setattr("peerorder.core.samples.CHUNK", 3)
    rng = child(0, "chains")
    places = rng.normal(100, 5, (4, 64, 4)).round()
    places[0, :, 0] += 50  # one chain elsewhere
    places[:, 32:, 1] += 50  # all move on
    places[:, :, 2] = 7
    places[:, :, 3] = np.arange(4)[:, None]
    r_hat = Samples(places.reshape(256, 4).astype(np.uint16), np.zeros((256, 1), np.float32), 4).split_r_hat()
    halves = places[:, :, 0].reshape(8, 32)
    pooled = 31 / 32 * halves.var(axis=1, ddof=1).mean() + halves.mean(axis=1).var(ddof=1)
    assert r_hat[0] == pytest.approx(np.sqrt(pooled / halves.var(axis=1, ddof=1).mean()))
    assert (r_hat[:2] > 1.5).all()
    assert r_hat[2:].tolist() == [1, np.inf]
    agreeing = Samples(rng.normal(100, 5, (256, 9)).round().astype(np.uint16), np.zeros((256, 1), np.float32), 4)
    assert (agreeing.split_r_hat() < 1.1).all()
    with pytest.raises(InputError, match="too few"):
        Samples(places.reshape(256, 4)[:8].astype(np.uint16), np.zeros((8, 1), np.float32), 4).split_r_hat()
