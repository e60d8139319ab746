from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerorder.core import Profile, child
from peerorder.rules import RULES
from peerorder.rules.contests import contests
from peerorder.rules.kemeny import disagreements
from peerorder.rules.kemeny_search import follow, improve

from .profiles import any_profiles, noisy, relabelled, strict_relations

KEMENY = RULES["kemeny"]
LOCAL = KEMENY.with_options(exact=0)


def table(profile):
    """How many ballots put the row above the column."""
    said = np.zeros((profile.n_papers, profile.n_papers), int)
    for a, b in (pair for ballot in strict_relations(profile) for pair in ballot):
        said[a, b] += 1
    return said


def contradictions(said, order):
    """Pairs that a ballot puts one way and the order the other."""
    return int(np.tril(said[np.ix_(order, order)]).sum())


def fewest(said, papers):
    return min(contradictions(said, list(order)) for order in permutations(papers))


def moved_once(order):
    """Every order that differs by one paper taken out and put back."""
    for at in range(len(order)):
        rest = [*order[:at], *order[at + 1 :]]
        for to in range(len(order)):
            yield [*rest[:to], order[at], *rest[to:]]


def of_cycles(*sizes):
    """Groups of papers in random majorities with a cycle through each group, and each above some of the next."""
    rng = child(0, "groups", *sizes)
    ballots, first, n = [], 0, sum(sizes)
    for size in sizes:
        group = first + np.arange(size)
        ballots += [[a, b] for a, b in zip(group, np.roll(group, -1), strict=True) if a != b] * 2
        ballots += [rng.permutation(group)[:3].tolist() for _ in range(2 * size)]
        first += size
        if first < n:
            ballots += [[int(a), first] for a in group] * 3
    names = rng.permutation(n)
    return relabelled(Profile.from_ballots(ballots, n), names)


# Exact.


@settings(max_examples=60)
@given(any_profiles(most=6), st.integers(0, 3))
def test_no_order_contradicts_the_ballots_less(profile, seed):
    said = table(profile)
    outcome = KEMENY.aggregate(profile, child(seed))
    assert contradictions(said, outcome.order) == fewest(said, range(profile.n_papers))
    (note,) = outcome.result.notes
    assert note.startswith("exact")


@settings(max_examples=8)
@given(st.lists(st.permutations(range(7)), min_size=1, max_size=9))
def test_no_order_of_seven_papers_contradicts_complete_ballots_less(ballots):
    profile = Profile.from_ballots(ballots, 7)
    said = table(profile)
    assert contradictions(said, KEMENY.aggregate(profile, child(0)).order) == fewest(said, range(7))


@pytest.mark.parametrize("sizes", [(6, 5, 1, 6), (6, 6, 6), (5, 1, 1, 5, 2, 6)])
def test_groups_of_papers_in_cycles_are_solved_apart(sizes):
    profile = of_cycles(*sizes)
    said = table(profile)
    majorities = [(int(a), int(b)) for a, b in np.argwhere(said > said.T)]
    graph = nx.DiGraph(majorities)
    graph.add_nodes_from(range(profile.n_papers))
    groups = list(nx.strongly_connected_components(graph))
    assert 4 <= max(map(len, groups)) <= 6 < profile.n_papers
    outcome = KEMENY.aggregate(profile, child(0))
    inside = sum(fewest(said, group) for group in groups)
    home = {paper: at for at, group in enumerate(groups) for paper in group}
    between = sum(min(said[a, b], said[b, a]) for a, b in combinations(home, 2) if home[a] != home[b])
    assert contradictions(said, outcome.order) == inside + between
    assert outcome.result.notes[0].startswith("exact")
    # Majorities between groups are all followed.
    assert all(outcome.places[a] < outcome.places[b] for a, b in majorities if home[a] != home[b])


def test_the_option_says_how_large_a_group_is_solved_exactly():
    profile = of_cycles(6, 6, 6)
    for exact, word in ((0, "local"), (5, "local"), (6, "exact"), (14, "exact")):
        outcome = KEMENY.with_options(exact=exact).aggregate(profile, child(0))
        assert outcome.result.notes[0].startswith(word)


def test_a_ring_of_sixteen_breaks_at_one_link():
    ring = Profile.from_ballots([[a, (a + 1) % 16] for a in range(16)], 16)
    outcome = KEMENY.with_options(exact=16).aggregate(ring, child(0))
    assert disagreements(contests(ring), outcome.places) == 1
    assert outcome.result.notes[0].startswith("exact")
    assert KEMENY.aggregate(ring, child(0)).result.notes[0].startswith("local optimum")


def test_a_larger_majority_outweighs_smaller_ones():
    # 0 > 1 by three, 1 > 2 by two, 2 > 0 by one: the cycle breaks at its weakest link.
    profile = Profile.from_ballots([[0, 1]] * 3 + [[1, 2]] * 2 + [[2, 0]], 3)
    outcome = KEMENY.aggregate(profile, child(0))
    assert outcome.order.tolist() == [0, 1, 2]
    assert outcome.scores.tolist() == [1, 0.5, 0]
    assert outcome.result.notes == (
        "exact: the majorities that the order contradicts lead by 1 in all, the least possible",
    )


@settings(max_examples=30)
@given(any_profiles(least=1))
def test_a_condorcet_winner_is_first(profile):
    net = table(profile) - table(profile).T
    winners = np.flatnonzero((net > 0).sum(axis=1) == profile.n_papers - 1)
    order = KEMENY.aggregate(profile, child(0)).order
    assert set(winners) <= {order[0]}


