"""What people get from ``posterior``: the order, intervals, reliabilities, flags, and sense from bad input."""

import numpy as np
import pytest

from peerorder.core import InputError, Profile, child
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES, hand_out
from tests.sizes import sized

POSTERIOR = RULES["posterior"]
TIED = POSTERIOR.with_options(**{"tie-quality-to-place": True})


def a_round(n, k, noise, scheme="random"):
    rng = child(0, "posterior", n, k, noise, scheme)
    bundles = SCHEMES[scheme].build(n, k, rng)
    truth = rng.permutation(n)
    authored = hand_out(bundles, np.arange(n), rng)
    return NOISES.parse(noise).draw_class(bundles, truth, rng, bundle_of=authored), truth


def grade(profile, rule=POSTERIOR, seed=0):
    return rule.aggregate(profile, child(seed, "grade"))


@pytest.mark.parametrize("rule", [POSTERIOR, TIED], ids=["free", "tied"])
@pytest.mark.parametrize(("n", "k"), [(13, 4), (31, 6), (57, 8)])
def test_perfect_graders_on_an_order_revealing_scheme_give_the_truth(rule, n, k):
    drawn, truth = a_round(n, k, "perfect", "planes")
    assert grade(drawn.profile, rule).pairwise_accuracy(truth) == 1


def test_options_change_how_much_is_drawn_but_workers_nothing():
    profile = a_round(30, 5, "thurstone")[0].profile
    usual = grade(profile)
    assert len(usual.result.samples.places) == 4 * 64
    fewer = grade(profile, POSTERIOR.with_options(draws=16, chains=3))
    assert (len(fewer.result.samples.places), fewer.result.samples.chains) == (3 * 16, 3)
    alone = grade(profile, POSTERIOR.with_options(workers=1))
    assert np.array_equal(alone.scores, usual.scores)
    assert np.array_equal(alone.result.samples.places, usual.result.samples.places)


def test_an_odd_number_of_draws_leaves_mean_places_as_far_apart_as_they_are():
    """Sweeps are counted in two halves: of unequal ones, places would be 8 in 1,000 farther apart."""
    outcome = grade(a_round(300, 4, "thurstone")[0].profile, POSTERIOR.with_options(draws=129))
    assert len(outcome.result.samples.places) == 4 * 129
    kept = 1 - (outcome.result.samples.places.mean(axis=0) + 0.5) / 300
    assert np.polyfit(kept, outcome.scores, 1)[0] == pytest.approx(1, abs=0.003)


def test_the_next_grader_is_like_those_who_graded_whether_or_not_quality_is_tied_to_place():
    """Graders who wrote nothing have weights of their own."""
    profile = Profile.from_ballots([list(range(8))] * 200, 8, authored=[-1] * 200)
    free, tied = (grade(profile, rule).preference([0], [1])[0] for rule in (POSTERIOR, TIED))
    assert free > 0.9
    assert tied == pytest.approx(free, abs=0.03)


def test_graders_who_say_nothing_are_no_data_for_arviz():
    outcome = grade(Profile.from_ballots([[0, 1, 2], [3], [1, 0, 3]], 4))
    assert outcome.result.samples.to_arviz()["log_likelihood"]["grader"].values.tolist() == [0, 2]


def test_people_of_another_taste_are_heard():
    """Twelve agree and eight rank another way, but all are equally consistent: the next may be of either taste."""
    profile = Profile.from_ballots([[0, 1, 2, 3, 4, 5]] * 12 + [[1, 0, 3, 2, 5, 4]] * 8, 6)
    outcome = grade(profile)
    assert outcome.preference([0], [1])[0] < 0.8
    assert not any(outcome.result.flags)


def test_hundreds_of_ballots_on_one_paper_are_all_counted():
    outcome = grade(Profile.from_ballots([[0, 1]] * 300 + [[1, 0]] * 100, 2))
    assert (outcome.result.samples.places[:, 0] == 0).all()
    assert outcome.preference([0], [1]) == pytest.approx([0.75], abs=0.03)


def test_it_is_the_default():
    assert RULES.names[0] == "posterior"
    assert not POSTERIOR.values["tie-quality-to-place"]


@pytest.mark.parametrize(
    ("noise", "lead"),
    [("condorcet:level=50,tied=no", 2), ("thurstone:sigma=0.3,random=0.2", 2), ("thurstone:sigma=0.3,reversed=0.1", 2)],
)
def test_it_is_well_above_borda_where_graders_differ(noise, lead):
    drawn, truth = a_round(300, 8, noise)
    ahead = grade(drawn.profile).pairwise_accuracy(truth) - grade(drawn.profile, RULES["borda"]).pairwise_accuracy(
        truth
    )
    assert 100 * ahead > lead


