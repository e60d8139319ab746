import math
from itertools import combinations, permutations, product

import numba
import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.special import expit, gamma
from scipy.stats import norm

from peerorder.core import Profile, child
from peerorder.core.arrays import freeze
from peerorder.core.samples import Samples
from peerorder.rules.posterior import sampler
from peerorder.rules.posterior.chains import begin, empty_tally
from peerorder.rules.posterior.chances import SHIFT
from peerorder.rules.posterior.grader_moves import draw_grader_types, make_tables
from peerorder.rules.posterior.grid import ASSORTATIVITY, LEVELS, grid
from peerorder.rules.posterior.layout import make_layout
from peerorder.rules.posterior.paper_moves import move_papers
from peerorder.rules.posterior.sampler import run
from tests.sizes import sized

from .compiled import compiled
from .enumeration import joint, mean_places, written

sort_by_quantile = compiled(sampler.sort_by_quantile)
QUALITIES = (0.2, 0.5, 0.7, 0.95)
WEIGHTS = np.array([0.1, 0.2, 0.4, 0.3])
SWEEPS = 200_000
ANY_ROUNDS = sized("sweeps", 50_000, full=SWEEPS)

STRICT = Profile.from_ballots([[0, 1, 2], [2, 1, 3], [3, 4, 0], [4, 1], [0, 2, 4], [1, 3]], 5)
UNEQUAL = Profile.from_ballots([[0, 1, 2, 3, 4], [2], [], [4, 0], [3, 1, 2]], 5)
TIED = Profile.from_ballots([[(0, 1), 2], [2, (1, 3)], [(3, 4, 0)], [4, (1, 2, 0)]], 5)
MANY = Profile.from_ballots([[0, 1], [1, 2], [2, 0], [0, 2], [1, 0], [3, 0]], 4, grader=[0, 0, 0, 1, 1, 2])
REVERSED = Profile.from_ballots([[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3], [3, 2, 1, 0]], 4)
CONTRADICTORY = Profile.from_ballots([[0, 1]] * 6 + [[1, 0]] * 6, 2)
OFTEN_TIED = Profile.from_ballots([[0, (1, 2), 3]] * 5, 4)
AUTHORS = Profile.from_ballots([[1, 2, 3], [3, 0], [0, 1]], 4, authored=[0, 1, 3])


def fixed(largest, qualities=QUALITIES, weights=WEIGHTS, sharpnesses=(), assortativity=(0.0,)):
    """A grid whose weights the prior holds fast."""
    kept = of_one_population(grid(largest, qualities, sharpnesses, assortativity), 1e12 * np.array(weights))
    return kept._replace(most_backwards=1.0)


def of_one_population(any_grid, prior):
    """A grid with a prior of its own."""
    return any_grid._replace(populations=freeze(np.array([prior])), log_populations=freeze(np.zeros(1)))


def within(error, sweeps):
    """What is allowed after so many sweeps, if ``error`` is after all of them: errors fall with the square root."""
    return error * np.sqrt(SWEEPS / sweeps)


def sampled(profile, grader_types, sweeps, tied_to_place=False, seed=0):
    rng = child(seed, "sampled")
    layout = make_layout(profile)
    state = begin(profile, layout, grader_types, np.zeros(profile.n_papers), tied_to_place, rng)
    run(layout, grader_types, state, empty_tally(profile, grader_types, 0), 1000, 500, False, tied_to_place, rng)
    tally = empty_tally(profile, grader_types, sweeps)
    run(layout, grader_types, state, tally, sweeps, 0, True, tied_to_place, rng)
    return tally


@ANY_ROUNDS
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
        pytest.param(CONTRADICTORY, id="six against six"),
        pytest.param(OFTEN_TIED, id="the same tie again and again"),
    ],
)
def test_orders_and_kinds_have_the_law_that_enumeration_gives(profile, tied_to_place, sweeps):
    # With the same weights at all anchors, tying quality to place changes nothing.
    orders, law, grader_types, _ = joint(profile, QUALITIES, WEIGHTS)
    tally = sampled(profile, fixed(int(profile.sizes.max())), sweeps, tied_to_place=tied_to_place)
    found = dict.fromkeys(orders, 0)
    for order, times in zip(*np.unique(np.argsort(tally.places, axis=1), axis=0, return_counts=True), strict=True):
        found[tuple(order.tolist())] = times / sweeps
    assert 0.5 * np.abs(np.array(list(found.values())) - law).sum() < within(0.02, sweeps)
    marginals = np.einsum("o,ogt->gt", law, grader_types)
    assert np.abs(tally.grader_types / sweeps - marginals).max() < within(0.02, sweeps)
    assert tally.sums.sum(axis=0) / sweeps == pytest.approx(mean_places(orders, law), abs=within(0.06, sweeps))