def test_contradicted_majorities_are_counted_by_their_lead():
    net = contests(Profile.from_ballots([[0, 1]] * 3 + [[1, 0], [2, 1], [0, 2]], 3))
    assert disagreements(net, np.array([0, 1, 2])) == 1
    assert disagreements(net, np.array([2, 1, 0])) == 3
    assert disagreements(net, np.array([0, 2, 1])) == 0


# Local search.


@settings(max_examples=60)
@given(any_profiles(), st.integers(0, 3))
def test_the_search_ends_where_moving_one_paper_does_not_help_and_no_worse_than_borda(profile, seed):
    said = table(profile)
    outcome = LOCAL.aggregate(profile, child(seed))
    found = contradictions(said, outcome.order)
    assert all(contradictions(said, order) >= found for order in moved_once(outcome.order.tolist()))
    # The same generator breaks Borda's ties in the same way, so this is where the search began.
    assert found <= contradictions(said, RULES["borda"].aggregate(profile, child(seed)).order)


@pytest.mark.parametrize(("n", "k", "level"), [(60, 4, 50), (60, 8, 30), (40, 6, 100)])
def test_the_search_on_whole_rounds(n, k, level):
    profile, _ = noisy(n, k, level)
    said = table(profile)
    outcome = KEMENY.aggregate(profile, child(0))
    assert outcome.result.notes[0].startswith("local optimum")
    found = contradictions(said, outcome.order)
    assert found < contradictions(said, RULES["borda"].aggregate(profile, child(0)).order)
    for order in moved_once(outcome.order.tolist()):
        assert contradictions(said, order) >= found


@pytest.mark.slow
def test_a_search_without_room_between_two_numbers_waits_and_says_so():
    net = contests(Profile.from_ballots([[0, 1], [1, 2], [2, 3], [3, 4]], 5))
    arrays = (net.indptr, net.indices, net.data)
    key = np.array([1.0, 9.0, np.nextafter(1.0, 2.0), 0.0, 3.0])
    before, awake = key.copy(), np.arange(5) == 1
    # Paper 1 belongs between 0 and 2, and there is no number between these.
    assert improve(*arrays, awake, key)
    assert np.array_equal(key, before)
    assert awake.tolist() == [False, True, False, False, False]
    key[2] = 2
    assert improve(*arrays, awake, key)
    assert key[0] < key[1] < key[2]
    # Its opponents are to look again where they stand; paper 2, which comes later in the sweep, has done so.
    assert awake.tolist() == [True, False, False, False, False]


# Where the ballots leave the order open.


def test_perfect_graders_are_never_contradicted_and_do_better_than_borda():
    profile, truth = noisy(100, 5, 0)
    outcome = KEMENY.aggregate(profile, child(0))
    assert contradictions(table(profile), outcome.order) == 0
    assert (
        outcome.pairwise_accuracy(truth) > RULES["borda"].aggregate(profile, child(0)).pairwise_accuracy(truth) + 0.01
    )


def test_a_paper_that_won_once_is_not_put_above_papers_it_never_met():
    # All others are in one large cycle, which paper 40 has met at its lowest point.
    profile, _ = noisy(40, 8, 60)
    order = KEMENY.aggregate(profile, child(0)).order
    ballots = [profile[b].tolist() for b in range(len(profile))]
    more = Profile.from_ballots([*ballots, [40, int(order[-1])], [int(order[0]), 40]], 41)
    place = KEMENY.aggregate(more, child(0)).places[40]
    assert 10 < place < 30


def test_papers_that_nothing_compares_are_in_the_middle_in_random_order():
    profile = Profile.from_ballots([[0, 1, 2, 3], [0, 1, 2, 3]], 6)
    orders = {tuple(KEMENY.aggregate(profile, child(seed)).order.tolist()) for seed in range(20)}
    assert orders == {(0, 1, 4, 5, 2, 3), (0, 1, 5, 4, 2, 3)}


def test_top_and_bottom_have_the_same_say():
    # 3 > 0 > 1 > 2 against Borda, which has 1 far above 0; and 4 > 5, which have met none of these.
    ballots = [[0, 1]] + [[1, 2], [3, 0]] * 5 + [[4, 5]] * 3 + [[5, 4]] * 2
    profile = Profile.from_ballots(ballots, 6)
    assert RULES["borda"].aggregate(profile, child(0)).order.tolist() == [3, 1, 4, 5, 0, 2]
    # From the top 3 4 5 0 1 2, from the bottom 3 0 1 4 5 2: 0 and 4 are even, and so are 1 and 5.
    assert KEMENY.aggregate(profile, child(0)).order.tolist() == [3, 4, 0, 1, 5, 2]
    assert KEMENY.aggregate(profile.reversed(), child(0)).order.tolist() == [2, 5, 1, 0, 4, 3]


@given(st.integers(1, 12), st.data())
def test_follow_takes_the_lowest_rank_that_nobody_is_left_before(n, data):
    topological = data.draw(st.permutations(range(n)))
    pairs = [(a, b) for i, a in enumerate(topological) for b in topological[i + 1 :] if data.draw(st.booleans())]
    rank = np.array(data.draw(st.permutations(range(n))), np.int64)
    rows = [[b for x, b in pairs if x == a] for a in range(n)]
    indptr = np.cumsum([0, *map(len, rows)])
    place = follow(indptr, np.array([b for row in rows for b in row], np.int64), rank)
    left, expected = set(range(n)), []
    while left:
        free = [p for p in left if not any(a in left for a, b in pairs if b == p)]
        expected.append(min(free, key=rank.__getitem__))
        left.remove(expected[-1])
    assert [int(place[p]) for p in expected] == list(range(n))
