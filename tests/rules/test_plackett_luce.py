import choix
import numpy as np
import pytest
from hypothesis import given

from peerorder.core import Profile, child
from peerorder.rules import RULES
from peerorder.rules.newton import least
from peerorder.rules.plackett_luce import count_stages, loss_of

from .profiles import any_profiles, groups_of, noisy
from .utilities import drawn, plackett_luce, utilities_of

NAME = "plackett-luce"


@given(any_profiles())
def test_the_kernels_compute_the_literal_loss_with_its_derivatives(profile):
    x, v = drawn(profile.n_papers), drawn(profile.n_papers, label="direction")
    value, gradient, hessian = plackett_luce(profile, x)
    local = loss_of(profile)(x)
    assert local.value == pytest.approx(value, abs=1e-12)
    assert local.gradient == pytest.approx(gradient, abs=1e-12)
    assert local.diagonal == pytest.approx(np.diag(hessian), abs=1e-12)
    assert local.times(v) == pytest.approx(hessian @ v, abs=1e-12)


@given(any_profiles())
def test_stages_are_the_sizes_of_levels_where_they_begin(profile):
    sizes = [
        size for ballot in groups_of(profile) for group in ballot for size in [len(group)] + [0] * (len(group) - 1)
    ]
    assert count_stages(profile.start, profile.tie_levels).tolist() == sizes


@pytest.mark.parametrize("scale", [300.0, 2000.0])
def test_utilities_far_apart_overflow_nothing(scale):
    profile = Profile.from_ballots([[0, 1, 2, 3], [3, (1, 2), 0], [(0, 3)], [2, 0]], 4)
    x, v = scale * np.array([1.0, -1.0, 0.5, 0.0]), np.array([1.0, 2.0, -1.0, 0.5])
    value, gradient, hessian = plackett_luce(profile, x)
    local = loss_of(profile)(x)
    assert local.value == pytest.approx(value, rel=1e-12)
    assert local.gradient == pytest.approx(gradient, abs=1e-12)
    assert local.times(v) == pytest.approx(hessian @ v, abs=1e-12)


# choix, another implementation of the same model. It penalises by alpha times the sum of squares, we by half the prior.


@pytest.mark.parametrize(("n", "k", "level"), [(10, 4, 30), (25, 5, 50), (20, 6, 0)])
@pytest.mark.parametrize("prior", [0.03, 1.0])
def test_choix_finds_the_same_maximum(n, k, level, prior):
    profile, _ = noisy(n, k, level)
    rankings = [profile[b].tolist() for b in range(len(profile))]
    theirs = choix.opt_rankings(n, rankings, alpha=prior / 2, method="BFGS", tol=1e-7)
    assert utilities_of(NAME, profile, prior=prior) == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("method", [choix.ilsr_rankings, choix.mm_rankings], ids=lambda method: method.__name__)
def test_without_a_prior_choix_finds_the_same_maximum_by_other_algorithms(method):
    profile, _ = noisy(10, 5, 80)
    theirs = method(10, [profile[b].tolist() for b in range(10)])
    ours, converged = least(loss_of(profile), np.zeros(10), 1e-9)
    assert converged
    assert ours - ours.mean() == pytest.approx(theirs - theirs.mean(), abs=1e-5)


def test_two_papers_tied_at_the_bottom_are_worth_a_ballot_either_way():
    rest = [[0, 1, 2], [2, 1], [1, 0]]
    tied = utilities_of(NAME, Profile.from_ballots([*rest, [(0, 2)]], 3))
    both_ways = utilities_of(NAME, Profile.from_ballots([*rest, [0, 2], [2, 0]], 3))
    assert tied == pytest.approx(both_ways, abs=1e-9)


def test_a_tie_draws_papers_together_and_keeps_them_above_the_rest():
    apart = utilities_of(NAME, Profile.from_ballots([[0, 1, 2]], 3))
    tied = utilities_of(NAME, Profile.from_ballots([[0, 1, 2], [(0, 1), 2]], 3))
    assert 0 < tied[0] - tied[1] < apart[0] - apart[1]
    assert tied[1] - tied[2] > apart[1] - apart[2]


def test_ballots_of_two_papers_are_bradley_terry():
    profile, _ = noisy(30, 2, 50)
    assert utilities_of(NAME, profile) == pytest.approx(utilities_of("bradley-terry", profile), abs=1e-9)


def test_reversed_ballots_need_not_reverse_the_order():
    profile = Profile.from_ballots([[0, 1, 2], [0, 1, 2], [1, 2, 0]], 3)
    upright, upside_down = (utilities_of(NAME, ballots) for ballots in (profile, profile.reversed()))
    # 0 is picked first twice and once left over, 1 never left over; upside down 2 is picked first, but not always.
    assert np.argsort(-upright).tolist() == [1, 0, 2]
    assert np.argsort(upside_down).tolist() == [0, 1, 2]


def test_the_option_reaches_the_rule():
    profile, _ = noisy(12, 4, 30)
    weak, strong = (np.ptp(utilities_of(NAME, profile, prior=prior)) for prior in (0.01, 10))
    assert strong < weak / 3
    assert RULES.parse(f"{NAME}:prior=0.5").aggregate(profile, child(0)).options == {"prior": 0.5}
