"""What every rule in the registry must do; a new rule is tested here by being registered."""

import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerorder.core import OptionError, Profile, child
from peerorder.core.randomness import restore_generator
from peerorder.rules import RULES

from .profiles import any_profiles, in_order, joined, noisy, relabelled, tied_otherwise

ANY_RULE = pytest.mark.parametrize("rule", list(RULES.values()), ids=lambda rule: rule.name)
PAPERS = 6
# Cycles, ties, a paper above the rest, one that nobody ranked, and parts that nothing connects.
CONFLICTED = Profile.from_ballots([[0, 1, 2], [1, 2, 0], [2, (0, 3), 1], [3, 4], [4, 2], [(1, 4), (2, 3)]], PAPERS)
PERFECT, PERFECT_TRUTH = noisy(100, 8, 0)
RUNS = 400
# Each run of a sampler averages over hundreds of orders already, and takes as long as hundreds of runs of the others.
RUNS_OF = {"posterior": 30}


def random_by_itself(rule):
    """Whether scores, and not only ties between them, depend on the generator."""
    return not np.array_equal(*(rule.aggregate(CONFLICTED, child(seed, "random?")).scores for seed in (0, 1)))


RANDOM = [rule for rule in RULES.values() if random_by_itself(rule)]
DETERMINISTIC = [rule for rule in RULES.values() if rule not in RANDOM]
ANY_DETERMINISTIC = pytest.mark.parametrize("rule", DETERMINISTIC, ids=lambda rule: rule.name)
ANY_RANDOM = pytest.mark.parametrize("rule", RANDOM, ids=lambda rule: rule.name)


def scores_of(rule, profile):
    return rule.aggregate(profile, child(0, "scores")).scores


def drawn_places(rule, profile, rng, runs=None):
    times = runs or RUNS_OF.get(rule.name, RUNS)
    return np.array([rule.aggregate(profile, rng).places for _ in range(times)])


def assert_same_mean_places(first, second):
    """Two samples of places, a row a run; five standard errors apart is too far."""
    error = np.sqrt((first.var(axis=0) + second.var(axis=0)) / len(first))
    assert np.all(np.abs(first.mean(axis=0) - second.mean(axis=0)) <= 5 * error + 1e-9)


def order_of(scores):
    """The sign of every difference, with differences of mere rounding as ties."""
    one, other = scores[:, None], scores[None, :]
    return np.where(np.isclose(one, other, rtol=1e-8, atol=0), 0, np.sign(one - other))


def test_the_papers_rules_are_registered():
    assert {"borda", "rsd", "mc1", "mc2", "mc3", "mc4", "mc4-restart"} <= set(RULES.names)
    assert "rsd" in [rule.name for rule in RANDOM]
    assert {"borda", "mc4"} <= {rule.name for rule in DETERMINISTIC}


# What a rule takes.


def check(rule, profile):
    outcome = rule.aggregate(profile, child(0, "check"))
    assert outcome.scores.shape == (profile.n_papers,)
    assert np.isfinite(outcome.scores).all()
    assert sorted(outcome.order.tolist()) == list(range(profile.n_papers))
    assert np.all(np.diff(outcome.scores[outcome.order]) <= 0)


@ANY_RULE
@settings(max_examples=30)
@given(profile=any_profiles())
def test_every_legal_profile_gives_finite_scores_and_an_order(rule, profile):
    check(rule, profile)


@ANY_RULE
@pytest.mark.parametrize(
    "profile",
    [
        pytest.param(Profile([], [0], 0), id="nothing at all"),
        pytest.param(Profile([], [0, 0, 0], 0), id="empty ballots on no papers"),
        pytest.param(Profile([], [0], 1), id="one paper, no ballots"),
        pytest.param(Profile([0], [0, 1], 1), id="one paper, ranked"),
        pytest.param(Profile([], [0], 5), id="papers without ballots"),
        pytest.param(Profile([], [0, 0, 0], 3), id="empty ballots"),
        pytest.param(Profile.from_ballots([[0], [1], [1]], 3), id="ballots of one paper"),
        pytest.param(Profile.from_ballots([[(0, 1, 2)], [(2, 3)]], 4), id="nothing but ties"),
        pytest.param(Profile.from_ballots([[0, 1], [3, 2, 1, 0], [2]], 4), id="unequal ballots"),
        pytest.param(
            Profile.from_ballots([[0, 1], [1, 0], [2, 0]], 3, grader=[1, 1, 1]), id="one grader, many ballots"
        ),
        pytest.param(Profile.from_ballots([[1, 2], [2, 0]], 3, authored=[0, 1]), id="graders with papers"),
        pytest.param(CONFLICTED, id="cycles, ties and a paper without ballots"),
    ],
)
def test_odd_but_legal(rule, profile):
    check(rule, profile)


