from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import kendalltau

from peerorder.core import InputError, Profile, child
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES, hand_out
from peerorder.studies.comparison_figure import figure_comparison
from peerorder.studies.figure_style import svg
from peerorder.studies.rule_comparison import (
    Prediction,
    RuleComparison,
    _without,
    compare_rules,
    feasible,
    held_out,
    predicted_pairs as fast,
)

QUICK = ("borda", "copeland", "plackett-luce")


def simulated(n=30, k=5, noise="condorcet:level=30", seed=0):
    rng = child(seed, "comparison", n, k)
    bundles = SCHEMES["random"].build(n, k, rng)
    truth = rng.permutation(n)
    return NOISES.parse(noise).draw(bundles, truth, rng, bundle_of=hand_out(bundles, np.arange(n), rng))


def ballots():
    """Profiles of up to eight papers with ties, ballots of every size, empty ones too."""
    level = st.lists(st.integers(0, 7), min_size=1, max_size=3, unique=True)

    def strict(levels):
        seen = set()
        ballot = []
        for tied in levels:
            new = tuple(paper for paper in tied if paper not in seen)
            seen |= set(new)
            if new:
                ballot.append(new)
        return ballot

    return st.lists(st.lists(level, max_size=5).map(strict), min_size=1, max_size=8)


def slow_pairs(profile, hidden, scores):
    right, pairs = [], []
    for b in range(len(profile)):
        entries = range(profile.start[b], profile.start[b + 1])
        told = many = 0.0
        for i, j in combinations(entries, 2):
            if profile.tie_levels[i] != profile.tie_levels[j] and hidden[i] and hidden[j]:
                many += 1
                lead = scores[profile.papers[i]] - scores[profile.papers[j]]
                told += 0.5 if lead == 0 else float(lead > 0)
        right.append(told)
        pairs.append(many)
    return right, pairs


