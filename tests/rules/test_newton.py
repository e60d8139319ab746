import numpy as np
import pytest
from hypothesis import given, settings
from scipy.optimize import brentq

from peerorder.core import InputError, Profile, child
from peerorder.rules import RULES, newton
from peerorder.rules.newton import Local, least, strengths

from .profiles import any_profiles, joined, noisy, relabelled
from .utilities import LOSSES, most_likely, utilities_of

NAMES = ["plackett-luce", "bradley-terry", "thurstone"]
ANY_NAME = pytest.mark.parametrize("name", NAMES)


# The solver.


def quadratic(matrix, right):
    def loss(x):
        return Local(x @ matrix @ x / 2 - right @ x, matrix @ x - right, np.diag(matrix), lambda v: matrix @ v)

    return loss


def test_a_quadratic_loss_is_solved_like_its_equations(rng):
    root = rng.normal(size=(30, 30))
    matrix, right = root @ root.T, rng.normal(size=30)
    utility, converged = least(quadratic(matrix, right), np.zeros(30), 0.1)
    assert converged
    assert utility == pytest.approx(np.linalg.solve(matrix + 0.1 * np.eye(30), right), abs=1e-8)


def log_cosh(x):
    bend = 1 / np.cosh(x) ** 2
    return Local(float(np.log(np.cosh(x)).sum()), np.tanh(x), bend, lambda v: bend * v)


def test_steps_that_overshoot_are_halved():
    # Newton's method by itself flees from 0 when it starts beyond 1.09.
    start = np.array([3.0, -2.0, 1.5])
    first = start - np.tanh(start) * np.cosh(start) ** 2
    assert np.all(np.abs(first) > np.abs(start))
    utility, converged = least(log_cosh, start, 1e-6)
    assert converged
    assert utility == pytest.approx(np.zeros(3), abs=1e-9)


@ANY_NAME
def test_a_note_says_when_the_utilities_did_not_settle(name, monkeypatch):
    profile = noisy(30, 5, 30)[0]
    assert RULES[name].aggregate(profile, child(0)).result.notes == ()
    monkeypatch.setattr(newton, "STEPS_AT_MOST", 1)
    outcome = RULES[name].aggregate(profile, child(0))
    assert outcome.result.notes == ("the utilities had not settled after 1 steps of Newton's method",)
    assert np.isfinite(outcome.scores).all()


# Scores.


def test_strengths_are_powers_of_e_and_rounding_makes_no_difference():
    scores = strengths(np.array([1.0, 0.3 + 1e-12, -2.0, 0.3, 1.0 + 1e-7]))
    assert scores == pytest.approx(np.exp([1, 0.3, -2, 0.3, 1]), rel=1e-6)
    assert scores[1] == scores[3]
    assert scores[0] < scores[4]


def test_strengths_stay_finite_and_in_order_however_large_the_utilities():
    scores = strengths(np.array([5000.0, -5000.0, 4999.0, 0.0]))
    assert np.isfinite(scores).all()
    assert np.argsort(scores).tolist() == [1, 3, 2, 0]
    assert scores.min() > 0


# What the three rules share: the maximum, and the profiles that have one only because of the prior.


@ANY_NAME
@settings(max_examples=25)
@given(profile=any_profiles(least=1, most=6))
def test_utilities_are_where_the_literal_posterior_is_largest(name, profile):
    assert utilities_of(name, profile, prior=0.2) == pytest.approx(most_likely(name, profile, 0.2), abs=1e-6)


@ANY_NAME
@pytest.mark.parametrize("prior", [0.001, 0.03, 1.0, 100.0])
def test_the_gradient_of_the_literal_posterior_is_zero(name, prior):
    for profile in (noisy(40, 6, 50)[0], noisy(40, 5, 0)[0]):
        x = utilities_of(name, profile, prior=prior)
        _, gradient, _ = LOSSES[name](profile, x)
        assert np.abs(gradient).max() > 1e-4
        assert gradient + prior * x == pytest.approx(np.zeros(40), abs=1e-8)


# Against N ballots that all say the same about two papers, x and -x, the prior alone holds.
@ANY_NAME
@pytest.mark.parametrize("ballots", [1, 3, 1000])
@pytest.mark.parametrize("prior", [0.001, 0.1, 10.0])
def test_a_paper_that_never_loses_has_the_utility_of_the_closed_form(name, ballots, prior):
    profile = Profile.from_ballots([[1, 0]] * ballots, 2)
    one = Profile.from_ballots([[1, 0]], 2)
    expected = brentq(lambda x: ballots * LOSSES[name](one, np.array([-x, x]))[1][1] + prior * x, 0, 50)
    assert utilities_of(name, profile, prior=prior) == pytest.approx([-expected, expected], rel=1e-6)


