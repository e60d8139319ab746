from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import Profile, child
from peerorder.rules import RULES, rsd
from peerorder.schemes import SCHEMES

from .laws import closed, completions, p_value, rsd_law, serial_phase
from .profiles import any_profiles, groups_of, noisy, strict_relations

RSD = RULES["rsd"]

# Ballots as lists of groups of tied papers.
CASES = {
    "no ballots": (3, []),
    "no ballots, four papers": (4, []),
    "one ballot, two papers open": (4, [[[2], [0]]]),
    "a chain and a paper nobody ranked": (4, [[[0], [1], [2]]]),
    "a cycle of three": (3, [[[0], [1]], [[1], [2]], [[2], [0]]]),
    "cyclic ballots": (4, [[[0], [1], [2]], [[1], [2], [0]], [[2], [0], [1]]]),
    "a cycle through all of them": (4, [[[0], [1]], [[1], [2], [3]], [[3], [0]]]),
    "a cycle that only the order inside a ballot decides": (3, [[[2], [0]], [[0], [1], [2]]]),
    "ties": (4, [[[0, 1], [2]], [[2], [0, 3]], [[3], [1]]]),
    "nothing but a tie": (3, [[[0, 1, 2]]]),
    "ties whose order decides": (4, [[[2], [0]], [[3], [1]], [[0, 1], [2, 3]]]),
    "two parts that nothing connects": (5, [[[0], [1], [2]], [[2], [1], [0]], [[3], [4]]]),
    "five papers in conflict": (5, [[[0], [1], [2], [3]], [[3], [4], [0]], [[2], [4], [1]], [[4], [2]]]),
}


def profile_of(ballots, n):
    return Profile.from_ballots([[tuple(group) for group in ballot] for ballot in ballots], n)


def drawn_orders(profile, rng, runs):
    n = profile.n_papers
    below = (np.rint(rsd.compute(profile, rng).scores * (n - 1)).astype(int) for _ in range(runs))
    return Counter(tuple(np.argsort(-each).tolist()) for each in below)


def in_turn(profile, turn, rng):
    """The kernel with a given order of the ballots: how many papers end below each."""
    turn = np.array(turn, np.int64)
    return rsd.serial_dictatorship(profile.papers, profile.start, profile.tie_levels, turn, profile.n_papers, rng)


def contradicted(below, relation):
    return [(a, b) for a, b in relation if below[a] <= below[b]]