# Which way is up.


@ANY_RULE
def test_the_winner_of_the_only_comparison_is_first(rule):
    assert rule.aggregate(Profile([1, 0], [0, 2], 2), child(0)).order.tolist() == [1, 0]
    assert rule.aggregate(Profile([0, 1], [0, 2], 2), child(0)).order.tolist() == [0, 1]


@ANY_RULE
@pytest.mark.parametrize("n", [3, 12, 40])
def test_a_ranking_that_all_agree_on_is_the_outcome(rule, n):
    ranking = child(0, "unanimous", n).permutation(n)
    profile = Profile.from_matrix([ranking, ranking, ranking], n)
    assert rule.aggregate(profile, child(1)).order.tolist() == ranking.tolist()
    assert rule.aggregate(profile.reversed(), child(1)).order.tolist() == ranking[::-1].tolist()


@ANY_RULE
def test_perfect_graders_are_not_wasted(rule):
    # Eight of a hundred papers each; the worst of our rules recovers 94% of the pairs.
    assert rule.aggregate(PERFECT, child(0)).pairwise_accuracy(PERFECT_TRUTH) > 0.9
    assert rule.aggregate(PERFECT.reversed(), child(0)).pairwise_accuracy(PERFECT_TRUTH) < 0.1


# What must not matter.


@ANY_DETERMINISTIC
@settings(max_examples=20)
@given(profile=any_profiles(least=1), data=st.data())
def test_relabelled_papers_relabel_the_scores(rule, profile, data):
    names = np.array(data.draw(st.permutations(range(profile.n_papers))))
    scores, renamed = scores_of(rule, profile), scores_of(rule, relabelled(profile, names))
    assert renamed[names] == pytest.approx(scores, rel=1e-8, abs=0)
    assert np.array_equal(order_of(renamed[names]), order_of(scores))


@ANY_DETERMINISTIC
@settings(max_examples=20)
@given(profile=any_profiles(least=1), data=st.data())
def test_shuffled_ballots_and_ties_change_nothing(rule, profile, data):
    order = data.draw(st.permutations(range(len(profile))))
    shuffled = tied_otherwise(in_order(profile, order), child(0, "ties"))
    assert scores_of(rule, shuffled) == pytest.approx(scores_of(rule, profile), rel=1e-8, abs=0)


@pytest.mark.slow
@ANY_RANDOM
def test_relabelled_papers_relabel_the_places_in_distribution(rule, rng):
    names = np.array([4, 2, 5, 0, 1, 3])
    renamed = drawn_places(rule, relabelled(CONFLICTED, names), rng)
    assert_same_mean_places(drawn_places(rule, CONFLICTED, rng), renamed[:, names])


@pytest.mark.slow
@ANY_RANDOM
def test_shuffled_ballots_change_nothing_in_distribution(rule, rng):
    shuffled = in_order(CONFLICTED, [5, 3, 0, 4, 1, 2])
    assert_same_mean_places(drawn_places(rule, CONFLICTED, rng), drawn_places(rule, shuffled, rng))


@pytest.mark.slow
@ANY_RANDOM
def test_the_order_in_which_ties_are_written_changes_nothing_in_distribution(rule, rng):
    # Serial dictatorship that went through tied papers as written would end in 2 > 0 > 3 > 1 for the one and in
    # 3 > 1 > 2 > 0 for the other, once the first two ballots have had their turn.
    first, second = (Profile.from_ballots([[2, 0], [3, 1], [tied, (2, 3)]], 4) for tied in ((0, 1), (1, 0)))
    assert_same_mean_places(drawn_places(rule, first, rng), drawn_places(rule, second, rng))


# Ties: by the generator, never by position.


@ANY_RULE
def test_papers_that_nothing_is_known_about_are_in_random_order(rule, rng):
    for profile in (Profile([], [0], 5), Profile.from_ballots([[(0, 1, 2, 3, 4)]], 5)):
        places = drawn_places(rule, profile, rng, runs=40)
        # The mean place of every paper is 2, with a standard deviation of 0.22; by position it would be 0 to 4.
        assert np.abs(places.mean(axis=0) - 2).max() < 1


