"""What people get from ``mixture``: the order, intervals, reliabilities, flags, and sense from bad input."""

import numpy as np
import pytest

from peerorder.core import Profile, child
from peerorder.noise import NOISES
from peerorder.rules import RULES, lbfgs
from peerorder.rules.mixture import ballots as passes
from peerorder.rules.mixture.ballots import ballots_of
from peerorder.rules.mixture.model import BACKWARDS, RANDOM_TYPE, RELIABILITY, TYPES, lanes_of, loss_of, start_at
from peerorder.rules.mixture.sums import BEST
from peerorder.rules.posterior.grid import MOST_BACKWARDS
from peerorder.schemes import SCHEMES, hand_out

from ..profiles import noisy
from ..utilities import drawn
from .literal import slope

MIXTURE = RULES["mixture"]


def a_round(n, k, noise, *labels):
    rng = child(0, "mixture", n, k, noise, *labels)
    bundles = SCHEMES["random"].build(n, k, rng)
    truth = rng.permutation(n)
    authored = hand_out(bundles, np.arange(n), rng)
    return NOISES.parse(noise).draw_class(bundles, truth, rng, bundle_of=authored), truth


# The loss.


@pytest.mark.parametrize("backwards", [-4.0, 6.0], ids=["few backwards", "too many backwards"])
def test_the_gradient_of_the_loss_is_its_slope(backwards):
    profile, _ = noisy(12, 4, 50)
    ballots = ballots_of(profile)
    loss = loss_of(ballots.total, 12, ballots.n_graders)
    logits = child(0, "logits").normal(0, 1, TYPES) + backwards * BACKWARDS
    point = np.concatenate([drawn(12, 1.0), logits, [-1.5]])
    assert loss(point).gradient == pytest.approx(slope(lambda there: loss(there).value, point), abs=1e-5)
    share = lanes_of(point).weight.sum()
    assert share == pytest.approx(1)


def test_shares_of_types_that_rank_backwards_are_bounded():
    point = np.concatenate([5.0 * BACKWARDS, [-1.0]])
    lanes = lanes_of(point)
    backwards = np.sign(lanes.slope) * np.where(np.arange(len(lanes.slope)) < BEST, 1, -1) < 0
    assert lanes.weight[backwards].sum() == pytest.approx(MOST_BACKWARDS)


def test_the_loss_is_least_where_the_fit_ends():
    profile, _ = noisy(40, 6, 40)
    ballots = ballots_of(profile)
    loss = loss_of(ballots.total, 40, ballots.n_graders)
    point, here, converged = lbfgs.least(loss, start_at(drawn(40)), lambda step, promise: promise <= 1e-3)
    assert converged
    assert np.abs(here.gradient / np.sqrt(here.diagonal)).max() < 0.05
    for seed in range(5):
        assert loss(point + child(seed, "elsewhere").normal(0, 0.05, len(point))).value > here.value


def test_a_fit_that_is_cut_short_says_so(monkeypatch):
    monkeypatch.setattr(lbfgs, "EVALUATIONS_AT_MOST", 3)
    outcome = MIXTURE.aggregate(noisy(40, 6, 40)[0])
    assert len(outcome.result.notes) == 1
    assert np.isfinite(outcome.scores).all()


def test_types_of_random_graders_are_right_half_of_the_time():
    assert RELIABILITY[RANDOM_TYPE] == pytest.approx(0.5)
    assert (RELIABILITY[BACKWARDS] < 0.5).all()
    assert BACKWARDS.sum() == 4


# How good it is.


@pytest.mark.parametrize(
    ("noise", "lead"),
    [
        ("condorcet:level=50,tied=no", 2),
        ("thurstone:sigma=0.3,random=0.2", 2),
        ("thurstone:sigma=0.3,reversed=0.1", 1.5),
        ("thurstone:sigma=0.5", -0.3),
        ("plackett-luce:scale=0.5", -0.3),
        ("perfect", 0),
    ],
)
def test_it_is_well_above_plackett_luce_where_graders_differ_and_not_below_elsewhere(noise, lead):
    drawn_class, truth = a_round(500, 8, noise)
    ours, theirs = (
        RULES[name].aggregate(drawn_class.profile).pairwise_accuracy(truth) for name in ("mixture", "plackett-luce")
    )
    assert 100 * (ours - theirs) > lead


def test_intervals_hold_the_truth_nine_times_in_ten():
    inside = []
    for noise in ("condorcet:level=30", "condorcet:level=50", "thurstone:sigma=0.5", "plackett-luce:scale=0.5"):
        drawn_class, truth = a_round(400, 8, noise)
        low, high = MIXTURE.aggregate(drawn_class.profile).result.intervals.T
        inside.append(np.mean((low <= truth + 1) & (truth + 1 <= high)))
    assert 0.87 < np.mean(inside) < 0.94