def bits(rows):
    """The sets of papers that the rows of bits stand for."""
    n = len(rows)
    return [{p for p in range(n) if int(row[p // 64]) >> (p % 64) & 1} for row in rows]


# Against the paper's text.


@pytest.mark.parametrize("case", CASES)
def test_the_law_is_that_of_the_papers_text(case, rng):
    n, ballots = CASES[case]
    assert p_value(drawn_orders(profile_of(ballots, n), rng, 3000), rsd_law(ballots, n)) > 1e-3


def test_the_chi_square_test_can_fail(rng):
    n, ballots = CASES["five papers in conflict"]
    from_the_bottom = rsd_law([ballot[::-1] for ballot in ballots], n)
    mirrored = Counter({order[::-1]: probability for order, probability in from_the_bottom.items()})
    assert p_value(drawn_orders(profile_of(ballots, n), rng, 3000), mirrored) < 1e-6
    # Linear extensions that are all alike are not what random decisions lead to.
    ballots = CASES["a chain and a paper nobody ranked"][1]
    law = rsd_law(ballots, 4)
    uniform = {order: 1 / len(law) for order in law}
    assert p_value(drawn_orders(profile_of(ballots, 4), rng, 3000), uniform) < 1e-6


@st.composite
def decided_profiles(draw):
    """Profiles in which some ballot ranks everything, so that no pair is left to the coin."""
    profile = draw(any_profiles(least=1))
    ballots = [*groups_of(profile), [[p] for p in draw(st.permutations(range(profile.n_papers)))]]
    turn = draw(st.permutations(range(len(ballots))))
    return profile_of(ballots, profile.n_papers), turn


@given(decided_profiles())
def test_the_serial_phase_is_the_twins_where_it_decides_everything(case):
    profile, turn = case
    said = strict_relations(profile)
    relation = closed(serial_phase([said[b] for b in turn]), profile.n_papers)
    expected = [sum(a == p for a, _ in relation) for p in range(profile.n_papers)]
    assert sorted(expected) == list(range(profile.n_papers))
    # Nothing is left to chance, so any generator gives it.
    for seed in (0, 1):
        assert in_turn(profile, turn, child(seed)).tolist() == expected


@given(any_profiles(), st.data())
def test_the_outcome_extends_what_the_serial_phase_accepts(profile, data):
    turn = data.draw(st.permutations(range(len(profile))))
    said = strict_relations(profile)
    accepted = serial_phase([said[b] for b in turn])
    for seed in (0, 1, 2):
        below = in_turn(profile, turn, child(seed))
        assert sorted(below.tolist()) == list(range(profile.n_papers))
        assert not contradicted(below, accepted)


@pytest.mark.parametrize(("n", "k"), [(40, 4), (150, 8)])
def test_the_outcome_of_a_whole_round_extends_what_the_serial_phase_accepts(n, k, rng):
    profile, _ = noisy(n, k, 50)
    turn = rng.permutation(n)
    said = strict_relations(profile)
    below_so_far = nx.DiGraph()
    below_so_far.add_nodes_from(range(n))
    for b in turn:
        for a, other in said[b]:
            if not nx.has_path(below_so_far, other, a):
                below_so_far.add_edge(a, other)
    below = in_turn(profile, turn, rng)
    assert sorted(below.tolist()) == list(range(n))
    assert not contradicted(below, below_so_far.edges)
    rejected = {pair for ballot in said for pair in ballot} - set(below_so_far.edges)
    assert rejected
    assert contradicted(below, rejected) == list(rejected)


def test_the_first_dictator_has_it_all(rng):
    profile, _ = noisy(30, 6, 50)
    for first in range(30):
        turn = [first, *(b for b in range(30) if b != first)]
        assert not contradicted(in_turn(profile, turn, rng), strict_relations(profile)[first])


def test_ballots_without_contradiction_are_never_contradicted(rng):
    for n, k in ((7, 2), (20, 3), (64, 5), (65, 5), (200, 8)):
        profile, truth = noisy(n, k, 0, "consistent")
        outcome = RSD.aggregate(profile, rng)
        assert not contradicted(-outcome.places, [pair for ballot in strict_relations(profile) for pair in ballot])
        assert outcome.pairwise_accuracy(truth) > 0.5


@pytest.mark.parametrize("k", [2, 3, 4, 6, 8])
def test_lemma_1_planes_and_perfect_graders_reveal_the_order(k, rng):
    n = k * (k - 1) + 1
    bundles = SCHEMES["order-revealing"].build(n, k, rng)
    truth = rng.permutation(n)
    profile = Profile.from_ballots([sorted(row, key=truth.__getitem__) for row in bundles], n)
    assert RSD.aggregate(profile, rng).places.tolist() == truth.tolist()


# The completion phase: random tries while many pairs are open, a shuffled list when few are.


def below_a_line(lines, n):
    """Ballots that put n - 4 papers in one line, and below it the last four, called 0 to 3, in the given ones."""
    return [[[p] for p in range(n - 4)], *([[n - 5], *([n - 4 + p] for p in line)] for line in lines)]


OPEN = {
    "two lines of two": ([0, 1], [2, 3]),
    "a line of three and one": ([0, 1, 2], [3]),
    "one above three": ([0, 1], [0, 2], [0, 3]),
    "an N": ([0, 1], [2, 1], [2, 3]),
}


@pytest.mark.parametrize("shape", OPEN)
def test_the_list_of_open_pairs_has_the_law_of_random_decisions(shape, rng, monkeypatch):
    # So many papers that the 64 tries before the first count hardly ever hit one of the open pairs.
    n = 80
    lines = OPEN[shape]
    profile = profile_of(below_a_line(lines, n), n)
    exact = completions(closed({pair for line in lines for pair in combinations(line, 2)}, 4), 4)
    counts = Counter()
    for order, many in drawn_orders(profile, rng, 2000).items():
        assert order[: n - 4] == tuple(range(n - 4))
        counts[tuple(p - (n - 4) for p in order[n - 4 :])] += many
    assert p_value(counts, exact) > 1e-3
    open_pairs = 6 - len(closed({pair for line in lines for pair in combinations(line, 2)}, 4))
    listed = [watch(profile, rng, monkeypatch)[0][-1] for _ in range(5)]
    assert listed.count(open_pairs) >= 4


def watch(profile, rng, monkeypatch):
    """The kernel's own code, uncompiled: every count of open pairs that it takes, and its result."""
    counted = []
    compiled = rsd.undecided_pairs

    def counting(below):
        counted.append(int(compiled(below)))
        return counted[-1]

    monkeypatch.setattr(rsd, "undecided_pairs", counting)
    turn = np.arange(len(profile))
    below = rsd.serial_dictatorship.py_func(
        profile.papers, profile.start, profile.tie_levels, turn, profile.n_papers, rng
    )
    monkeypatch.setattr(rsd, "undecided_pairs", compiled)
    return counted, below


@pytest.mark.parametrize("n", [12, 40, 70])
def test_both_branches_are_reached_and_compiled_as_written(n, monkeypatch):
    profile, _ = noisy(n, 3, 30, "branches")
    serial = serial_phase(strict_relations(profile))
    pairs = n * (n - 1) // 2
    open_at_first = pairs - len(closed(serial, n))
    listed = set()
    for seed in range(12):
        counted, below = watch(profile, child(seed, "watch"), monkeypatch)
        # Tries ended when at most one pair in 32 was open, and had decided some by then; the list had the rest.
        assert open_at_first > counted[-1]
        assert all(many * 32 > pairs for many in counted[:-2])
        assert counted[-2] == counted[-1] <= pairs / 32
        listed.add(counted[-1])
        assert np.array_equal(below, in_turn(profile, np.arange(n), child(seed, "watch")))
    assert max(listed) > 0


# Bits.


@given(st.integers(0, 2**64 - 1))
def test_popcount(word):
    assert rsd.popcount(np.uint64(word)) == word.bit_count()


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 127, 128, 129, 192, 193])
def test_closure_across_words_is_networkxs(n, rng):
    words = (n + 63) // 64
    below, above = np.zeros((2, n, words), np.uint64)
    upper, lower = np.empty((2, words), np.uint64)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    at_the_edges = [(a, b) for a in (0, 62, 63, 64, 127, 128) for b in (1, 63, 64, 65, 128, n - 1)]
    tries = [*at_the_edges, *rng.integers(0, n, (2 * n, 2)).tolist()]
    for a, b in ((a, b) for a, b in tries if a != b and max(a, b) < n):
        known = nx.has_path(graph, a, b)
        assert rsd.has(below[a], b) == rsd.has(above[b], a) == known
        if not known and not rsd.has(above[a], b):
            rsd.relate(below, above, a, b, upper, lower)
            graph.add_edge(a, b)
    closure = nx.transitive_closure_dag(graph)
    assert bits(below) == [set(closure.successors(p)) for p in range(n)]
    assert bits(above) == [set(closure.predecessors(p)) for p in range(n)]
    assert rsd.undecided_pairs(below) == n * (n - 1) // 2 - closure.number_of_edges()


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 128, 129])
def test_every_number_of_papers_gives_an_order(n, rng):
    for ballots in ([], [rng.permutation(n).tolist()], [[n - 1]]):
        profile = Profile.from_ballots(ballots, n)
        outcome = RSD.aggregate(profile, rng)
        assert sorted(outcome.order.tolist()) == list(range(n))
        if ballots and len(ballots[0]) == n:
            assert outcome.order.tolist() == ballots[0]


def test_scores_are_the_share_of_papers_below(rng):
    profile, _ = noisy(50, 5, 20)
    outcome = RSD.aggregate(profile, rng)
    assert outcome.scores[outcome.order] == pytest.approx(1 - np.arange(50) / 49, abs=1e-15)