@ANY_ROUNDS
def test_what_a_grader_moved_is_what_enumeration_without_her_says(sweeps):
    _, _, _, each = joint(STRICT, QUALITIES, WEIGHTS)
    tally = sampled(STRICT, fixed(3), sweeps)
    samples = Samples(tally.places, tally.evidence)
    orders, law, _, _ = joint(STRICT, QUALITIES, WEIGHTS)
    for g in range(STRICT.n_graders):
        without = law / each[:, g]
        gained = mean_places(orders, without / without.sum()) - mean_places(orders, law)
        assert [samples.influence(g, paper) for paper in range(5)] == pytest.approx(gained, abs=within(0.04, sweeps))


@ANY_ROUNDS
@pytest.mark.parametrize("sharpness", [1.0, 4.0, -2.0])
@pytest.mark.parametrize("ballot", [[0, 1], [(0, 1)]])
def test_picking_graders_have_the_law_of_two_normal_utilities(sharpness, ballot, sweeps):
    # One ballot by a grader who picks best first or worst first: for two papers these are the same.
    grader_types = fixed(2, (0.5,), [0.0, 0.5, 0.5], (sharpness,))
    tally = sampled(Profile.from_ballots([ballot], 2), grader_types, sweeps)
    # The difference of two standard normal numbers has variance 2.
    gaps = norm.ppf((np.arange(20_000) + 0.5) / 20_000) * np.sqrt(2)
    right = expit(sharpness * gaps[gaps > 0]).mean() if ballot == [0, 1] else 0.5
    assert (tally.places[:, 0] == 0).mean() == pytest.approx(right, abs=within(0.01, sweeps))


@pytest.mark.slow
@pytest.mark.parametrize(("assortativity", "n"), [(0.1, 2), (0.8, 4)])
def test_papers_on_one_ballot_are_as_alike_as_the_model_says(assortativity, n):
    sharpness = 2.0
    # Other papers, which nobody ranked, move between the two.
    first, last = 0, n - 1
    profile = Profile.from_ballots([[first, last], [last, first], [first, last]], n)
    grader_types = fixed(2, (0.5,), [0.0, 0.5, 0.5], (sharpness,), (assortativity,))
    rng = child(0, "assortativity")
    layout = make_layout(profile)
    state = begin(profile, layout, grader_types, np.zeros(n), False, rng)
    nothing = empty_tally(profile, grader_types, 0)
    gaps = []
    for _ in range(40_000):
        run(layout, grader_types, state, nothing, 1, 0, False, False, rng)
        gaps.append(abs(np.diff(grader_types.utility[state.x[[first, last]] >> SHIFT])[0]))
    near = assortativity * sharpness**2

    def density(u, v):
        # Two utilities have a variance of a quarter of the squared gap; a ballot scatters by half of it.
        met = math.sqrt(1 + 2 * near * (u - v) ** 2 / 4) * math.exp(-near * (u - v) ** 2 / 2)
        first = 1 / (1 + math.exp(-sharpness * (u - v)))
        # Normal but for a constant, of which the total is free as well.
        return math.exp(-(u * u + v * v) / 2) * met**3 * first**2 * (1 - first)

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
        grader_types = grid(2, assortativity=ASSORTATIVITY)
        layout = make_layout(profile)
        state = begin(profile, layout, grader_types, -np.arange(n, dtype=float), False, child(1))
        run(layout, grader_types, state, empty_tally(profile, grader_types, 0), 200, 100, False, False, child(2))
        assert (state.assortativity[0] > 0) == found