def test_intervals_hold_the_truth_nine_times_in_ten():
    inside = []
    for noise in ("condorcet:level=30", "thurstone:sigma=0.5", "plackett-luce:scale=0.5"):
        drawn, truth = a_round(200, 6, noise)
        low, high = grade(drawn.profile).result.intervals.T
        inside.append(np.mean((low <= truth + 1) & (truth + 1 <= high)))
    assert 0.85 < np.mean(inside) < 0.96


def test_reversed_graders_are_flagged_and_honest_ones_are_not():
    drawn, _ = a_round(300, 8, "thurstone:sigma=0.3,reversed=0.1")
    flags = np.array(grade(drawn.profile).result.flags)
    role = np.array(drawn.role)
    assert (flags[role == "reversed"] == "reversed").mean() > 0.8
    assert (flags[role == ""] == "").mean() > 0.99


def test_reliabilities_follow_the_truth():
    drawn, _ = a_round(300, 8, "condorcet:level=50,tied=no")
    result = grade(drawn.profile).result
    low, high = result.reliability_intervals.T
    assert np.corrcoef(result.reliability, drawn.reliability)[0, 1] > 0.7
    assert abs(result.reliability.mean() - drawn.reliability.mean()) < 0.03
    assert ((low <= result.reliability) & (result.reliability <= high)).mean() > 0.95
    assert ((low <= drawn.reliability) & (drawn.reliability <= high)).mean() > 0.8


def test_above_a_cut():
    drawn, truth = a_round(200, 8, "condorcet:level=20")
    above = grade(drawn.profile).probability_in_top(0.25)
    assert above.sum() == pytest.approx(50, abs=1)
    assert above[truth < 30].min() > above[truth > 90].max()


def test_who_ranks_her_rival_low_moves_her_own_paper_up():
    # Papers 0 and 1 are close and the others well below; the author of paper 0 puts 1 behind one of them.
    honest = [[0, 1, 2], [1, 0, 3], [0, 1, 3], [1, 0, 2], [2, 3, 4], [0, 2, 4], [1, 2, 3]] * 2
    profile = Profile.from_ballots([*honest, [2, 1]], 5, authored=[-1] * 14 + [0])
    outcome = grade(profile)
    assert outcome.influence(14) > 0.02
    assert outcome.influence(14, 1) < -0.02
    with pytest.raises(InputError, match="wrote no paper"):
        outcome.influence(0)
    with pytest.raises(InputError, match="grader 15 does not exist"):
        outcome.influence(15)
    with pytest.raises(InputError, match="paper 9 does not exist"):
        outcome.influence(0, 9)


def test_other_rules_say_who_can():
    outcome = grade(Profile.from_ballots([[0, 1]], 2), RULES["borda"])
    with pytest.raises(InputError, match="posterior can"):
        outcome.probability_in_top(0.5)


# Bad input.


def test_nothing_at_all():
    outcome = grade(Profile([], [0], 0))
    assert outcome.order.tolist() == []


def test_nothing_at_all_has_no_places_either():
    outcome = grade(Profile([], [0, 0], 0))
    assert outcome.result.intervals.shape == (0, 2)
    assert outcome.probability_in_top(0.5).tolist() == []
    assert outcome.result.notes == ()


def test_papers_that_everybody_ties_stay_open():
    outcome = grade(Profile.from_ballots([[0, (1, 2), 3, 4, 5, 6, 7]] * 10, 8))
    above = (outcome.result.samples.places[:, 1] < outcome.result.samples.places[:, 2]).mean()
    assert 0.35 < above < 0.65
    assert outcome.result.intervals[1:3].tolist() == [[2, 3], [2, 3]]


@sized("n", 150, full=300)
def test_staff_who_rank_everything(n):
    # Three good ones, two at random and one upside down, on all papers each.
    rng = child(0, "staff")
    good = [np.argsort(np.arange(n) + rng.normal(0, n / 10, n)) for _ in range(3)]
    outcome = grade(Profile.from_matrix([*good, rng.permutation(n), rng.permutation(n), good[0][::-1]], n))
    assert outcome.result.flags == ("", "", "", "random", "random", "reversed")
    assert outcome.pairwise_accuracy(np.arange(n)) > 0.9
    assert np.isfinite(outcome.result.samples.evidence).all()


@pytest.mark.slow
@sized("n", 100, full=200)
def test_a_long_session_of_one_judge(n):
    pairs = [[i, i + 1] for i in range(n - 1) for _ in range(4)]
    outcome = grade(Profile.from_ballots(pairs, n, grader=[0] * len(pairs)))
    assert np.isfinite(outcome.result.reliability).all()
    assert np.isfinite(outcome.result.samples.evidence).all()
    assert outcome.pairwise_accuracy(np.arange(n)) > 0.95


