import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import event, given, strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from peerorder.core import Bundles, HandoutError, child
from peerorder.schemes import SCHEMES, hand_out

from .graphs import rows_of

NAMES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"]


def allowed(rows, authored, teams=None, conflicts=()):
    """Which grader may get which bundle, straight from the rules."""
    n = len(authored)
    teams = teams if teams is not None else [None] * n

    def may_see(g, paper):
        mates = [h for h in range(n) if h == g or (teams[g] is not None and teams[h] == teams[g])]
        return paper not in {authored[h] for h in mates} and (g, paper) not in {*conflicts}

    return np.array([[all(may_see(g, p) for p in row) for row in rows] for g in range(n)], bool).reshape(n, n)


def how_many_can_be_served(may):
    """By networkx and by SciPy, on the explicit graph."""
    n = len(may)
    graph = nx.Graph()
    graph.add_nodes_from(("grader", g) for g in range(n))
    graph.add_nodes_from(("bundle", b) for b in range(n))
    graph.add_edges_from((("grader", g), ("bundle", b)) for g, b in np.argwhere(may).tolist())
    matching = nx.bipartite.hopcroft_karp_matching(graph, [("grader", g) for g in range(n)])
    served = int((maximum_bipartite_matching(csr_array(may), perm_type="column") >= 0).sum())
    assert len(matching) == 2 * served
    return served


def named(message):
    """The graders that an error names."""
    one = re.search("that grader (.+) may not see; remove", message)
    if one:
        return [one[1]]
    several = re.search("graders (.+) can only share", message)
    return several[1].split(", ")


@st.composite
def rounds(draw, most_conflicts):
    """Any bundles, regular or not, and graders with papers of their own, teams and conflicts."""
    n = draw(st.integers(1, len(NAMES)))
    n_papers = draw(st.integers(1, 9))
    papers = st.integers(0, n_papers - 1)
    rows = draw(st.lists(st.lists(papers, unique=True, max_size=3), min_size=n, max_size=n))
    authored = draw(st.lists(st.just(-1) | papers, min_size=n, max_size=n))
    teams = draw(st.none() | st.lists(st.none() | st.sampled_from(["red", "blue", 3]), min_size=n, max_size=n))
    graders = st.integers(0, n - 1)
    conflicts = draw(st.lists(st.tuples(graders, papers), max_size=most_conflicts))
    return rows, n_papers, authored, teams, conflicts


@pytest.mark.parametrize("most_conflicts", [3, 30])
@given(data=st.data(), seed=st.integers(0, 999))
def test_a_permutation_that_respects_everything_or_who_stands_in_the_way(most_conflicts, data, seed):
    rows, n_papers, authored, teams, conflicts = data.draw(rounds(most_conflicts))
    n = len(authored)
    bundles, may = Bundles.from_rows(rows, n_papers), allowed(rows, authored, teams, conflicts)
    names = NAMES[:n]

    def served():
        return hand_out(bundles, authored, child(seed), teams=teams, conflicts=conflicts, names=names)

    if how_many_can_be_served(may) == n:
        event("exists")
        given_out = served()
        assert sorted(given_out.tolist()) == list(range(n))
        assert all(may[g, b] for g, b in enumerate(given_out))
        return
    event("does not exist")
    with pytest.raises(HandoutError) as caught:
        served()
    message = str(caught.value)
    assert "\n" not in message
    stuck = [names.index(name) for name in named(message)]
    # Hall's condition fails for them together, by one, and holds as soon as one of them is left out.
    reach = may[stuck].any(axis=0).sum()
    assert reach == len(stuck) - 1
    if len(stuck) > 1:
        assert f"can only share {reach} of the bundles, one too few" in message
    for left_out in stuck:
        rest = [g for g in stuck if g != left_out]
        graders = np.zeros_like(may)
        graders[: len(rest)] = may[rest]
        assert how_many_can_be_served(graders) == len(rest)


def schemes_up_to(n_most):
    sizes = [(name, n, k) for n in range(2, n_most + 1) for k in range(1, n) for name in ("random", "complete")]
    planes = [(name, q * q + q + 1, q + 1) for q in (1, 2, 3, 4) for name in ("planes", "order-revealing", "girth6")]
    return [*sizes, *(size for size in planes if size != ("girth6", 21, 5)), ("planes", 14, 3), ("girth6", 24, 5)]


