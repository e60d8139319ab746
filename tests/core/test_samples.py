import sys
from dataclasses import replace

import numpy as np
import pytest
from arviz_stats import ess, loo, rhat

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


def test_r_hat_tells_chains_that_disagree():
    rng = child(0, "chains")
    places = rng.normal(100, 5, (4, 64, 4)).round()
    places[0, :, 0] += 50  # one chain elsewhere
    places[:, 32:, 1] += 50  # all move on
    places[:, :, 2] = 7
    places[:, :, 3] = np.arange(4)[:, None]
    samples = Samples(places.reshape(256, 4).astype(np.uint16), np.zeros((256, 1), np.float32), 4)
    r_hat = samples.split_r_hat()
    assert (r_hat[:2] > 1.5).all()
    assert r_hat[2:].tolist() == [1, np.inf]
    assert samples.diagnose().r_hat == np.inf
    assert samples.ess_bulk()[2] == samples.ess_tail()[2] == 256
    assert (samples.ess_bulk()[[0, 1, 3]] < 20).all()
    agreeing = Samples(rng.normal(100, 5, (256, 9)).round().astype(np.uint16), np.zeros((256, 1), np.float32), 4)
    assert (agreeing.split_r_hat() < 1.1).all()
    assert (agreeing.ess_bulk() > 100).all()


def test_diagnostics_need_four_draws_of_every_chain():
    def first(draws):
        return Samples(some().places[:draws], np.zeros((draws, 1), np.float32), 4)

    assert not first(16).too_few
    assert first(16).diagnose().draws == 16
    assert first(12).too_few
    with pytest.raises(InputError, match="too few"):
        first(12).split_r_hat()


def test_arviz_gets_places_from_1_and_the_evidence():
    samples = replace(some(draws=64, graders=3), chains=4)
    tree = samples.to_arviz()
    place, ballots = tree["posterior"]["place"], tree["log_likelihood"]["ballots"]
    assert place.dims == ("chain", "draw", "paper")
    assert np.array_equal(place.values.reshape(64, 7), samples.places + 1)
    assert place.sel(chain=3, draw=2, paper=5).item() == samples.places[3 * 16 + 2, 5] + 1
    assert ballots.dims == ("chain", "draw", "grader")
    assert np.array_equal(ballots.values.reshape(64, 3), samples.evidence)
    assert rhat(tree)["place"].values == pytest.approx(samples.split_r_hat(), rel=1e-12)
    assert ess(tree, method="bulk")["place"].values == pytest.approx(samples.ess_bulk(), rel=1e-12)
    # As ArviZ defines the tail unless told otherwise.
    assert ess(tree, method="tail", prob=(0.05, 0.95))["place"].values == pytest.approx(samples.ess_tail(), rel=1e-12)


def test_the_last_place_of_as_many_papers_as_the_type_holds_is_no_0():
    places = np.arange(2**16, dtype=np.uint16)[None]
    tree = Samples(places, np.zeros((1, 0), np.float32)).to_arviz()
    assert tree["posterior"]["place"].max() == 2**16


def test_arviz_leaves_graders_out_who_said_nothing():
    samples = replace(some(draws=256, graders=4), chains=4)
    evidence = samples.evidence * 0.1
    evidence[:, 2] = 0
    quiet = replace(samples, evidence=evidence)
    assert quiet.to_arviz()["log_likelihood"]["grader"].values.tolist() == [0, 1, 3]
    tree = quiet.to_arviz(papers=list("ABCDEFG"), graders=["ann", "bob", "cid", "dot"])
    assert tree["log_likelihood"]["grader"].values.tolist() == ["ann", "bob", "dot"]
    assert tree["posterior"]["paper"].values.tolist() == list("ABCDEFG")
    assert loo(tree).n_data_points == 3


def test_arviz_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz_base", None)
    with pytest.raises(InputError, match=r"^to_arviz needs arviz-base, .*pip install 'peerorder\[arviz\]'"):
        some().to_arviz()
