"""The truth about simulated graders: how reliable each is, and who plays which part."""

from itertools import combinations

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.special import expit
from scipy.stats import norm

from peerorder.core import Bundles, child
from peerorder.noise import NOISES, Noise, plackett_luce, thurstone
from peerorder.noise.noise import RankedBundles
from peerorder.schemes import SCHEMES, hand_out

N, K = 200, 6


@pytest.fixture(scope="module")
def round_():
    rng = child(0, "reliability")
    bundles = SCHEMES["random"].build(N, K, rng)
    return bundles, rng.permutation(N), hand_out(bundles, np.arange(N), rng)


def drawn(round_, spec, seed=0):
    bundles, truth, bundle_of = round_
    return NOISES.parse(spec).draw_class(bundles, truth, child(seed), bundle_of=bundle_of)


def by_hand(spec, graders=4000, seed=0):
    """Everybody ranks two papers of a large class, another pair each: who was right, and who should be how often."""
    rng = child(seed, "pairs")
    n = 2000
    pairs = np.stack([rng.choice(n, 2, replace=False) for _ in range(graders)])
    found = NOISES.parse(spec).draw_class(Bundles.from_matrix(pairs, n), np.arange(n), rng)
    ranked = found.profile.papers.reshape(-1, 2)
    right = np.empty(graders, bool)
    right[found.profile.grader] = ranked[:, 0] < ranked[:, 1]
    return right, found


@pytest.mark.parametrize(
    "spec",
    [
        "perfect",
        "condorcet:level=80",
        "condorcet:level=80,tied=no",
        "generalised-mallows:level=70,fade=0.5",
        "thurstone:sigma=0.4",
        "thurstone:sigma=0.4,spread=1.2",
        "thurstone:sigma=0.4,spread=1.2,taste=0.7",
        "thurstone:sigma=0.3,taste=0.7,schools=3",
        "plackett-luce:scale=0.8",
        "thurstone:sigma=0.3,random=0.3,reversed=0.4",
    ],
)
def test_graders_are_right_about_two_papers_as_often_as_said(spec):
    right, found = by_hand(spec)
    stated = found.reliability
    error = np.sqrt((stated * (1 - stated)).sum()) / len(stated)
    assert abs(right.mean() - stated.mean()) <= 4 * error + 1e-9
    # And not only on average: the better half is better by as much as it should be.
    best = stated >= np.median(stated)
    assert abs(right[best].mean() - stated[best].mean()) <= 4 * np.sqrt(0.25 / best.sum())


@pytest.mark.parametrize("spec", [*NOISES.names, "thurstone:spread=1,missing=0.2", "condorcet:team=0.2,random=0.1"])
def test_the_truth_costs_no_draw(round_, spec):
    bundles, truth, bundle_of = round_
    ballots = NOISES.parse(spec).draw(bundles, truth, child(3), bundle_of=bundle_of)
    assert drawn(round_, spec, 3).profile.digest == ballots.digest


def test_perfect_graders_are_always_right(round_):
    assert drawn(round_, "perfect").reliability.tolist() == [1.0] * N


@pytest.mark.parametrize("name", ["condorcet", "generalised-mallows"])
def test_a_quality_is_a_reliability_and_falls_with_the_graders_own_place(round_, name):
    found = drawn(round_, f"{name}:level=40").reliability
    assert found.min() >= 0.6
    by_place = found[np.argsort(round_[1])]
    assert (np.diff(by_place) <= 0).all()
    assert np.ptp(found) > 0.3


def test_thurstone_has_a_closed_form():
    assert thurstone.reliability(np.array([0.0, 1.0])).tolist() == [1.0, 0.75]
    sigma = 0.6

    # Two papers differ by d, and the difference of two errors does not turn that round.
    d = np.linspace(0, 14, 200_001)
    right = 2 * trapezoid(norm.pdf(d, scale=np.sqrt(2)) * norm.cdf(d, scale=np.sqrt(2) * sigma), d)
    assert thurstone.reliability(np.array([sigma]))[0] == pytest.approx(right, abs=1e-8)
    assert thurstone.reliability(np.array([sigma]))[0] == pytest.approx(0.5 + np.arctan(1 / sigma) / np.pi)