def mirrored(seed, n=8):
    """Ballots that stay the same when papers 0 and 1, 2 and 3, ... change places: they tell no couple apart."""
    ballots = noisy(n, 5, 60, "mirrored", seed)[0]
    return joined(ballots, relabelled(ballots, np.arange(n) ^ 1))


@ANY_DETERMINISTIC
def test_papers_that_the_ballots_do_not_tell_apart_have_the_same_score_to_the_last_bit(rule):
    for seed in range(20):
        scores = scores_of(rule, mirrored(seed))
        assert np.array_equal(scores[::2], scores[1::2])
        assert len(np.unique(scores)) > 1


@pytest.mark.slow
@ANY_RANDOM
def test_papers_that_the_ballots_do_not_tell_apart_are_ordered_by_a_coin(rule, rng):
    # On the first one it would take a sampler twice as long to be done.
    places = drawn_places(rule, mirrored(1), rng)
    first = (places[:, ::2] < places[:, 1::2]).mean(axis=0)
    # Five standard deviations of as many coins.
    assert np.abs(first - 0.5).max() < 5 * 0.5 / np.sqrt(len(places))


# The same bits again.


@ANY_RULE
def test_same_generator_same_bits(rule):
    profile = noisy(40, 5, 30)[0]
    first, again, other = (rule.aggregate(profile, child(seed)) for seed in (3, 3, 4))
    assert first.scores.tobytes() == again.scores.tobytes()
    assert first.order.tobytes() == again.order.tobytes()
    ties = len(np.unique(first.scores)) < 40
    assert (first.order.tobytes() != other.order.tobytes()) == (ties or rule in RANDOM)


@ANY_RULE
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937], ids=lambda bits: bits.__name__)
def test_provenance_through_json_reproduces_the_order(rule, bits):
    profile = Profile([], [0], 30)
    rng = np.random.Generator(bits(5))
    # A generator in the middle of its stream, with half of a 64-bit draw still unused.
    rng.integers(10, size=3, dtype=np.uint32)
    outcome = rule.aggregate(profile, rng)
    provenance = json.loads(json.dumps(outcome.provenance))
    assert provenance["rule"] == rule.name
    assert provenance["profile"] == profile.digest
    again = RULES[provenance["rule"]].with_options(**provenance["options"])
    repeated = again.aggregate(profile, restore_generator(provenance["generator"]))
    assert repeated.order.tobytes() == outcome.order.tobytes()
    assert repeated.scores.tobytes() == outcome.scores.tobytes()
    assert rule.aggregate(profile, rng).order.tobytes() != outcome.order.tobytes()


@ANY_RULE
def test_the_outcome_is_read_only_and_says_where_it_came_from(rule):
    outcome = rule.aggregate(CONFLICTED, child(0))
    assert (outcome.rule, outcome.options, outcome.profile) == (rule.name, rule.values, CONFLICTED)
    for array in (outcome.scores, outcome.order, outcome.places):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_options_reach_the_rule_and_the_provenance():
    rule = RULES.parse("mc4:steps=3")
    outcome = rule.aggregate(CONFLICTED, child(0))
    assert outcome.provenance["options"] == {"steps": 3}
    assert not np.allclose(outcome.scores, scores_of(RULES["mc4"], CONFLICTED))
    with pytest.raises(OptionError, match="restart is 0"):
        RULES["mc4-restart"].with_options(restart=0)


# Reversed ballots.


@settings(max_examples=40)
@given(profile=any_profiles())
def test_reversed_ballots_reverse_borda(profile):
    scores = scores_of(RULES["borda"], profile)
    assert scores_of(RULES["borda"], profile.reversed()) == pytest.approx(1 - scores, abs=1e-15)


def test_reversed_ballots_reverse_rsd_where_ballots_do_not_contradict_each_other(rng):
    agreed = Profile.from_ballots([[0, 1, 3], [1, 4], [0, (2, 5)]], PAPERS)
    upright, upside_down = (drawn_places(RULES["rsd"], profile, rng) for profile in (agreed, agreed.reversed()))
    assert_same_mean_places(upright, PAPERS - 1 - upside_down)