@ANY_ROUNDS
def test_all_families_together_have_the_law_that_quadrature_gives(sweeps):
    ballots, grader = [[0, 1, 2], [(1, 2), 0], [0, 2, 1], [2, 1]], [0, 1, 1, 2]
    qualities, sharpnesses = (0.2, 0.5, 0.9), (3.0, -1.0)
    weights = np.array([0.1, 0.2, 0.2, 0.1, 0.15, 0.05, 0.2])
    middle = (np.arange(40) + 0.5) / 40
    x = np.array(list(product(middle, repeat=3)))

    def chance(ballot, grader_type):
        if grader_type < 3:
            phi = (1 - qualities[grader_type]) / qualities[grader_type]

            def weight(ranking):
                return phi ** sum((x[:, b] > x[:, a]) + (x[:, b] == x[:, a]) / 2 for a, b in combinations(ranking, 2))

            return weight(ballot) / sum(weight(ranking) for ranking in permutations(ballot))
        sharpness = sharpnesses[(grader_type - 3) % 2] * (1 if grader_type < 5 else -1)
        strength = np.exp(sharpness * norm.ppf(x))
        row = ballot if grader_type < 5 else ballot[::-1]
        return np.prod([strength[:, p] / strength[:, row[at:]].sum(axis=1) for at, p in enumerate(row)], axis=0)

    law, each = np.ones(len(x)), []
    for g in range(3):
        own = [ballot for ballot, who in zip(ballots, grader, strict=True) if who == g]
        grader_types = [
            weights[t] * np.prod([sum(chance(b, t) for b in written([as_group(p) for p in o])) for o in own], axis=0)
            for t in range(7)
        ]
        each.append(np.array(grader_types) / np.sum(grader_types, axis=0))
        law = law * np.sum(grader_types, axis=0)
    law /= law.sum()
    places = np.array([((x > x[:, [p]]) + (x == x[:, [p]]) / 2).sum(axis=1) - 0.5 for p in range(3)])
    tally = sampled(Profile.from_ballots(ballots, 3, grader=grader), fixed(3, qualities, weights, sharpnesses), sweeps)
    assert tally.sums.sum(axis=0) / sweeps == pytest.approx(places @ law, abs=within(0.02, sweeps))
    expected = np.array([grader_types @ law for grader_types in each])
    assert tally.grader_types / sweeps == pytest.approx(expected, abs=within(0.01, sweeps))


def as_group(place):
    return place if isinstance(place, tuple) else (place,)


@numba.njit
def with_fixed_weights(layout, grader_types, state, tally, weights, found, rng):
    tables, freedom, surplus = make_tables(grader_types), np.zeros(2), np.zeros(0, np.float32)
    for sweep in range(len(found)):
        draw_grader_types(layout, grader_types, tables, state, tally, -1, True, rng)
        state.weights[:] = weights
        move_papers(layout, grader_types, state, freedom, surplus, False, True, rng)
        found[sweep] = state.x[0] / LEVELS
    return found


@pytest.mark.slow
def test_weights_between_anchors_move_the_author():
    # Whoever wrote paper 0 gave two ballots that agree with three others, so she is probably of the better type, which
    # is the more frequent the better the paper.
    weights = np.array([[0.5, 0.5]] + [[1 - better, better] for better in (0.05, 0.1, 0.5, 0.7, 0.95)])
    grader_types = grid(2, (0.5, 0.95), ())
    profile = Profile.from_ballots([[1, 2]] * 5, 3, grader=[0, 0, 1, 2, 3], authored=[0, -1, -1, -1])
    layout, rng = make_layout(profile), child(0, "anchors")
    state = begin(profile, layout, grader_types, np.zeros(3), True, rng)
    state.weights[:] = weights
    found = with_fixed_weights(
        layout, grader_types, state, empty_tally(profile, grader_types, 1), weights, np.empty(40_000), rng
    )
    x = (np.arange(4000) + 0.5) / 4000
    better = np.interp(4 * x, range(5), weights[1:, 1])

    def said(right, weight, times):
        return (1 - weight) * 0.5**times + weight * (0.95 if right else 0.05) ** times

    law = said(True, better, 2) * said(True, 0.5, 1) ** 3 + said(False, better, 2) * said(False, 0.5, 1) ** 3
    assert np.mean(found) == pytest.approx(x @ law / law.sum(), abs=0.015)


@ANY_ROUNDS
@pytest.mark.parametrize("said", [[0], [0, 0, 0, 1, 1]])
@pytest.mark.parametrize("prior_weight", [(1.0, 1.0), (0.07, 2.8)])
def test_the_share_of_those_who_rank_backwards_is_bounded_as_the_prior_says(said, prior_weight, sweeps):
    # Two types, of quality 0.1 and 0.9; the share of the first is Beta below a third.
    qualities, graders = (0.1, 0.9), len(said)
    marginal = [
        quad(
            lambda s, m=m: s ** (m + prior_weight[0] - 1) * (1 - s) ** (graders - m + prior_weight[1] - 1),
            0,
            1 / 3,
            limit=500,
        )[0]
        for m in range(graders + 1)
    ]
    total, backwards = 0.0, np.zeros(graders)
    for order, grader_types in product((0, 1), product((0, 1), repeat=graders)):
        each = [qualities[k] if s == order else 1 - qualities[k] for s, k in zip(said, grader_types, strict=True)]
        chance = np.prod(each) * marginal[grader_types.count(0)]
        total += chance
        backwards += chance * (np.array(grader_types) == 0)
    profile = Profile.from_ballots([[0, 1] if s == 0 else [1, 0] for s in said], 2)
    tally = sampled(profile, of_one_population(grid(2, qualities, ()), prior_weight), sweeps)
    assert tally.grader_types[:, 0] / sweeps == pytest.approx(backwards / total, abs=within(0.015, sweeps))