def test_one_paper():
    outcome = grade(Profile([0], [0, 1], 1))
    assert outcome.result.intervals.tolist() == [[1, 1]]
    assert outcome.result.notes == ()
    assert outcome.result.flags == ("",)


def test_nothing_was_compared():
    outcome = grade(Profile.from_ballots([[0], [1], []], 12))
    assert any("random" in note for note in outcome.result.notes)
    low, high = outcome.result.intervals.T
    assert (high - low >= 9).all()
    assert outcome.result.flags == ("", "", "")


def test_a_paper_that_nobody_ranked_may_be_anywhere():
    ballots = [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [0, 4, 5, 6], [0, 1, 5, 6]] * 3
    outcome = grade(Profile.from_ballots(ballots, 8))
    widths = np.diff(outcome.result.intervals, axis=1)[:, 0]
    assert widths[7] == widths.max() >= 5
    assert widths[:7].max() < 6
    assert any("1 paper was never compared" in note for note in outcome.result.notes)


def test_parts_that_nothing_connects():
    # Two chains of ten: the order within each is known, how they compare is not.
    ballots = [[i, i + 1, i + 2] for i in range(8) for _ in range(4)]
    ballots += [[10 + i for i in ballot] for ballot in ballots]
    outcome = grade(Profile.from_ballots(ballots, 20))
    assert (np.diff(outcome.scores[:10]) < 0).all()
    assert (np.diff(outcome.scores[10:]) < 0).all()
    # With nothing known of how the parts lie, the fifth of ten is anywhere between 5 and 15.
    assert np.diff(outcome.result.intervals, axis=1)[3:7].min() >= 4


@pytest.mark.parametrize("n", [4, 30])
def test_all_ballots_identical(n):
    ranking = child(0, "identical", n).permutation(n)
    outcome = grade(Profile.from_matrix([ranking] * 10, n))
    assert outcome.order.tolist() == ranking.tolist()
    assert set(outcome.result.flags) == {""}
    assert outcome.result.reliability.min() > 0.8


@pytest.mark.slow
@sized("n", 300, full=500)
def test_ninety_percent_random_graders(n):
    drawn, truth = a_round(n, 12, "perfect:random=0.9")
    outcome = grade(drawn.profile)
    assert outcome.pairwise_accuracy(truth) > grade(drawn.profile, RULES["borda"]).pairwise_accuracy(truth) + 0.1
    flags, role = np.array(outcome.result.flags), np.array(drawn.role)
    assert (flags[role == "random"] == "random").mean() > 0.5
    assert (flags[role == ""] == "").all()


@pytest.mark.slow
@sized("n", 150, full=300)
def test_too_many_random_graders_leave_little_and_say_so(n):
    drawn, truth = a_round(n, 8, "perfect:random=0.9")
    outcome = grade(drawn.profile)
    assert outcome.pairwise_accuracy(truth) > 0.5
    low, high = outcome.result.intervals.T
    assert (high - low).mean() > n / 2
    assert 0.8 < np.mean((low <= truth + 1) & (truth + 1 <= high)) <= 1


def test_every_single_grader_reversed():
    drawn, truth = a_round(100, 8, "condorcet:level=20,reversed=1")
    outcome = grade(drawn.profile)
    # Nothing tells a class upside down from one that is right: the ballots' order it is, and nobody to blame.
    assert outcome.pairwise_accuracy(truth) < 0.1
    assert set(outcome.result.flags) == {""}
    assert np.mean(outcome.result.reliability) > 0.6


def test_pairs_chosen_adaptively_put_like_with_like():
    # A paper that loses to the best and beats nobody else is better than one that wins among the worst.
    n = 40
    rng = child(0, "adaptive")
    pairs = [[i, i + gap] for i in range(n) for gap in (1, 2, 3) if i + gap < n for _ in range(3)]
    ballots = [pair if rng.random() < 0.7 else pair[::-1] for pair in pairs]
    grader = rng.permutation(len(ballots)) % 8
    outcome = grade(Profile.from_ballots(ballots, n, grader=grader))
    assert any("assortativity" in note for note in outcome.result.notes)
    assert (
        outcome.pairwise_accuracy(np.arange(n))
        > grade(outcome.profile, RULES["borda"]).pairwise_accuracy(np.arange(n)) + 0.05
    )


def test_ties_and_several_ballots_are_no_trouble():
    ballots = [[(0, 1), 2, (3, 4)], [[2, 0]], [(0, 1, 2, 3, 4)], [4, (1, 2)], [0, 4]]
    outcome = grade(Profile.from_ballots(ballots, 5, grader=[0, 0, 1, 2, 2], authored=[-1, -1, 3]), TIED)
    assert np.isfinite(outcome.scores).all()
    assert len(outcome.result.reliability) == 3