def test_reversed_ballots_need_not_reverse_rsd_where_they_contradict_because_it_goes_from_the_top(rng):
    profile = Profile.from_ballots([[2, 0], [0, 1, 2]], 3)
    upright, upside_down = (
        {tuple(RULES["rsd"].aggregate(ballots, rng).order.tolist()) for _ in range(40)}
        for ballots in (profile, profile.reversed())
    )
    # After 2 > 0 the relation 0 > 1 comes first and puts 1 last; from the bottom 1 > 2 would have put it first.
    assert upright == {(2, 0, 1), (0, 1, 2)}
    assert upside_down == {(0, 2, 1), (2, 1, 0)}


@pytest.mark.parametrize("name", ["mc1", "mc2", "mc3", "mc4", "mc4-restart"])
def test_reversed_ballots_need_not_reverse_a_markov_chain_because_it_looks_up_alone(name):
    profile = Profile.from_ballots([[0, 2, 1], [1, 3, 0], [1, 0]], 4)
    upright, upside_down = (order_of(scores_of(RULES[name], ballots)) for ballots in (profile, profile.reversed()))
    assert not np.array_equal(upright, -upside_down)


# One more ballot in favour.


def in_favour(profile, *ranking):
    return joined(profile, Profile.from_ballots([ranking], profile.n_papers))


# Borda: by its definition. With restarts: a chain whose column of one paper grows at the cost of the others
# raises that paper's stationary share by the largest factor of all (Chien, Dwork, Kumar, Simon, Sivakumar 2004).
# For the other chains nobody promises it; we know no example where a pair lowers a paper's place.
# Likelihoods: the Hessian is a Laplacian with nonnegative weights and the prior on its diagonal, so what pulls up
# one paper and down another moves none further up than the one it pulls (the maximum principle).
@pytest.mark.parametrize("name", ["borda", "mc4-restart", "plackett-luce", "bradley-terry", "thurstone"])
@settings(max_examples=40)
@given(profile=any_profiles(least=2))
def test_one_more_comparison_won_never_lowers_a_paper(name, profile):
    before, after = (scores_of(RULES[name], ballots) for ballots in (profile, in_favour(profile, 0, 1)))
    assert after[0] >= before[0] * (1 - 1e-8)
    behind = before <= before[0]
    assert np.all(after[behind] <= after[0] * (1 + 1e-8))


def test_one_more_comparison_won_never_lowers_a_paper_in_rsd_in_distribution(rng):
    before = drawn_places(RULES["rsd"], CONFLICTED, rng)
    for winner, loser in ((0, 1), (1, 2), (5, 2), (4, 0)):
        after = drawn_places(RULES["rsd"], in_favour(CONFLICTED, winner, loser), rng)
        error = np.sqrt((before[:, winner].var() + after[:, winner].var()) / RUNS)
        assert after[:, winner].mean() <= before[:, winner].mean() + 4 * error
    assert after[:, 4].mean() < before[:, 4].mean()


@settings(max_examples=40)
@given(profile=any_profiles(least=2))
def test_one_more_first_place_never_lowers_a_borda_score(profile):
    ranking = range(profile.n_papers)
    before, after = (scores_of(RULES["borda"], ballots) for ballots in (profile, in_favour(profile, *ranking)))
    assert after[0] >= before[0]
    assert after[-1] <= before[-1]


def test_one_more_first_place_may_raise_the_runner_up_more_where_papers_have_unequal_ballots():
    # Paper 0 has won 18 of 30 comparisons, paper 1 one of two; another ballot compares each with four more.
    profile = Profile.from_ballots([[0, 2]] * 18 + [[3, 0]] * 12 + [[1, 4], [4, 1]], 5)
    before, after = (scores_of(RULES["borda"], ballots) for ballots in (profile, in_favour(profile, 0, 1, 2, 3, 4)))
    assert before[0] == 0.6 > before[1] == 0.5
    assert after[0] == 22 / 34 < after[1] == 4 / 6


def test_one_more_first_place_may_lower_a_paper_in_a_markov_chain():
    # The ballot turns majorities between other papers, too.
    ballots = [[1, 3, 2, 0], [0, 4], [2, 3, 0, 1, 4], [4, 3], [2, 4, 1, 3, 0], [2, 0]]
    profile = Profile.from_ballots(ballots, 5)
    before, after = (scores_of(RULES["mc4-restart"], each) for each in (profile, in_favour(profile, 0, 4, 3, 1, 2)))
    assert before[0] > before[3]
    assert after[0] < after[3]