@ANY_NAME
def test_parts_that_nothing_connects_are_fitted_alone_and_have_mean_0(name):
    one, other = noisy(12, 4, 30, "one")[0], noisy(9, 3, 30, "other")[0]
    both = [*([*map(int, one[b])] for b in range(12)), *([int(p) + 12 for p in other[b]] for b in range(9))]
    utility = utilities_of(name, Profile.from_ballots(both, 22))
    assert utility[:12] == pytest.approx(utilities_of(name, one), abs=1e-8)
    assert utility[12:21] == pytest.approx(utilities_of(name, other), abs=1e-8)
    assert utility[:12].sum() == pytest.approx(0, abs=1e-8)
    assert utility[12:21].sum() == pytest.approx(0, abs=1e-8)
    # Nobody ranked the last paper.
    assert utility[21] == 0


@ANY_NAME
def test_papers_ranked_alone_or_tied_with_all_others_have_utility_0(name):
    assert utilities_of(name, Profile.from_ballots([[0], [(1, 2, 3)], []], 5)).tolist() == [0] * 5


@ANY_NAME
def test_more_ballots_of_the_same_kind_count_for_more(name):
    ballots = noisy(10, 4, 60)[0]
    once, thrice = (utilities_of(name, joined(*[ballots] * many)) for many in (1, 3))
    assert np.ptp(once) < np.ptp(thrice)
    # Three times the likelihood under a prior is the likelihood under a third of it.
    assert thrice == pytest.approx(utilities_of(name, ballots, prior=RULES[name].values["prior"] / 3), abs=1e-8)


@ANY_NAME
def test_many_unanimous_graders_overflow_nothing(name):
    profile = Profile.from_matrix(np.tile(np.arange(40), (3000, 1)), 40)
    outcome = RULES[name].with_options(prior=0.001).aggregate(profile, child(0))
    assert outcome.result.notes == ()
    assert outcome.order.tolist() == list(range(40))


@ANY_NAME
def test_long_chains_of_pairs_settle(name):
    papers = 400
    order = child(0, "chain").permutation(papers)
    profile = Profile.from_matrix(np.stack([order[:-1], order[1:]], axis=1), papers)
    outcome = RULES[name].with_options(prior=0.001).aggregate(profile, child(0))
    assert outcome.result.notes == ()
    assert outcome.order[:50].tolist() == order[:50].tolist()
    # As far down as up: what the chain says of the middle is that it is the middle.
    assert np.log(outcome.scores[order]) == pytest.approx(-np.log(outcome.scores[order])[::-1], abs=1e-8)


@ANY_NAME
def test_perfect_graders_are_worth_more_than_to_borda(name):
    profile, truth = noisy(300, 8, 0)
    found, borda = (RULES[each].aggregate(profile, child(0)).pairwise_accuracy(truth) for each in (name, "borda"))
    # 97.9 to 98.2% against 94.4%.
    assert found > borda + 0.03


@ANY_NAME
def test_numbers_of_papers_do_not_matter_at_a_size_where_sums_round(name):
    profile, _ = noisy(500, 6, 50)
    names = child(0, "names").permutation(500)
    renamed = utilities_of(name, relabelled(profile, names))[names]
    assert renamed == pytest.approx(utilities_of(name, profile), abs=1e-9)


@pytest.mark.parametrize("name", LOSSES)
def test_the_covariance_is_that_of_a_numerical_hessian(name):
    profile, _ = noisy(9, 5, 50)
    rule = RULES[f"{name}:prior=0.2"]
    outcome = rule.aggregate(profile)
    x, step = np.log(outcome.scores), 1e-5

    def gradient(at):
        return LOSSES[name](profile, at)[1] + 0.2 * at

    hessian = np.array([(gradient(x + step * unit) - gradient(x - step * unit)) / (2 * step) for unit in np.eye(9)])
    centre = np.eye(9) - 1 / 9
    assert rule.covariance(outcome) == pytest.approx(centre @ np.linalg.inv(hessian) @ centre, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", LOSSES)
def test_standard_errors_cover_what_they_promise(name):
    rng, n, inside = child(0, "coverage", name), 12, []
    for _ in range(25):
        truth = rng.normal(0, 1, n)
        pairs = np.array([rng.choice(n, 2, replace=False) for _ in range(200)])
        error = rng.normal(0, 0.5**0.5, pairs.shape) if name == "thurstone" else rng.gumbel(size=pairs.shape)
        ranked = np.take_along_axis(pairs, np.argsort(-(truth[pairs] + error), axis=1), axis=1)
        rule = RULES[name]
        outcome = rule.aggregate(Profile.from_matrix(ranked, n))
        off = np.log(outcome.scores) - (truth - truth.mean())
        inside += (np.abs(off) < 1.645 * np.sqrt(np.diag(rule.covariance(outcome)))).tolist()
    # Of 300, so the standard deviation is a little over 0.017.
    assert 0.84 < np.mean(inside) < 0.96


def test_rules_without_a_likelihood_have_no_standard_errors(monkeypatch):
    profile, _ = noisy(9, 5, 50)
    with pytest.raises(InputError, match="borda gives no standard errors; bradley-terry, plackett-luce and thurstone"):
        RULES["borda"].covariance(RULES["borda"].aggregate(profile))
    monkeypatch.setattr("peerorder.rules.newton.MOST_TO_INVERT", 8)
    with pytest.raises(InputError, match="standard errors of 9 papers"):
        RULES["thurstone"].covariance(RULES["thurstone"].aggregate(profile))