@ANY_ROUNDS
@pytest.mark.parametrize("said", [[0, 1], [0, 0, 0, 1]])
def test_the_population_is_learnt_with_the_types(said, sweeps):
    # Two types, of quality 0.55 and 0.9, and two populations, in which the one or the other prevails.
    qualities, populations, prior_of = (0.55, 0.9), np.array([[4.0, 0.2], [0.2, 4.0]]), np.array([0.7, 0.3])

    def of_counts(prior, counts):
        return np.prod(gamma(prior + counts) / gamma(prior)) * gamma(prior.sum()) / gamma(prior.sum() + sum(counts))

    total, better = 0.0, np.zeros(len(said))
    for order, grader_types in product((0, 1), product((0, 1), repeat=len(said))):
        each = [qualities[k] if s == order else 1 - qualities[k] for s, k in zip(said, grader_types, strict=True)]
        counts = np.bincount(grader_types, minlength=2)
        chance = np.prod(each) * prior_of @ [of_counts(prior, counts) for prior in populations]
        total += chance
        better += chance * np.array(grader_types)
    profile = Profile.from_ballots([[0, 1] if s == 0 else [1, 0] for s in said], 2)
    learnt = grid(2, qualities, ())._replace(populations=freeze(populations), log_populations=freeze(np.log(prior_of)))
    tally = sampled(profile, learnt, sweeps)
    assert tally.grader_types[:, 1] / sweeps == pytest.approx(better / total, abs=within(0.02, sweeps))


def test_what_is_kept_in_the_ballots_stays_true():
    rng = child(0, "kept")
    utility = np.linspace(2, -2, 33)
    ballots = []
    for _ in range(60):
        some = rng.permutation(33)[:6]
        a, b, c, d, e, f = some[np.argsort(-utility[some] - rng.gumbel(0, 0.5, 6))].tolist()
        ballots.append([a, (b, c, d), e, f])
    profile = Profile.from_ballots(ballots, 33)
    grader_types = grid(6)
    layout = make_layout(profile)
    state = begin(profile, layout, grader_types, -np.arange(33.0), False, rng)
    run(layout, grader_types, state, empty_tally(profile, grader_types, 0), 50, 25, False, False, rng)
    paper = np.empty(len(profile.papers), int)
    paper[state.entry] = np.repeat(np.arange(33), np.diff(layout.first))
    assert np.array_equal(state.seen, state.x[paper])
    assert np.array_equal(state.slot[state.entry], np.arange(len(paper)))
    changed = 0
    for b in range(len(profile)):
        row = slice(profile.start[b], profile.start[b + 1])
        # Tied papers may have changed places, and no others.
        assert sorted(paper[row][1:4]) == sorted(profile[b][1:4])
        assert np.array_equal(paper[row][[0, 4, 5]], profile[b][[0, 4, 5]])
        changed += not np.array_equal(paper[row], profile[b])
    assert changed > 20
    assert (state.grader_type >= len(grader_types.log_phi)).sum() > 20


@ANY_ROUNDS
def test_expected_places_have_the_mean_of_places_and_a_smaller_error(sweeps):
    orders, law, _, _ = joint(STRICT, QUALITIES, WEIGHTS)
    tally = sampled(STRICT, fixed(3), sweeps)
    assert np.abs(tally.surplus.sum(axis=0)).max() / sweeps < within(0.01, sweeps)
    expected = (tally.sums + tally.surplus).sum(axis=0) / sweeps
    assert expected == pytest.approx(mean_places(orders, law), abs=within(0.06, sweeps))


def test_quantiles_and_weights_are_those_of_the_draws():
    tally = sampled(STRICT, fixed(3), 200)
    assert np.array_equal(np.argsort(np.argsort(-tally.quantiles.astype(int), axis=1), axis=1), tally.places)
    assert tally.weights == pytest.approx(np.tile(WEIGHTS, (200, 1)), rel=1e-3)
    assert sampled(AUTHORS, fixed(3), 200, tied_to_place=True).weights.sum(axis=1) == pytest.approx(1, rel=1e-4)


@pytest.mark.parametrize("n", [0, 1, 2, 50, 3000])
def test_sorted_by_quantile(n):
    x = child(0, "sort", n).integers(0, LEVELS if n < 100 else 1000, n).astype(np.uint16)
    order = np.empty((2, n), np.int32)
    sort_by_quantile(x, order)
    assert np.array_equal(order[0], np.argsort(x, kind="stable"))