def test_footnote_1_without_conflicts_there_always_is_one():
    """In every scheme each student may get n - k bundles, and each bundle go to n - k students."""
    for name, n, k in schemes_up_to(8):
        for seed in range(2):
            rng = child(seed, name, n, k)
            bundles = SCHEMES[name].build(n, k, rng)
            authored = rng.permutation(n)
            given_out = hand_out(bundles, authored, rng)
            assert sorted(given_out.tolist()) == list(range(n))
            assert all(authored[g] not in bundles[b] for g, b in enumerate(given_out))


def test_large_class_with_teams_and_conflicts(rng):
    n, k = 20_000, 8
    bundles = SCHEMES["random"].build(n, k, rng)
    teams = [f"team {g // 4}" if g % 3 else None for g in range(n)]
    conflicts = np.stack([rng.integers(n, size=3000), rng.integers(n, size=3000)], axis=1)
    given_out = hand_out(bundles, np.arange(n), rng, teams=teams, conflicts=map(tuple, conflicts.tolist()))
    assert (np.bincount(given_out, minlength=n) == 1).all()
    rows = bundles.matrix[given_out]
    assert not (rows == np.arange(n)[:, None]).any()
    in_team = np.array([team is not None for team in teams])
    mates = (rows // 4 == np.arange(n)[:, None] // 4) & in_team[rows] & in_team[:, None]
    assert not mates.any()
    assert not (rows[conflicts[:, 0]] == conflicts[:, 1:]).any()


def test_same_seed_same_hand_out():
    bundles = SCHEMES["random"].build(40, 5, child(0))
    one, again, other = (hand_out(bundles, np.arange(40), child(seed)).tolist() for seed in (1, 1, 2))
    assert one == again != other


def test_result_is_read_only(rng):
    given_out = hand_out(SCHEMES["random"].build(9, 3, rng), range(9), rng)
    assert given_out.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        given_out[0] = 0


@pytest.mark.parametrize(("name", "n", "k"), [("random", 5, 2), ("random", 10, 8), ("order-revealing", 7, 3)])
def test_each_allowed_bundle_is_about_equally_likely(name, n, k, rng):
    runs = 2000
    bundles = SCHEMES[name].build(n, k, rng)
    counts = np.zeros((n, n))
    for _ in range(runs):
        counts[np.arange(n), hand_out(bundles, np.arange(n), rng)] += 1
    may = allowed(rows_of(bundles), list(range(n)))
    assert (counts[~may] == 0).all()
    share = 1 / (n - k)
    noise = np.sqrt(share * (1 - share) / runs)
    # About: repairing a random hand-out is not exactly uniform.
    assert abs(counts[may] / runs - share).max() < 0.05 * share + 3.5 * noise


def test_a_grader_s_number_is_not_tied_to_a_bundle_s_number(rng):
    """Grader g gets bundle g as often as any other that is allowed."""
    n, k, runs = 12, 6, 5000
    bundles = SCHEMES["random"].build(n, k, rng)
    rows = rows_of(bundles)
    possible = got = 0
    for _ in range(runs):
        authored = rng.permutation(n)
        possible += sum(authored[g] not in rows[g] for g in range(n))
        got += int((hand_out(bundles, authored, rng) == np.arange(n)).sum())
    expected = possible / (n - k)
    assert abs(got - expected) < 3.5 * np.sqrt(expected)


def test_graders_without_a_paper_may_get_anything(rng):
    bundles = Bundles.from_rows([[0, 1]] * 3, 2)
    seen = {tuple(hand_out(bundles, [-1, -1, -1], rng).tolist()) for _ in range(60)}
    assert len(seen) == 6


def test_no_graders_at_all(rng):
    assert hand_out(Bundles([], [0], 4), [], rng).shape == (0,)


def test_graders_of_one_paper_are_a_team(rng):
    # Papers 0 and 1 by two graders each: whoever wrote 0 must get a bundle with paper 1.
    bundles = Bundles.from_rows([[0], [1], [0], [1]], 2)
    for _ in range(20):
        assert {*hand_out(bundles, [0, 0, 1, 1], rng).tolist()[:2]} == {1, 3}


def test_team_mates_do_not_get_each_other_s_papers(rng):
    bundles = Bundles.from_rows([[0], [1], [2], [3]], 4)
    for _ in range(20):
        given_out = hand_out(bundles, range(4), rng, teams=["a", "a", "b", "b"]).tolist()
        assert ({*given_out[:2]}, {*given_out[2:]}) == ({2, 3}, {0, 1})
    # Without labels they may.
    free = {tuple(hand_out(bundles, range(4), rng, teams=[None] * 4).tolist()) for _ in range(60)}
    assert any(given_out[0] == 1 for given_out in free)


def test_one_grader_in_conflict_with_everything_is_named(rng):
    bundles = SCHEMES["random"].build(8, 3, rng)
    conflicts = [(4, paper) for paper in range(8)]
    message = (
        "^the bundles cannot be handed out: every bundle holds a paper that grader Eve may not see; remove some of "
        "this grader's conflicts or choose a smaller k$"
    )
    with pytest.raises(HandoutError, match=message):
        hand_out(bundles, range(8), rng, conflicts=conflicts, names=NAMES)
    with pytest.raises(HandoutError, match="that grader 4 may not see"):
        hand_out(bundles, range(8), rng, conflicts=conflicts)


def test_two_graders_for_one_bundle_are_named(rng):
    bundles = Bundles.from_rows([[0], [1], [2]], 3)
    conflicts = [(0, 1), (0, 2), (2, 1), (2, 2)]
    message = "graders Ada, Cleo can only share 1 of the bundles, one too few"
    for _ in range(10):
        with pytest.raises(HandoutError, match=message):
            hand_out(bundles, [-1, -1, -1], rng, conflicts=conflicts, names=NAMES[:3])


def test_of_many_graders_the_first_eight_are_named(rng):
    # Paper 0 is nobody's to see.
    bundles = Bundles.from_matrix(np.arange(12)[:, None], 12)
    with pytest.raises(HandoutError, match="graders 0, 1, 2, 3, 4, 5, 6, 7 and 4 more can only share 11 of the"):
        hand_out(bundles, [-1] * 12, rng, conflicts=[(g, 0) for g in range(12)])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"authored": [0, 1, 2]}, "there are 3 graders but 4 bundles; every grader gets exactly one"),
        ({"authored": [0, 1, 2, 5]}, r"authored\[3\] is 5; it must be at least -1 and below 5"),
        ({"authored": [0, 1, 2, -2]}, r"authored\[3\] is -2"),
        ({"authored": [0.0, 1.0, 2.0, 3.0]}, "authored must hold whole numbers"),
        ({"authored": [[0, 1], [2, 3]]}, "authored must be a flat list"),
        ({"teams": ["a", "a"]}, "there are 4 graders but teams for 2"),
        ({"teams": ["a", ["b"], None, None]}, r"the team of grader 1 is \['b'\]; a team is a name or a number"),
        ({"names": ["Ada"]}, "there are 4 graders but 1 names"),
        ({"conflicts": [(0, 1, 2)]}, "`conflicts` must be pairs of a grader and a paper, both as numbers"),
        ({"conflicts": [0, 1]}, "`conflicts` must be pairs"),
        ({"conflicts": [()]}, "`conflicts` must be pairs"),
        ({"conflicts": [("Ada", 1)]}, "`conflicts` must be pairs"),
        ({"conflicts": [(0.0, 1.0)]}, "`conflicts` must be pairs"),
        ({"conflicts": [(0, 1), (2,)]}, "conflicts must be an array of numbers"),
        ({"conflicts": [(0, 1), (4, 1)]}, r"conflicts: grader\[1\] is 4; it must be at least 0 and below 4"),
        ({"conflicts": [(-1, 1)]}, r"conflicts: grader\[0\] is -1"),
        ({"conflicts": [(0, 5)]}, r"conflicts: paper\[0\] is 5; it must be at least 0 and below 5"),
    ],
)
def test_malformed_input(change, message, rng):
    arguments = {"authored": [0, 1, 2, 3], **change}
    with pytest.raises(HandoutError, match=message):
        hand_out(Bundles.from_rows([[4]] * 4, 5), rng=rng, **arguments)


@pytest.mark.parametrize("dtype", [np.uint64, np.int8, np.int64])
def test_conflicts_of_any_integer_type(dtype, rng):
    bundles = Bundles.from_rows([[0], [1]], 2)
    for _ in range(10):
        assert hand_out(bundles, [-1, -1], rng, conflicts=np.array([[0, 0]], dtype)).tolist() == [1, 0]