@given(ballots(), st.integers(0, 5), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_held_out_pairs_are_counted_as_their_definition_says(lists, number, scores):
    profile = Profile.from_ballots(lists, 8)
    hidden = held_out(profile, number, 0)
    right, pairs = fast(profile.papers, profile.start, profile.tie_levels, hidden, np.array(scores, float))
    assert (right.tolist(), pairs.tolist()) == slow_pairs(profile, hidden, scores)


@given(ballots(), st.integers(0, 5))
def test_two_papers_of_every_ballot_are_held_out_and_the_rest_is_as_it_was(lists, number):
    profile = Profile.from_ballots(lists, 8)
    hidden = held_out(profile, number, 0)
    rest = _without(profile, hidden)
    assert len(rest) == len(profile)
    for b in range(len(profile)):
        part = slice(profile.start[b], profile.start[b + 1])
        gone = int(hidden[part].sum())
        assert gone in {0: (0,), 1: (0,), 2: (0, 2), 3: (0, 2)}.get(int(profile.sizes[b]), (2,))
        kept = [
            (paper, level)
            for paper, level, out in zip(profile.papers[part], profile.tie_levels[part], hidden[part], strict=True)
            if not out
        ]
        left = slice(rest.start[b], rest.start[b + 1])
        assert rest.papers[left].tolist() == [paper for paper, _ in kept]
        order = [level for _, level in kept]
        assert rest.tie_levels[left].tolist() == [sorted(set(order)).index(level) for level in order]


def test_about_one_small_ballot_in_five_loses_two_papers():
    profile = Profile.from_matrix([[0, 1, 2]] * 2000, 3)
    shares = [held_out(profile, number, 0).mean() * 3 / 2 for number in range(3)]
    assert np.allclose(shares, 0.2, atol=0.04)
    assert len(set(shares)) > 1


def test_every_two_papers_of_a_ballot_are_held_out_alike():
    profile = Profile.from_matrix([[0, 1, 2, 3]] * 6000, 4)
    hidden = held_out(profile, 0, 0).reshape(-1, 4)
    counts = [int((hidden[:, i] & hidden[:, j]).sum()) for i, j in combinations(range(4), 2)]
    assert sum(counts) == 6000
    assert np.allclose(counts, 1000, atol=130)


def test_rules_agree_as_kendall_says():
    profile = simulated()
    found = compare_rules(profile, QUICK, splits=1, workers=1)
    outcomes = [RULES.parse(rule).aggregate(profile, child(0, "grade")) for rule in QUICK]
    assert found.places.T.tolist() == [outcome.ranks.tolist() for outcome in outcomes]
    for i, j in combinations(range(3), 2):
        tau = kendalltau(outcomes[i].places, outcomes[j].places).statistic
        assert found.agreement[i, j] == found.agreement[j, i] == pytest.approx((1 + tau) / 2)
    assert np.diag(found.agreement).tolist() == [1, 1, 1]


def test_the_spread_is_the_mean_distance_between_two_rules():
    found = compare_rules(simulated(), ("borda", "rsd", "mc2", "copeland"), splits=1, workers=1)
    for paper in range(30):
        apart = [abs(a - b) for a, b in combinations(found.places[paper].tolist(), 2)]
        assert found.spread[paper] == pytest.approx(np.mean(apart))


def test_graders_without_errors_are_predicted_almost_always_and_guessers_are_not():
    honest = compare_rules(simulated(noise="perfect"), ("borda",), splits=3, workers=1).predictions[0]
    assert honest.share > 80
    guessers = compare_rules(simulated(200, 6, "perfect:random=1"), ("borda",), workers=1).predictions[0]
    assert abs(guessers.share - 50) < 3 * guessers.stderr  # nothing of a ballot leaks into its own test
    assert 0.5 < guessers.stderr < 2


def test_the_best_comes_first_and_the_others_are_behind_it():
    profile = simulated(40, 6, "condorcet:level=20")
    found = compare_rules(profile, ("borda", "rsd", "plackett-luce"), splits=4, workers=1)
    assert [each.share for each in found.predictions] == sorted(
        (each.share for each in found.predictions), reverse=True
    )
    assert found.predictions[0].behind == 0
    rsd = next(each for each in found.predictions if each.rule == "rsd")
    assert rsd.behind > 0
    assert rsd.behind == pytest.approx(found.predictions[0].share - rsd.share)


def test_standard_errors_are_those_of_a_bootstrap_over_graders():
    profile = simulated(60, 5, "condorcet:level=50")
    found = compare_rules(profile, ("borda", "mc1"), splits=2, workers=1)
    right, pairs = {}, np.zeros(60)
    for rule in ("borda", "mc1"):
        right[rule] = np.zeros(60)
        for number in range(2):
            hidden = held_out(profile, number, 0)
            scores = RULES[rule].aggregate(_without(profile, hidden), child(0, "compare", number, rule)).scores
            told, many = slow_pairs(profile, hidden, scores)
            right[rule] += np.bincount(profile.grader, told, minlength=60)
            pairs += np.bincount(profile.grader, many, minlength=60) / 2
    rng = child(1)
    draws = [rng.integers(0, 60, 60) for _ in range(3000)]
    best, other = found.predictions
    for each in found.predictions:
        assert each.share == pytest.approx(100 * right[each.rule].sum() / pairs.sum())
        shares = [100 * right[each.rule][d].sum() / pairs[d].sum() for d in draws]
        assert each.stderr == pytest.approx(np.std(shares), rel=0.15)
    leads = [100 * (right[best.rule][d].sum() - right[other.rule][d].sum()) / pairs[d].sum() for d in draws]
    assert other.behind_stderr == pytest.approx(np.std(leads), rel=0.15)


def test_several_ballots_of_a_grader_are_one_witness():
    ballots = [[0, 1, 2, 3]] * 7 + [[3, 2, 1, 0]] * 6
    alone = compare_rules(Profile.from_ballots(ballots, 4), ("borda",), splits=1, workers=1).predictions[0]
    both = Profile.from_ballots(ballots, 4, grader=[0] * 7 + [1] * 6)
    assert compare_rules(both, ("borda",), splits=1, workers=1).predictions[0].stderr > alone.stderr


@pytest.mark.processes
def test_the_same_seed_gives_the_same_numbers_with_any_number_of_workers():
    profile = simulated(20, 4)
    one, two = (compare_rules(profile, ("borda", "rsd"), splits=2, seed=3, workers=w) for w in (1, 2))
    assert np.array_equal(one.places, two.places)
    assert one.predictions == two.predictions
    other = compare_rules(profile, ("borda", "rsd"), splits=2, seed=4, workers=1)
    assert other.predictions != one.predictions


def test_progress_is_told():
    told = []
    compare_rules(simulated(12, 3), QUICK, splits=2, workers=1, progress=lambda *now: told.append(now))
    assert told == [(done, 9) for done in range(10)]


def predictions(*rows):
    return tuple(Prediction(rule, share, 1.0, rows[0][1] - share, error) for rule, share, error in rows)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((), "Nothing could be held out"),
        ((("a", 70.0, 0.0),), "a predicts 70.0% of the held-out pairs correctly (± 1.0)."),
        ((("a", 70.0, 0.0), ("b", 60.0, 2.0)), "10.0 ± 2.0 points more than b, the next."),
        ((("a", 70.0, 0.0), ("b", 69.0, 2.0)), "No rule predicts these graders clearly better"),
        ((("a", 70.0, 0.0), ("b", 69.0, 2.0), ("c", 50.0, 2.0)), "but b does as well within the margin of error."),
        (
            (("a", 70.0, 0.0), ("b", 69.0, 2.0), ("c", 68.0, 2.0), ("d", 50.0, 2.0)),
            "but b and c do as well within the margin of error.",
        ),
    ],
)
def test_the_verdict_says_when_a_difference_is_within_the_error(rows, said):
    many = max(len(rows), 1)
    names = tuple(row[0] for row in rows) or ("a",)
    found = RuleComparison(names, np.ones((2, many), int), np.ones((many, many)), predictions(*rows), 100, 1)
    assert said in found.verdict


