from collections import Counter
from functools import partial
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.stats import beta, chi2_contingency

from peerorder.core import Bundles, child
from peerorder.noise import NOISES
from peerorder.noise.condorcet import insertion

from .laws import LIMIT, mallows, p_value, wrong_pairs

CONDORCET = NOISES["condorcet"]
K = 4
RANKINGS = list(permutations(range(K)))
QUALITIES = [0.55, 0.7, 0.9]
DRAWS = 6000


def rejection(quality, draws, rng):
    """The paper's sampler: every pair right with probability q, all over again when there is a cycle."""
    pairs = list(combinations(range(K), 2))
    rankings = []
    while len(rankings) < draws:
        right = rng.random((draws, len(pairs))) < quality
        wins = np.zeros((draws, K), int)
        for (a, b), correct in zip(pairs, right.T, strict=True):
            wins[:, a] += correct
            wins[:, b] += ~correct
        # A tournament has no cycle just when its numbers of wins are 0, 1, ..., k - 1.
        acyclic = (np.sort(wins, axis=1) == np.arange(K)).all(axis=1)
        rankings += map(tuple, np.argsort(-wins[acyclic], axis=1).tolist())
    return rankings[:draws]


def inserted(quality, draws, rng, k=K):
    papers = np.tile(np.arange(k, dtype=np.int32), draws)
    start = np.arange(draws + 1, dtype=np.int64) * k
    ranked = insertion(papers, start, np.full(draws, float(quality)), rng)
    return list(map(tuple, ranked.reshape(draws, k).tolist()))


# Repeated insertion against the paper's rejection, and both against the formula.


@pytest.mark.parametrize("quality", QUALITIES)
def test_insertion_draws_what_the_papers_rejection_draws(quality, rng):
    law = mallows(quality)
    samples = [Counter(inserted(quality, DRAWS, rng)), Counter(rejection(quality, DRAWS, rng))]
    often = [ranking for ranking in RANKINGS if law[ranking] * DRAWS >= 5]
    table = np.array([[counts[ranking] for ranking in often] for counts in samples])
    rest = DRAWS - table.sum(axis=1)
    if rest.sum() > 10:
        table = np.column_stack([table, rest])
    assert chi2_contingency(table).pvalue > LIMIT


@pytest.mark.parametrize("quality", QUALITIES)
@pytest.mark.parametrize("sampler", [inserted, rejection], ids=lambda sampler: sampler.__name__)
def test_both_samplers_have_the_law_of_mallows(sampler, quality, rng):
    rankings = sampler(quality, DRAWS, rng)
    assert p_value(rankings, mallows(quality)) > LIMIT
    # And would not have passed for one of slightly other quality.
    assert p_value(rankings, mallows(quality - 0.05)) < LIMIT


@pytest.mark.parametrize("quality", [0.45, 0.3, 0.1])
def test_below_one_half_the_law_goes_on(quality, rng):
    rankings = inserted(quality, DRAWS, rng)
    assert p_value(rankings, mallows(quality)) > LIMIT
    assert p_value(rankings, mallows(1 - quality)) < LIMIT


@pytest.mark.parametrize("quality", [0.0, 0.2, 0.4])
def test_below_one_half_a_grader_is_the_mirror_image_of_one_above(quality):
    low, high = (inserted(q, 300, child(0, "mirror"), k=5) for q in (quality, 1 - quality))
    assert low == [ranking[::-1] for ranking in high]


def test_quality_1_is_the_truth_and_0_its_reverse(rng):
    assert set(inserted(1, 50, rng, k=9)) == {tuple(range(9))}
    assert set(inserted(0, 50, rng, k=9)) == {tuple(range(8, -1, -1))}


def test_quality_one_half_is_a_coin(rng):
    assert p_value(inserted(0.5, DRAWS, rng), dict.fromkeys(RANKINGS, 1 / 24)) > LIMIT


@pytest.mark.parametrize("k", [2, 3])
def test_short_bundles(k, rng):
    assert p_value(inserted(0.7, DRAWS, rng, k), mallows(0.7, k)) > LIMIT
    assert set(inserted(0.7, 5, rng, k=1)) == {(0,)}


@pytest.mark.parametrize("quality", [0.6, 0.95])
def test_long_bundles_have_the_number_of_wrong_pairs_they_should(quality, rng):
    k, draws, phi = 12, 4000, (1 - quality) / quality
    wrong = np.array([wrong_pairs(ranking) for ranking in inserted(quality, draws, rng, k)])
    # The j-th paper passes d of those before it with probability in proportion to phi^d, each independently.
    moments = []
    for j in range(k):
        weights = phi ** np.arange(j + 1) / (phi ** np.arange(j + 1)).sum()
        mean = weights @ np.arange(j + 1)
        moments.append((mean, weights @ np.arange(j + 1) ** 2 - mean**2))
    mean, variance = np.sum(moments, axis=0)
    assert abs(wrong.mean() - mean) < 4 * np.sqrt(variance / draws)
    assert wrong.var() == pytest.approx(variance, rel=0.1)


