from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse import csr_array

from peerorder.core import Profile, child, pairwise_accuracy
from peerorder.rules import RULES, markov
from peerorder.schemes import SCHEMES

from .profiles import any_profiles, groups_of, noisy

CHAINS = {"mc1": markov.mc1_chain, "mc2": markov.mc2_chain, "mc3": markov.mc3_chain, "mc4": markov.mc4_chain}
ANY_CHAIN = pytest.mark.parametrize("name", CHAINS)


def levels_of(profile):
    """Every ballot as a dictionary from its papers to their levels."""
    return [{p: level for level, group in enumerate(ballot) for p in group} for ballot in groups_of(profile)]


def mc1(ballots, a, n):
    """Any paper that some ballot puts at least as high as a, once for each such ballot."""
    ways = [b for ballot in ballots if a in ballot for b in ballot if ballot[b] <= ballot[a]]
    return [Fraction(ways.count(b), len(ways)) for b in range(n)]


def mc2(ballots, a, n):
    """A ballot that ranks a, then a paper that it puts at least as high as a."""
    mine = [ballot for ballot in ballots if a in ballot]
    row = [Fraction(0)] * n
    for ballot in mine:
        high = [b for b in ballot if ballot[b] <= ballot[a]]
        for b in high:
            row[b] += Fraction(1, len(mine) * len(high))
    return row


def mc3(ballots, a, n):
    """A ballot that ranks a, then any paper on it; go there if it is ranked above a."""
    mine = [ballot for ballot in ballots if a in ballot]
    row = [Fraction(0)] * n
    for ballot in mine:
        for b in ballot:
            row[b if ballot[b] < ballot[a] else a] += Fraction(1, len(mine) * len(ballot))
    return row


def mc4(ballots, a, n):
    """Any of the n papers; go there if strictly more ballots put it above a than below."""
    row = [Fraction(0)] * n
    for b in range(n):
        both = [ballot for ballot in ballots if a in ballot and b in ballot]
        above, below = (sum(ballot[x] < ballot[y] for ballot in both) for x, y in ((b, a), (a, b)))
        row[b if above > below else a] += Fraction(1, n)
    return row


DEFINITIONS = {"mc1": mc1, "mc2": mc2, "mc3": mc3, "mc4": mc4}


def by_definition(name, profile):
    """The matrix of exact probabilities; a paper that no ballot ranks is never left."""
    ballots, n = levels_of(profile), profile.n_papers
    ranked = {p for ballot in ballots for p in ballot}
    alone = [[Fraction(a == b) for b in range(n)] for a in range(n)]
    return [DEFINITIONS[name](ballots, a, n) if a in ranked else alone[a] for a in range(n)]


def dense(name, profile):
    n = profile.n_papers
    return np.array(by_definition(name, profile), float).reshape(n, n)


def scores_of(name, profile, **options):
    return RULES[name].with_options(**options).aggregate(profile, child(0)).scores


def never_beaten(profile):
    """Papers that stand at the top of every ballot that ranks them."""
    best = np.ones(profile.n_papers, bool)
    for b in range(len(profile)):
        best[profile[b][1:]] = False
    return best


# The chains.


@ANY_CHAIN
@given(profile=any_profiles())
def test_the_chain_is_that_of_its_definition(name, profile):
    chain = CHAINS[name](profile).toarray().T
    assert chain == pytest.approx(dense(name, profile), abs=1e-15)


@ANY_CHAIN
def test_probabilities_from_every_paper_sum_to_1(name):
    for profile in (noisy(60, 6, 50)[0], Profile.from_ballots([[(0, 1), 2, (3, 4, 5)], [6, 0]], 9)):
        chain = CHAINS[name](profile).toarray()
        assert chain.min() >= 0
        assert chain.sum(axis=0) == pytest.approx(np.ones(profile.n_papers), abs=1e-14)