def test_ballots_that_order_nothing_leave_nothing_to_predict():
    found = compare_rules(Profile.from_ballots([[0], [(1, 2)]], 3), QUICK, splits=2, workers=1)
    assert found.predictions == ()
    assert found.pairs == 0
    assert "Nothing could be held out" in figure_comparison(found).get_label()


def test_rules_that_are_too_slow_for_so_many_papers_are_left_out():
    run, left_out = feasible(1000)
    assert run == tuple(RULES.names)
    assert left_out == ()
    run, left_out = feasible(50_000)
    assert left_out == ("rsd",)
    assert {"posterior", "rsd", "kemeny"} <= set(feasible(10**6)[1])
    assert "borda" in feasible(10**6)[0]


def test_the_figure_says_who_is_least_alike():
    found = compare_rules(simulated(), ("borda", "rsd", "copeland"), splits=2, workers=1)
    figure = figure_comparison(found)
    apart = found.agreement + np.eye(3)
    i, j = np.unravel_index(np.argmin(apart), apart.shape)
    assert f"{found.rules[i]} and {found.rules[j]} agree least" in figure.get_label()
    assert found.verdict in figure.get_label()
    assert svg(figure) == svg(figure)
    alone = figure_comparison(compare_rules(simulated(), ("borda",), splits=1, workers=1))
    assert "borda predicts" in alone.get_label()


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="`splits` is 0"):
        compare_rules(simulated(), QUICK, splits=0)
    with pytest.raises(InputError, match="there is no rule"):
        compare_rules(simulated(), ("bordo",))
    with pytest.raises(InputError, match="needs at least 2"):
        compare_rules(Profile.from_ballots([[0]], 1), QUICK)
    with pytest.raises(InputError, match="seed"):
        compare_rules(simulated(), QUICK, seed=-1)