def test_every_thurstone_grader_has_a_sigma_of_her_own(round_):
    found = drawn(round_, "thurstone:sigma=0.5,spread=0.5").reliability
    sigma = 0.5 * np.exp(0.5 * child(0).standard_normal(N))
    assert found == pytest.approx(0.5 + np.arctan(1 / sigma) / np.pi)
    assert set(drawn(round_, "thurstone:sigma=1").reliability.tolist()) == {0.75}


@pytest.mark.parametrize("schools", [0, 4])
def test_a_taste_counts_as_an_error_about_the_common_order(round_, schools):
    found = drawn(round_, f"thurstone:sigma=0.6,taste=0.8,schools={schools}").reliability
    assert found == pytest.approx(0.75)


@pytest.mark.parametrize("scale", [0.02, 0.5, 3.0])
def test_plackett_luce_is_the_mean_logistic_of_the_distance(scale):
    distance = np.linspace(0, 14, 2_000_001)
    exact = float(trapezoid(2 * norm.pdf(distance, scale=np.sqrt(2)) * expit(distance / scale), distance))
    assert plackett_luce.reliability(scale) == pytest.approx(exact, abs=1e-8)


def test_without_errors_plackett_luce_is_always_right(round_):
    assert set(drawn(round_, "plackett-luce:scale=0").reliability.tolist()) == {1.0}


def test_random_graders_are_right_half_the_time_and_reversed_ones_the_mirror_image(round_):
    found = drawn(round_, "thurstone:sigma=1,random=0.2,reversed=0.1,team=0.05")
    parts = {role: found.reliability[found.role == role] for role in ("random", "reversed", "team", "")}
    assert {role: len(part) for role, part in parts.items()} == {"random": 40, "reversed": 20, "team": 10, "": 130}
    assert set(parts["random"].tolist()) == {0.5}
    assert set(parts["reversed"].tolist()) == {0.25}
    assert np.isnan(parts["team"]).all()
    assert set(parts[""].tolist()) == {0.75}


def test_roles_are_those_of_the_ballots(round_):
    truth = round_[1]
    found = drawn(round_, "perfect:reversed=0.3")
    for ballot, grader in zip(found.profile, found.profile.grader, strict=True):
        upside_down = all(truth[a] > truth[b] for a, b in combinations(ballot, 2))
        assert upside_down == (found.role[grader] == "reversed")
    assert (found.reliability == np.where(found.role == "reversed", 0.0, 1.0)).all()


def test_missing_graders_are_still_somebody(round_):
    found = drawn(round_, "condorcet:missing=0.5,reversed=0.2")
    assert len(found.profile) == 100
    assert len(found.reliability) == len(found.role) == N


@pytest.mark.parametrize(
    "spec",
    ["thurstone:pull=0.5", "thurstone:clusters=2", "plackett-luce:pull=0.1,clusters=3", "plackett-luce:taste=0.3"],
)
def test_no_number_where_there_is_none(round_, spec):
    assert np.isnan(drawn(round_, spec).reliability).all()


def test_a_model_need_not_know():
    def rank(task, rng):
        return task.papers

    def rank_known(task, rng):
        return RankedBundles(task.papers, np.array([0.9, 0.7]))

    bundles = Bundles.from_matrix([[0, 1], [1, 2]], 3)
    plain, known = (
        Noise(name="mine", summary="", citation="", rank=each).draw_class(bundles, [0, 1, 2], 0)
        for each in (rank, rank_known)
    )
    assert np.isnan(plain.reliability).all()
    assert known.reliability.tolist() == [0.9, 0.7]
    assert plain.role.tolist() == ["", ""]


def test_what_is_known_of_the_truth_cannot_be_changed(round_):
    found = drawn(round_, "condorcet")
    with pytest.raises(ValueError, match="read-only"):
        found.reliability[0] = 1