def test_a_worked_example_with_a_tie_and_a_partial_list():
    profile = Profile.from_ballots([[0, (1, 2)], [2, 1, 0], [1, 2]], 4)
    chain = {name: make(profile).toarray().T for name, make in CHAINS.items()}
    # At paper 1 the ballots put {0, 1, 2}, {2, 1} and {1} at least as high.
    assert chain["mc1"][1] == pytest.approx([1 / 6, 3 / 6, 2 / 6, 0])
    assert chain["mc2"][1] == pytest.approx([1 / 9, (1 / 3 + 1 / 2 + 1) / 3, (1 / 3 + 1 / 2) / 3, 0])
    # Above it: 0 on the first, 2 on the second, nothing on the third; a tie is no reason to move.
    assert chain["mc3"][1] == pytest.approx([1 / 9, 7 / 9, 1 / 9, 0])
    # 0 and 1 beat each other once, and so do 1 and 2; 0 loses to 2 as often as it wins, too.
    assert np.array_equal(chain["mc4"], np.eye(4))
    # Nobody ranked paper 3.
    assert all(matrix[3].tolist() == [0, 0, 0, 1] for matrix in chain.values())


# The walk.


@ANY_CHAIN
@pytest.mark.parametrize("steps", [0, 1, 2, 63, 64, 65, 1000])
def test_a_walk_is_a_power_of_the_matrix(name, steps):
    for profile in (noisy(30, 5, 50)[0], noisy(25, 3, 20)[0]):
        n = profile.n_papers
        share = np.full(n, 1 / n) @ np.linalg.matrix_power(dense(name, profile), steps)
        assert scores_of(name, profile, steps=steps) == pytest.approx(share, rel=1e-8, abs=1e-200)


def test_the_papers_mc4_takes_1000_steps():
    profile, _ = noisy(30, 5, 50)
    assert RULES["mc4"].values == {"steps": 1000}
    assert np.array_equal(scores_of("mc4", profile), scores_of("mc4", profile, steps=1000))
    assert not np.allclose(scores_of("mc4", profile, steps=10), scores_of("mc4", profile))


@ANY_CHAIN
@pytest.mark.parametrize("steps", [100, 1000])
def test_shares_below_the_smallest_float_keep_their_order(name, steps):
    # Paper 4 wins, 5 is alone, and the others lose at different rates: with 1000 steps by far more than 300 digits.
    profile = Profile.from_ballots([[4, 0, 3, 2, 1], [4, 0, (3, 2), 1], [4, 0], [4, 3]], 6)
    matrix, share = by_definition(name, profile), [Fraction(1, 6)] * 6
    for _ in range(steps):
        share = [sum(x * row[b] for x, row in zip(share, matrix, strict=True)) for b in range(6)]
    logs = [log2(x.numerator) - log2(x.denominator) for x in share]
    if steps == 1000:
        assert min(logs) < -1080
    scores = scores_of(name, profile, steps=steps)
    assert [scores[b] < scores[a] for a in range(6) for b in range(6)] == [
        share[b] < share[a] for a in range(6) for b in range(6)
    ]
    for score, exact, log in zip(scores, share, logs, strict=True):
        assert score == pytest.approx(float(exact) if log > -1000 else 2.0**-1000 / (-999 - log), rel=1e-9, abs=0)


def test_shares_at_the_border_of_floats_fall_without_a_jump():
    # A share of 2^-999, 2^-1000, 2^-1001 and so on.
    powers = np.arange(-990, -1100, -1, dtype=np.int32)
    scores = markov._scores(np.full(len(powers), 0.5), powers)
    assert np.all(np.diff(scores) < 0)
    assert scores[:10].tolist() == [2.0 ** (power - 1.0) for power in powers[:10]]
    assert markov._scores(np.array([0.5, 0.5]), np.array([0, -(10**7)], np.int32))[1] > 0


def test_shares_that_differ_by_rounding_alone_are_one():
    shares = np.array([0.3, 0.1, 0.1 + 1e-14, 0.3 - 1e-13, 0.1 + 1e-7])
    scores = markov._scores(shares, np.zeros(5, np.int32))
    assert scores[0] == scores[3] > scores[4] > scores[1] == scores[2]
    assert scores == pytest.approx(shares, rel=1e-9)


