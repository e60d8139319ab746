"""Thurstone and Plackett-Luce: what graders see, and what they make of it."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.special import ndtr
from scipy.stats import norm

from peerorder.core import Bundles, pairwise_accuracy
from peerorder.noise import NOISES
from peerorder.noise.noise import Task
from peerorder.noise.utilities import advantage, equal_places, rank_by_utility, sort_by_value

from .laws import LIMIT, p_value

DRAWS = 6000


def same_bundle(draws, k):
    """Many graders rank papers 0 to k-1, of equal clusters, so that utilities are known numbers."""
    return Bundles.from_matrix(np.tile(np.arange(k), (draws, 1)), k)


def drawn(spec, k, rng):
    profile = NOISES.parse(spec).draw(same_bundle(DRAWS, k), np.arange(k), rng)
    return list(map(tuple, profile.papers.reshape(DRAWS, k).tolist()))


def utilities(k):
    """With as many clusters as papers the utilities are normal quantiles."""
    return -norm.ppf((np.arange(k) + 0.5) / k)


def test_plackett_luce_draws_follow_the_exact_law(rng):
    odds = np.exp(utilities(4) / 0.7)
    law = {}
    for ranking in permutations(range(4)):
        probability, left = 1.0, list(ranking)
        for paper in ranking:
            probability *= odds[paper] / odds[left].sum()
            left.remove(paper)
        law[ranking] = probability
    assert p_value(drawn("plackett-luce:scale=0.7,clusters=4", 4, rng), law) > LIMIT


def thurstone_law(u, sigma):
    """The probability of every ranking of three papers with these utilities."""
    law = {}
    for a, b, c in permutations(range(3)):

        def density(y, x, a=a, b=b, c=c):
            above = math.exp(-(((x - u[a]) / sigma) ** 2 + ((y - u[b]) / sigma) ** 2) / 2) / (2 * math.pi * sigma**2)
            return above * ndtr((y - u[c]) / sigma)

        law[a, b, c] = dblquad(density, -6, 6, -6, lambda x: x, epsabs=1e-6)[0]
    assert sum(law.values()) == pytest.approx(1, abs=1e-4)
    return law


def test_thurstone_draws_follow_the_exact_law(rng):
    law = thurstone_law(utilities(3), 0.8)
    assert p_value(drawn("thurstone:sigma=0.8,clusters=3", 3, rng), law) > LIMIT


def test_on_one_ballot_a_taste_of_ones_own_is_one_more_normal_error(rng):
    law = thurstone_law(utilities(3), np.hypot(0.5, 0.8))
    assert p_value(drawn("thurstone:sigma=0.5,taste=0.8,clusters=3", 3, rng), law) > LIMIT
    assert p_value(drawn("thurstone:sigma=0.5,clusters=3", 3, rng), law) < LIMIT


@pytest.mark.parametrize("schools", [1, 2, 5])
def test_two_graders_agree_as_often_as_their_schools_say(schools, rng):
    """Sheppard (1899): in one school, what two graders see of equal papers correlates by taste^2 of the variance."""
    pairs, sigma, taste = 4000, 0.8, 0.6
    papers = np.arange(2 * pairs).reshape(-1, 2)
    bundles = Bundles.from_matrix(np.repeat(papers, 2, axis=0), 2 * pairs)
    noise = NOISES.parse(f"thurstone:sigma={sigma},taste={taste},schools={schools},clusters=1")
    first = noise.draw(bundles, np.arange(2 * pairs), rng).papers.reshape(pairs, 2, 2)[:, :, 0]
    expected = 0.5 + np.arcsin(taste**2 / (taste**2 + sigma**2)) / np.pi / schools
    error = np.sqrt(expected * (1 - expected) / pairs)
    assert abs((first[:, 0] == first[:, 1]).mean() - expected) < 4 * error


@pytest.mark.parametrize("model", ["thurstone:sigma=0", "plackett-luce:scale=0"])
@pytest.mark.parametrize(("schools", "orders"), [(1, 1), (3, 3), (0, 24)])
def test_graders_of_one_school_deviate_alike(model, schools, orders, rng):
    spec = f"{model},taste=50,schools={schools},clusters=1"
    assert len(set(drawn(spec, 4, rng))) == orders


@pytest.mark.parametrize("schools", [0, 1, 2])
def test_a_taste_is_the_same_on_all_ballots_of_a_grader(schools, rng):
    papers = np.array([0, 1, 2, 3, 1, 2, 3, 4, 0, 2, 4], np.int32)
    task = Task(
        papers=papers,
        start=np.array([0, 4, 8, 11]),
        truth=np.arange(5, dtype=np.int32),
        grader=np.zeros(3, np.int32),
        authored=np.full(1, -1, np.int32),
    )
    orders = set()
    for _ in range(50):
        ranked = rank_by_utility(task, rng, np.zeros(11), taste=5.0, schools=schools).tolist()
        ballots = ranked[:4], ranked[4:8], ranked[8:]
        assert [p for p in ballots[0] if p in (1, 2, 3)] == [p for p in ballots[1] if p in (1, 2, 3)]
        assert [p for p in ballots[1] if p in (2, 4)] == [p for p in ballots[2] if p in (2, 4)]
        orders.add(tuple(ranked))
    assert len(orders) > 20


@pytest.mark.parametrize("name", ["thurstone", "plackett-luce"])
def test_schools_without_a_taste_change_nothing(name, rng):
    bundles, truth = same_bundle(50, 6), rng.permutation(6)
    plain, schools = (NOISES.parse(spec).draw(bundles, truth, 3) for spec in (name, f"{name}:taste=0,schools=4"))
    assert schools.digest == plain.digest


@pytest.mark.parametrize("schools", [0, 3])
def test_the_common_order_is_the_truth(schools, rng):
    places = np.array([2, 0, 1])
    assert NOISES.parse(f"thurstone:taste=1,schools={schools}").truth(places).tolist() == [2, 0, 1]
    firsts = np.zeros(3)
    for _ in range(300):
        profile = NOISES.parse(f"thurstone:sigma=0.5,taste=0.7,schools={schools}").draw(same_bundle(5, 3), places, rng)
        firsts += np.bincount(profile.papers.reshape(5, 3)[:, 0], minlength=3)
    assert np.argsort(-firsts).tolist() == [1, 2, 0]


@pytest.mark.parametrize("spec", ["thurstone:sigma=0", "plackett-luce:scale=0", "thurstone:sigma=0,spread=1"])
def test_no_error_is_perfect(spec, rng):
    bundles = Bundles.from_matrix([[0, 1, 2, 3]] * 20, 5)
    profile = NOISES.parse(spec).draw(bundles, [3, 1, 4, 0, 2], rng)
    assert profile.papers.reshape(20, 4).tolist() == [[3, 1, 0, 2]] * 20


@pytest.mark.parametrize("spec", ["thurstone", "plackett-luce"])
def test_close_papers_are_confused_more_often(spec, rng):
    n = 200
    near = Bundles.from_matrix([[100, 101]] * 3000, n)
    far = Bundles.from_matrix([[60, 140]] * 3000, n)
    right = [
        (NOISES.parse(spec).draw(bundles, np.arange(n), rng).papers.reshape(-1, 2)[:, 0] == best).mean()
        for bundles, best in ((near, 100), (far, 60))
    ]
    assert right[0] < 0.6
    assert right[1] > 0.85


def test_spread_makes_graders_differ(rng):
    n, k = 400, 8
    rows = np.stack([rng.permutation(n)[:k] for _ in range(n)])
    bundles = Bundles.from_matrix(rows, n)

    def scatter(spec):
        profile = NOISES.parse(spec).draw(bundles, np.arange(n), rng)
        return np.std(
            [pairwise_accuracy(np.arange(k), np.argsort(np.argsort(ballot))) for ballot in profile.papers.reshape(n, k)]
        )

    assert scatter("thurstone:sigma=0.5,spread=1.5") > 1.3 * scatter("thurstone:sigma=0.5")


def test_pull_favours_what_is_shown_first(rng):
    values = advantage(np.array([0.3, 0.1, 0.9, 0.5]), np.array([0, 3, 4]))
    assert values.tolist() == [0.0, 1.0, -1.0, 0.0]
    bundles, truth = same_bundle(2000, 5), np.arange(5)
    plain, pulled = (
        np.mean([p == q for p, q in zip(drawn_rows, range(5), strict=True)])
        for drawn_rows in (
            NOISES.parse(spec).draw(bundles, truth, rng).papers.reshape(2000, 5).T
            for spec in ("thurstone:sigma=0.2,clusters=5", "thurstone:sigma=0.2,clusters=5,pull=1")
        )
    )
    assert pulled < plain - 0.1


def test_a_pull_without_error_ranks_by_place_shown_alone_among_equals(rng):
    task = Task(
        papers=np.arange(4, dtype=np.int32),
        start=np.array([0, 4]),
        truth=np.arange(4, dtype=np.int32),
        grader=np.zeros(1, np.int32),
        authored=np.full(1, -1, np.int32),
    )
    firsts = [rank_by_utility(task, rng, np.zeros(4), 1.0, 1)[0] for _ in range(400)]
    assert min(np.bincount(firsts, minlength=4)) > 60


def test_papers_of_a_cluster_are_equal_in_the_truth_and_to_the_eye(rng):
    noise = NOISES.parse("thurstone:sigma=0.3,clusters=2")
    places = np.array([3, 0, 5, 1, 4, 2])
    assert noise.truth(places).tolist() == [1, 0, 1, 0, 1, 0]
    assert NOISES["thurstone"].truth(places).tolist() == places.tolist()
    assert NOISES["perfect"].truth(places).tolist() == places.tolist()
    first = [ranking.index(0) < ranking.index(1) for ranking in drawn("thurstone:sigma=0.3,clusters=2", 4, rng)]
    assert abs(np.mean(first) - 0.5) < 0.03


def test_equal_papers_do_not_show_their_true_order_without_errors_either(rng):
    first = [ranking.index(0) < ranking.index(1) for ranking in drawn("thurstone:sigma=0,clusters=2", 4, rng)]
    assert abs(np.mean(first) - 0.5) < 0.03


def test_equal_places_are_as_even_as_can_be():
    assert np.bincount(equal_places(np.arange(7), 3)).tolist() == [3, 2, 2]


def test_rows_are_sorted_by_falling_value():
    papers = np.array([7, 8, 9, 4, 5], np.int32)
    assert sort_by_value(papers, np.array([0, 3, 5]), np.array([0.1, 0.9, 0.5, 2.0, 3.0])).tolist() == [
        8,
        9,
        7,
        5,
        4,
    ]


@pytest.mark.parametrize("name", ["thurstone", "plackett-luce"])
def test_recovered_counts_pairs_of_different_clusters_alone(name):
    from peerorder.studies import Cell, Run, perform

    cell = Cell("random", 60, 6, f"{name}:clusters=2", ("borda",))
    assert perform(Run("test", cell, 0, seed=0))["borda"] > 95