def test_reversed_graders_are_flagged_and_honest_ones_are_not():
    drawn_class, _ = a_round(300, 8, "thurstone:sigma=0.3,reversed=0.1,random=0.1")
    flags = np.array(MIXTURE.aggregate(drawn_class.profile).result.flags)
    role = np.array(drawn_class.role)
    assert (flags[role == "reversed"] == "reversed").mean() > 0.8
    assert set(flags[role == "random"]) <= {"", "random"} | {"reversed"}
    assert (flags[role == ""] == "").mean() > 0.98


def test_reliabilities_follow_the_truth():
    drawn_class, _ = a_round(300, 8, "condorcet:level=50,tied=no")
    result = MIXTURE.aggregate(drawn_class.profile).result
    low, high = result.reliability_intervals.T
    assert np.corrcoef(result.reliability, drawn_class.reliability)[0, 1] > 0.7
    # Sharper than they are, because what makes these graders err is none of the types.
    assert abs(result.reliability.mean() - drawn_class.reliability.mean()) < 0.08
    assert ((low <= result.reliability) & (result.reliability <= high)).mean() > 0.95


# Bad input, and what must not matter.


def test_every_single_grader_reversed():
    drawn_class, truth = a_round(100, 8, "condorcet:level=20,reversed=1")
    outcome = MIXTURE.aggregate(drawn_class.profile)
    assert outcome.pairwise_accuracy(truth) < 0.1
    assert set(outcome.result.flags) == {""}


def test_reversed_ballots_reverse_the_order_where_graders_begin_at_either_end():
    profile, _ = noisy(200, 8, 30)
    upright, upside_down = (np.log(MIXTURE.aggregate(each).scores) for each in (profile, profile.reversed()))
    assert upright == pytest.approx(-upside_down, abs=0.05)


def test_nothing_was_compared():
    outcome = MIXTURE.aggregate(Profile.from_ballots([[0], [1], []], 12))
    assert len(outcome.result.notes) == 1
    low, high = outcome.result.intervals.T
    assert (high - low >= 9).all()
    assert outcome.result.flags == ("", "", "")


def test_a_paper_that_nobody_ranked_may_be_anywhere():
    ballots = [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [0, 4, 5, 6], [0, 1, 5, 6]] * 3
    outcome = MIXTURE.aggregate(Profile.from_ballots(ballots, 8))
    widths = np.diff(outcome.result.intervals, axis=1)[:, 0]
    assert widths[7] >= 6
    assert outcome.scores[7] == pytest.approx(1)
    assert len(outcome.result.notes) == 1


def test_one_paper():
    result = MIXTURE.aggregate(Profile([0], [0, 1], 1)).result
    assert result.intervals.tolist() == [[1, 1]]
    assert result.notes == ()


def test_staff_who_rank_everything():
    n = 150
    rng = child(0, "staff")
    good = [np.argsort(np.arange(n) + rng.normal(0, n / 10, n)) for _ in range(3)]
    outcome = MIXTURE.aggregate(Profile.from_matrix([*good, rng.permutation(n), rng.permutation(n), good[0][::-1]], n))
    assert outcome.result.flags == ("", "", "", "random", "random", "reversed")
    assert outcome.pairwise_accuracy(np.arange(n)) > 0.9


@pytest.mark.parametrize("graders", [1, 3, 600])
def test_comparisons_by_a_few_graders_in_any_order(graders):
    rng = child(0, "pairs")
    pairs = [np.sort(rng.choice(40, 2, replace=False)) for _ in range(600)]
    outcome = MIXTURE.aggregate(Profile.from_ballots(pairs, 40, grader=[i % graders for i in range(600)]))
    assert outcome.pairwise_accuracy(np.arange(40)) > 0.95
    assert outcome.result.reliability.min() > 0.8


def test_cores_and_the_order_of_graders_change_no_bit(monkeypatch):
    monkeypatch.setattr(passes, "MANY", 1)
    profile, _ = noisy(200, 6, 40)
    shuffled = Profile.from_matrix(profile.papers.reshape(200, 6)[child(0, "shuffle").permutation(200)], 200)
    results = set()
    for cores, ballots in ((1, profile), (4, profile), (4, shuffled)):
        monkeypatch.setattr(passes, "cores", lambda cores=cores: cores)
        results.add(MIXTURE.aggregate(ballots).scores.tobytes())
    assert len(results) == 1