@given(st.lists(st.integers(0, 6), max_size=8), st.integers(0, 2**32 - 1))
def test_rows_of_unequal_length_stay_apart(sizes, seed):
    papers = np.arange(sum(sizes), dtype=np.int32)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ranked = insertion(papers, start, np.linspace(0, 1, len(sizes)), child(seed))
    for row, (first, last) in enumerate(zip(start[:-1], start[1:], strict=True)):
        assert sorted(ranked[first:last].tolist()) == list(range(first, last))
        if row == 0:
            assert ranked[first:last].tolist() == list(range(last - 1, first - 1, -1))
    assert papers.tolist() == list(range(sum(sizes)))


def test_every_row_has_its_own_quality(rng):
    draws = 3000
    papers = np.tile(np.arange(K, dtype=np.int32), 2 * draws)
    quality = np.tile([0.6, 0.9], draws)
    ranked = insertion(papers, np.arange(2 * draws + 1) * K, quality, rng).reshape(-1, K)
    for at, q in ((0, 0.6), (1, 0.9)):
        assert p_value(list(map(tuple, ranked[at::2].tolist())), mallows(q)) > LIMIT


# Whose quality is it?


def averaged(density, low):
    """Mallows' law of three papers for a quality drawn from a density on [low, 1]."""
    return {
        ranking: quad(lambda q, ranking=ranking: density(q) * mallows(q, 3)[ranking], low, 1)[0]
        for ranking in permutations(range(3))
    }


GRADERS = 6
# Everybody ranks papers 6 to 8; five graders wrote papers 0 to 4, the sixth none; paper p is in true place p.
BUNDLES = Bundles.from_matrix([[8, 6, 7]] * GRADERS, 9)
TRUTH = np.arange(9)
WROTE = [0, 1, 2, 3, 4, -1]
LEVEL = 80


def drawn_ballots(rng, runs=2500, **options):
    """For every grader all the ballots she ever gave, as rankings of 0 to 2."""
    noise = CONDORCET.with_options(level=LEVEL, **options)
    matrix = [noise.draw(BUNDLES, TRUTH, rng, authored=WROTE).papers.reshape(GRADERS, 3) - 6 for _ in range(runs)]
    return [list(map(tuple, ballots.tolist())) for ballots in np.stack(matrix, axis=1)]


@pytest.fixture(scope="module")
def tied_ballots():
    return drawn_ballots(child(0, "tied"))


@pytest.fixture(scope="module")
def independent_ballots():
    return drawn_ballots(child(0, "independent"), tied=False)


def uniform(q):
    return 1 / 0.8


def order_statistic(place, q):
    """The density of the (place + 1)-th largest of nine qualities uniform on [0.2, 1]."""
    return beta.pdf((q - 0.2) / 0.8, 9 - place, place + 1) / 0.8


def test_independent_qualities_are_uniform_whoever_it_is(independent_ballots):
    law = averaged(uniform, 0.2)
    assert all(p_value(ballots, law) > LIMIT for ballots in independent_ballots)


def test_tied_qualities_fall_with_the_place_of_the_graders_own_paper(tied_ballots):
    # The qualities of all nine papers' authors, the best for the best paper: grader g's is an order statistic.
    for grader in range(5):
        assert p_value(tied_ballots[grader], averaged(partial(order_statistic, grader), 0.2)) > LIMIT
    mean_wrong = [np.mean(list(map(wrong_pairs, tied_ballots[grader]))) for grader in range(5)]
    assert mean_wrong == sorted(mean_wrong)
    assert mean_wrong[4] > 2 * mean_wrong[0]


def test_independent_qualities_do_not_fall(independent_ballots):
    wrong = np.array([list(map(wrong_pairs, ballots)) for ballots in independent_ballots])
    error = wrong.std() / np.sqrt(wrong.shape[1])
    assert np.abs(wrong.mean(axis=1) - wrong.mean()).max() < 4 * error


def test_a_grader_without_a_paper_has_any_quality(tied_ballots):
    law = averaged(uniform, 0.2)
    assert p_value(tied_ballots[5], law) > LIMIT
    assert p_value(tied_ballots[0], law) < LIMIT


def test_the_quality_is_that_of_the_grader_and_not_of_the_bundle(rng):
    # Bundle 1 goes to the author of the best paper, bundle 0 to the author of the worst.
    bundles = Bundles.from_matrix([[1, 2, 3, 4]] * 2, 6)
    noise = CONDORCET.with_options(level=100)
    wrong = np.zeros(2)
    for _ in range(300):
        profile = noise.draw(bundles, range(6), rng, bundle_of=[1, 0], authored=[0, 5])
        wrong += [wrong_pairs(ballot) for ballot in profile]
    # Qualities around 6/7 and 1/7: few of six pairs wrong, and most of them.
    assert wrong[1] / 300 < 1.5
    assert wrong[0] / 300 > 4.5


def test_level_is_a_percentage(rng):
    bundles = Bundles.from_matrix([list(range(8))] * 100, 8)
    wrong = []
    for level in (0, 0.5, 10, 50, 100):
        profile = CONDORCET.with_options(level=level, tied=False).draw(bundles, range(8), rng)
        wrong.append(np.mean([wrong_pairs(ballot) for ballot in profile]))
    assert wrong[0] == 0
    assert wrong == sorted(wrong)
    # Qualities from 0 to 1: half of the 28 pairs, with a standard deviation of the mean of about one.
    assert wrong[-1] == pytest.approx(14, abs=4)