@settings(max_examples=20)
@given(profile=any_profiles(least=1))
def test_a_paper_that_no_ballot_compares_keeps_its_share(profile):
    alone = np.flatnonzero([all(len(b) == 1 for b in levels_of(profile) if p in b) for p in range(profile.n_papers)])
    for name in CHAINS:
        assert scores_of(name, profile, steps=70)[alone] == pytest.approx(1 / profile.n_papers, rel=1e-8)


# Restarts.


@pytest.mark.parametrize("restart", [0.01, 0.1, 0.15, 0.5, 1])
def test_mc4_with_restarts_solves_the_linear_system(restart):
    for profile in (noisy(30, 5, 50)[0], noisy(40, 4, 0)[0], Profile.from_ballots([[0, 1], [1, 2], [2, 0], [3, 0]], 6)):
        n = profile.n_papers
        # share = (1 - restart) share P + restart / n
        matrix = np.eye(n) - (1 - restart) * dense("mc4", profile).T
        share = np.linalg.solve(matrix, np.full(n, restart / n))
        outcome = RULES["mc4-restart"].with_options(restart=restart).aggregate(profile, child(0))
        assert outcome.scores == pytest.approx(share, rel=1e-8)
        assert outcome.scores.sum() == pytest.approx(1, abs=1e-8)
        assert outcome.result.notes == ()


def test_a_walk_that_does_not_settle_says_so(monkeypatch):
    profile, _ = noisy(30, 5, 50)
    monkeypatch.setattr(markov, "STEPS_AT_MOST", 5)
    outcome = RULES["mc4-restart"].aggregate(profile, child(0))
    assert outcome.result.notes == ("the walk had not settled after 5 steps",)
    assert np.isfinite(outcome.scores).all()


# Perfect graders.


def test_with_perfect_graders_the_stationary_share_is_on_papers_that_are_never_beaten():
    profile, truth = noisy(30, 3, 0)
    best = never_beaten(profile)
    assert 1 < best.sum() < 10
    values, vectors = np.linalg.eig(dense("mc4", profile).T)
    stationary = np.abs(values - 1) < 1e-9
    # As many stationary distributions as there are such papers, and none has a share of any other.
    assert stationary.sum() == best.sum()
    assert np.abs(vectors[~best][:, stationary]).max() < 1e-9
    # The walk itself gets there: the rest has less than a share of 1e-100 between them, though still in order.
    long = scores_of("mc4", profile, steps=20_000)
    assert long[best].sum() == pytest.approx(1, abs=1e-8)
    assert long[~best].sum() < 1e-100
    with_restarts = RULES["mc4-restart"].aggregate(profile, child(0))
    assert with_restarts.scores[~best].min() > 0.1 / 30 - 1e-12
    assert with_restarts.pairwise_accuracy(truth) > 0.8


def test_about_one_paper_in_its_neighbourhood_is_never_beaten(rng):
    n, k, runs = 200, 4, 200
    bundles = SCHEMES["random"].build(n, k, rng)
    together = csr_array((np.ones(n * k), bundles.papers, bundles.start), shape=(n, n))
    around = ((together.T @ together).toarray() > 0).sum(axis=1)
    # Each is the best of those it shares a bundle with (itself included) with probability one over their number.
    expected = (1 / around).sum()
    assert expected == pytest.approx(n / (k * (k - 1) + 1), rel=0.05)
    best = np.empty((runs, n), bool)
    for run in range(runs):
        truth = rng.permutation(n)
        best[run] = never_beaten(Profile.from_ballots([sorted(row, key=truth.__getitem__) for row in bundles], n))
    counts = best.sum(axis=1)
    assert abs(counts.mean() - expected) < 4 * counts.std() / np.sqrt(runs)


@ANY_CHAIN
def test_perfect_graders_order_the_losers_too(name):
    profile, truth = noisy(100, 8, 0)
    outcome = RULES[name].aggregate(profile, child(0))
    last = outcome.order[50:]
    assert pairwise_accuracy(truth[last], np.arange(50)) > 0.75
    assert len(np.unique(outcome.scores)) > 80
