import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import expit
from scipy.stats import norm

from peerorder.core import Profile, child
from peerorder.core.samples import Samples
from peerorder.rules.posterior.chains import begin, blank
from peerorder.rules.posterior.grid import ALIKE, LEVELS, grid
from peerorder.rules.posterior.layout import laid_out
from peerorder.rules.posterior.sampler import exponential, picked, run, sort_by_quantile

from .enumeration import joint, mean_places

QUALITIES = (0.2, 0.5, 0.7, 0.95)
WEIGHTS = np.array([0.1, 0.2, 0.4, 0.3])
ROUNDS = 200_000

STRICT = Profile.from_ballots([[0, 1, 2], [2, 1, 3], [3, 4, 0], [4, 1], [0, 2, 4], [1, 3]], 5)
UNEQUAL = Profile.from_ballots([[0, 1, 2, 3, 4], [2], [], [4, 0], [3, 1, 2]], 5)
TIED = Profile.from_ballots([[(0, 1), 2], [2, (1, 3)], [(3, 4, 0)], [4, (1, 2, 0)]], 5)
MANY = Profile.from_ballots([[0, 1], [1, 2], [2, 0], [0, 2], [1, 0], [3, 0]], 4, grader=[0, 0, 0, 1, 1, 2])
REVERSED = Profile.from_ballots([[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [3, 2, 1, 0]], 4)
AUTHORS = Profile.from_ballots([[1, 2, 3], [3, 0], [0, 1]], 4, wrote=[0, 1, 3])


def fixed(largest, qualities=QUALITIES, weights=WEIGHTS, sharpnesses=(), alike=(0.0,)):
    """A grid whose weights the prior holds fast."""
    return grid(largest, qualities, sharpnesses, alike)._replace(worth=1e12 * np.array(weights), most_backwards=1.0)


def sampled(profile, kinds, rounds=ROUNDS, tied_to_place=False, seed=0):
    rng = child(seed, "sampled")
    layout = laid_out(profile)
    state = begin(profile, layout, kinds, np.zeros(profile.n_papers), tied_to_place, rng)
    run(layout, kinds, state, blank(profile, kinds, 0), 1000, 500, 0, tied_to_place, rng)
    tally = blank(profile, kinds, rounds)
    run(layout, kinds, state, tally, rounds, 0, 1, tied_to_place, rng)
    return tally


@pytest.mark.parametrize("tied_to_place", [False, True])
@pytest.mark.parametrize(
    "profile",
    [
        pytest.param(STRICT, id="strict"),
        pytest.param(UNEQUAL, id="unequal and empty"),
        pytest.param(TIED, id="ties"),
        pytest.param(MANY, id="several ballots by one grader"),
        pytest.param(REVERSED, id="one against three"),
        pytest.param(AUTHORS, id="graders with papers"),
    ],
)
def test_orders_and_kinds_have_the_law_that_enumeration_gives(profile, tied_to_place):
    # With the same weights at all anchors, tying quality to place changes nothing.
    orders, law, kinds, _ = joint(profile, QUALITIES, WEIGHTS)
    tally = sampled(profile, fixed(int(profile.sizes.max())), tied_to_place=tied_to_place)
    found = dict.fromkeys(orders, 0)
    for order, times in zip(*np.unique(np.argsort(tally.places, axis=1), axis=0, return_counts=True), strict=True):
        found[tuple(order.tolist())] = times / ROUNDS
    assert 0.5 * np.abs(np.array(list(found.values())) - law).sum() < 0.02
    marginals = np.einsum("o,ogt->gt", law, kinds)
    assert np.abs(tally.kinds / ROUNDS - marginals).max() < 0.02
    assert tally.sums.sum(axis=0) / ROUNDS == pytest.approx(mean_places(orders, law), abs=0.06)


def test_what_a_grader_moved_is_what_enumeration_without_her_says():
    _, _, _, each = joint(STRICT, QUALITIES, WEIGHTS)
    tally = sampled(STRICT, fixed(3))
    samples = Samples(tally.places, tally.evidence)
    orders, law, _, _ = joint(STRICT, QUALITIES, WEIGHTS)
    for g in range(STRICT.n_graders):
        without = law / each[:, g]
        gained = mean_places(orders, without / without.sum()) - mean_places(orders, law)
        assert [samples.gain(g, paper) for paper in range(5)] == pytest.approx(gained, abs=0.04)


@pytest.mark.parametrize("sharpness", [1.0, 4.0, -2.0])
@pytest.mark.parametrize("ballot", [[0, 1], [(0, 1)]])
def test_picking_graders_have_the_law_of_two_normal_utilities(sharpness, ballot):
    # One ballot by a grader who picks best first or worst first: for two papers these are the same.
    kinds = fixed(2, (0.5,), [0.0, 0.5, 0.5], (sharpness,))
    tally = sampled(Profile.from_ballots([ballot], 2), kinds)
    # The difference of two standard normal numbers has variance 2.
    gaps = norm.ppf((np.arange(20_000) + 0.5) / 20_000) * np.sqrt(2)
    right = expit(sharpness * gaps[gaps > 0]).mean() if ballot == [0, 1] else 0.5
    assert (tally.places[:, 0] == 0).mean() == pytest.approx(right, abs=0.01)


def test_picking_three_papers_from_the_top_and_from_the_bottom():
    levels = np.array([40_000, 20_000, 60_000], np.uint16)
    kinds = grid(3, (0.5,), (2.0,))
    a, b, c = kinds.best[levels >> 4, 0].astype(float)
    assert picked(levels, 0, 3, kinds.best, 0, True) == pytest.approx(a / (a + b + c) * b / (b + c), rel=1e-5)
    a, b, c = 1 / a, 1 / b, 1 / c
    assert picked(levels, 0, 3, kinds.worst, 0, False) == pytest.approx(c / (a + b + c) * b / (a + b), rel=1e-5)


@pytest.mark.parametrize("alike", [0.1, 0.8])
def test_papers_on_one_ballot_are_as_alike_as_the_model_says(alike):
    sharpness = 2.0
    profile = Profile.from_ballots([[0, 1], [1, 0], [0, 1]], 2)
    kinds = fixed(2, (0.5,), [0.0, 0.5, 0.5], (sharpness,), (alike,))
    rng = child(0, "alike")
    layout = laid_out(profile)
    state = begin(profile, layout, kinds, np.zeros(2), False, rng)
    nothing = blank(profile, kinds, 0)
    gaps = []
    for _ in range(40_000):
        run(layout, kinds, state, nothing, 1, 0, 0, False, rng)
        gaps.append(abs(np.diff(kinds.utility[state.x >> 4])[0]))
    near = alike * sharpness**2

    def density(u, v):
        # Two utilities have a variance of a quarter of the squared gap; a ballot scatters by half of it.
        met = np.sqrt(1 + 2 * near * (u - v) ** 2 / 4) * np.exp(-near * (u - v) ** 2 / 2)
        said = expit(sharpness * (u - v)) ** 2 * expit(sharpness * (v - u))
        return norm.pdf(u) * norm.pdf(v) * met**3 * said

    total = dblquad(density, -5, 5, -5, 5)[0]
    mean = dblquad(lambda u, v: abs(u - v) * density(u, v), -5, 5, -5, 5)[0] / total
    assert np.mean(gaps) == pytest.approx(mean, rel=0.03)


def test_alikeness_is_found_where_like_meets_like_and_not_elsewhere():
    rng = child(0, "meetings")
    n = 200
    near = [[i, i + 1] for i in range(n - 1) for _ in range(4)]
    anybody = [rng.permutation(n)[:2].tolist() for _ in near]
    for pairs, found in ((near, True), (anybody, False)):
        profile = Profile.from_ballots([sorted(pair) for pair in pairs], n, grader=np.arange(len(pairs)) % 20)
        kinds = grid(2, alike=ALIKE)
        layout = laid_out(profile)
        state = begin(profile, layout, kinds, -np.arange(n, dtype=float), False, child(1))
        run(layout, kinds, state, blank(profile, kinds, 0), 200, 100, 0, False, child(2))
        assert (state.alike[0] > 0) == found


def test_what_is_kept_in_the_ballots_stays_true():
    rng = child(0, "kept")
    ballots = [[tuple(rng.permutation(30)[:3].tolist()), *range(30, 33)] for _ in range(40)]
    profile = Profile.from_ballots(ballots, 33)
    kinds = grid(6)
    layout = laid_out(profile)
    state = begin(profile, layout, kinds, rng.random(33), False, rng)
    run(layout, kinds, state, blank(profile, kinds, 0), 50, 25, 0, False, rng)
    paper = np.empty(len(profile.papers), int)
    paper[state.entry] = np.repeat(np.arange(33), np.diff(layout.first))
    assert np.array_equal(state.seen, state.x[paper])
    assert np.array_equal(state.slot[state.entry], np.arange(len(paper)))
    for b in range(len(profile)):
        row = slice(profile.start[b], profile.start[b + 1])
        # Tied papers may have changed places, and no others.
        assert sorted(paper[row][:3]) == sorted(profile[b][:3])
        assert np.array_equal(paper[row][3:], profile[b][3:])
    assert not np.array_equal(paper, profile.papers)


def test_the_exponential_is_one():
    x = -np.linspace(0, 24, 1000, dtype=np.float32)
    assert np.array([exponential(v) for v in x]) == pytest.approx(np.exp(x), rel=1e-3)
    assert 0 < exponential(np.float32(-1e30)) < 1e-10


@pytest.mark.parametrize("n", [0, 1, 2, 50, 3000])
def test_sorted_by_quantile(n):
    x = child(0, "sort", n).integers(0, LEVELS if n < 100 else 1000, n).astype(np.uint16)
    order = np.empty((2, n), np.int32)
    sort_by_quantile(x, order)
    assert np.array_equal(order[0], np.argsort(x, kind="stable"))
