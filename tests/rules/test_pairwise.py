from collections import Counter

import choix
import numpy as np
import pytest
from hypothesis import given
from scipy.stats import norm

from peerorder.core import Profile
from peerorder.rules.newton import least
from peerorder.rules.pairwise import comparisons, logistic, loss_of, probit

from .profiles import any_profiles, in_order, noisy
from .utilities import LOSSES, drawn, utilities_of, wins

LINKS = {"bradley-terry": logistic, "thurstone": probit}
ANY_NAME = pytest.mark.parametrize("name", LINKS)


@given(any_profiles())
def test_comparisons_are_those_of_the_definition(profile):
    expected = Counter()
    for winner, loser, weight in wins(profile):
        expected[winner, loser] += weight
    found = comparisons(profile)
    winner = np.repeat(np.arange(profile.n_papers), np.diff(found.start))
    listed = list(zip(winner.tolist(), found.loser.tolist(), strict=True))
    assert dict(zip(listed, found.times.tolist(), strict=True)) == expected
    assert listed == sorted(set(listed))


def test_comparisons_do_not_depend_on_the_order_of_ballots():
    profile, _ = noisy(8, 5, 50)
    one, other = comparisons(profile), comparisons(in_order(profile, np.arange(8)[::-1]))
    assert one.loser.tobytes() == other.loser.tobytes()
    assert one.times.tobytes() == other.times.tobytes()


@ANY_NAME
@given(profile=any_profiles())
def test_the_kernels_compute_the_literal_loss_with_its_derivatives(name, profile):
    x, v = drawn(profile.n_papers), drawn(profile.n_papers, label="direction")
    value, gradient, hessian = LOSSES[name](profile, x)
    local = loss_of(profile, LINKS[name])(x)
    assert local.value == pytest.approx(value, abs=1e-10)
    assert local.gradient == pytest.approx(gradient, abs=1e-10)
    assert local.diagonal == pytest.approx(np.diag(hessian), abs=1e-10)
    assert local.times(v) == pytest.approx(hessian @ v, abs=1e-10)


@ANY_NAME
def test_the_derivatives_of_the_link_are_its_derivatives(name):
    z, step = np.linspace(-30, 8, 500), 1e-4
    loss, slope, bend = LINKS[name](z)
    up, down = LINKS[name](z + step), LINKS[name](z - step)
    assert (down[0] - up[0]) / (2 * step) == pytest.approx(slope, rel=1e-5, abs=1e-9)
    assert (down[1] - up[1]) / (2 * step) == pytest.approx(bend, rel=1e-5, abs=1e-9)
    assert np.all(loss > 0)


@ANY_NAME
def test_the_link_has_no_limits(name):
    loss, slope, bend = LINKS[name](np.array([-72143963.79258077, -1e6, -800.0, -40.0, 40.0, 800.0, 1e6]))
    assert np.isfinite([loss, slope, bend]).all()
    assert np.all(np.diff(loss) <= 0)
    assert np.all(np.diff(slope) <= 0)
    assert np.all((bend >= 0) & (bend <= 1))


def test_links_at_known_points():
    assert [float(part[0]) for part in logistic(np.zeros(1))] == pytest.approx([np.log(2), 0.5, 0.25])
    assert [float(part[0]) for part in probit(np.zeros(1))] == pytest.approx([np.log(2), np.sqrt(2 / np.pi), 2 / np.pi])
    assert float(probit(np.array([-1.0]))[0][0]) == pytest.approx(-np.log(norm.cdf(-1)))


# choix, another implementation. It penalises by alpha times the sum of squares, we by half the prior.


@pytest.mark.parametrize(("n", "k", "level"), [(10, 4, 30), (25, 5, 50), (20, 6, 0)])
@pytest.mark.parametrize("prior", [0.03, 1.0])
def test_choix_finds_the_same_maximum_for_bradley_terry(n, k, level, prior):
    profile, _ = noisy(n, k, level)
    pairs = [(winner, loser) for winner, loser, _ in wins(profile)]
    theirs = choix.opt_pairwise(n, pairs, alpha=prior / 2, method="BFGS", tol=1e-7)
    assert utilities_of("bradley-terry", profile, prior=prior) == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("method", [choix.ilsr_pairwise, choix.mm_pairwise], ids=lambda method: method.__name__)
def test_without_a_prior_choix_finds_the_same_maximum_by_other_algorithms(method):
    profile, _ = noisy(10, 5, 80)
    theirs = method(10, [(winner, loser) for winner, loser, _ in wins(profile)])
    ours, converged = least(loss_of(profile, logistic), np.zeros(10), 1e-9)
    assert converged
    assert ours - ours.mean() == pytest.approx(theirs - theirs.mean(), abs=1e-5)


def test_the_posterior_mean_that_choix_has_for_thurstone_is_near_our_maximum():
    # Two different numbers, mean and maximum, that many ballots bring together. Its alpha is the prior's precision.
    profile, _ = noisy(12, 8, 50)
    pairs = [(winner, loser) for winner, loser, _ in wins(profile)] * 5
    theirs, _ = choix.ep_pairwise(12, pairs, 0.1, model="probit")
    fivefold = Profile.from_matrix(np.repeat([profile[b] for b in range(12)], 5, axis=0), 12)
    assert utilities_of("thurstone", fivefold, prior=0.1) == pytest.approx(theirs, abs=0.05)
    assert np.ptp(theirs) > 1


@ANY_NAME
def test_a_tie_is_half_a_win_for_either_side(name):
    rest = [[0, 1, 2], [2, 1], [1, 0]]
    tied = utilities_of(name, Profile.from_ballots([*rest * 2, [(0, 2)], [(0, 2)]], 3))
    both_ways = utilities_of(name, Profile.from_ballots([*rest * 2, [0, 2], [2, 0]], 3))
    assert tied == pytest.approx(both_ways, abs=1e-9)


@ANY_NAME
@given(profile=any_profiles())
def test_reversed_ballots_turn_the_sign_of_every_utility(name, profile):
    upright, upside_down = (utilities_of(name, ballots) for ballots in (profile, profile.reversed()))
    assert upside_down == pytest.approx(-upright, abs=1e-9)


@ANY_NAME
def test_reversed_ballots_reverse_the_order_of_a_class(name):
    profile, _ = noisy(200, 6, 50)
    upright, upside_down = (utilities_of(name, ballots) for ballots in (profile, profile.reversed()))
    assert np.array_equal(np.argsort(upright), np.argsort(-upside_down))


@ANY_NAME
def test_the_option_reaches_the_rule(name):
    profile, _ = noisy(12, 4, 30)
    weak, strong = (np.ptp(utilities_of(name, profile, prior=prior)) for prior in (0.01, 10))
    assert strong < weak / 3
