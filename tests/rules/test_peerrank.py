import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerorder.core import Profile, child
from peerorder.rules import RULES, peerrank
from peerorder.rules.peerrank import points_of

from .authors import authored_profiles, mirrored_round, relabelled_with_authors, tied_round
from .profiles import any_profiles, groups_of, noisy

PEERRANK = RULES["peerrank"]


def outcome_of(profile, **options):
    return PEERRANK.with_options(**options).aggregate(profile, child(0))


def scores_of(profile, **options):
    return outcome_of(profile, **options).scores


def grades_of(profile):
    """All (paper, grade, the grader's own paper or -1), from the words of the definition."""
    found = []
    for b, ballot in enumerate(groups_of(profile)):
        level = {p: at for at, group in enumerate(ballot) for p in group}
        own = int(profile.authored[profile.grader[b]])
        for p in level:
            others = [q for q in level if q != p]
            if others:
                below = sum((level[q] > level[p]) + (level[q] == level[p]) / 2 for q in others)
                found.append((p, below / len(others), own))
    return found


def right_hand_side(grades, x, bonus):
    """What the grades of all papers should be, given those of the graders."""
    n = len(x)
    result = []
    accuracy = {}
    for author in range(n):
        near = [1 - abs(grade - x[paper]) for paper, grade, own in grades if own == author]
        if near:
            accuracy[author] = sum(near) / len(near)
    for paper in range(n):
        mine = [(grade, x[own] if own >= 0 else sum(x) / n) for p, grade, own in grades if p == paper]
        total = sum(weight for _, weight in mine)
        if total > 0:
            value = sum(weight * grade for grade, weight in mine) / total
        else:
            value = sum(grade for grade, _ in mine) / len(mine) if mine else 0.5
        typical = sum(accuracy.values()) / len(accuracy) if accuracy else 0.5
        result.append((1 - bonus) * value + bonus * accuracy.get(paper, typical))
    return result


def by_definition(profile, bonus, steps):
    """Walsh's iteration, half of the way in every step."""
    n, grades = profile.n_papers, grades_of(profile)
    received = [[grade for p, grade, _ in grades if p == paper] for paper in range(n)]
    x = [sum(mine) / len(mine) if mine else 0.5 for mine in received]
    for _ in range(steps):
        x = [(a + b) / 2 for a, b in zip(x, right_hand_side(grades, x, bonus), strict=True)]
    return x


# The fixed point.


@settings(max_examples=40)
@given(authored_profiles(), st.sampled_from([0, 0.2, 0.5]), st.integers(1, 30))
def test_every_step_is_that_of_the_definition(profile, bonus, steps):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peerrank, "STEPS_AT_MOST", steps)
        scores = scores_of(profile, bonus=bonus)
    assert scores == pytest.approx(by_definition(profile, bonus, steps), abs=1e-9)


@pytest.mark.parametrize("bonus", [0, 0.1, 0.5])
def test_grades_solve_walshs_equation(bonus):
    profile, _ = tied_round(40, 5, 50)
    outcome = outcome_of(profile, bonus=bonus)
    expected = right_hand_side(grades_of(profile), outcome.scores.tolist(), bonus)
    assert outcome.scores == pytest.approx(expected, abs=1e-9)
    assert outcome.result.notes == ()


@pytest.mark.parametrize("step", [0.1, 0.9])
def test_the_size_of_the_steps_does_not_matter(monkeypatch, step):
    profile, _ = tied_round(40, 5, 50)
    expected = scores_of(profile)
    monkeypatch.setattr(peerrank, "STEP", step)
    assert scores_of(profile) == pytest.approx(expected, abs=1e-9)


@settings(max_examples=30)
@given(authored_profiles(least=1), st.data())
def test_relabelled_papers_and_authors_relabel_the_grades(profile, data):
    names = np.array(data.draw(st.permutations(range(profile.n_papers))))
    renamed = scores_of(relabelled_with_authors(profile, names), bonus=0.1)
    assert renamed[names] == pytest.approx(scores_of(profile, bonus=0.1), abs=1e-9)


def test_papers_that_ballots_and_authors_do_not_tell_apart_have_the_same_score_to_the_last_bit():
    for seed in range(10):
        scores = scores_of(mirrored_round(seed))
        assert np.array_equal(scores[::2], scores[1::2])
        assert len(np.unique(scores)) > 5


def test_grades_that_do_not_settle_are_said_to():
    # Papers 0 and 1: each has a 1 from the other's author and a 0 from the author of a paper that won everything.
    # Both solve x = y / (y + 1), whose only solution is 0, and x falls towards it as slowly as 1 / steps.
    ballots = [[0, 3], [1, 3], [2, 0], [2, 1]]
    profile = Profile.from_ballots([*ballots, [4, 3]], 5, authored=[1, 0, 4, 4, -1])
    outcome = outcome_of(profile)
    assert outcome.result.notes == ("the grades had not settled after 2000 steps",)
    assert 0 < outcome.scores[0] == outcome.scores[1] < 0.01


@given(any_profiles())
def test_points_are_counted_as_defined(profile):
    expected = []
    for ballot in groups_of(profile):
        for at, group in enumerate(ballot):
            below = sum(map(len, ballot[at + 1 :]))
            expected += [2 * below + len(group) - 1] * len(group)
    assert points_of(profile.start, profile.tie_levels).tolist() == expected


# Special cases.


def test_where_nobody_wrote_anything_and_ballots_are_alike_it_is_borda():
    profile, _ = noisy(40, 5, 50)
    assert scores_of(profile) == pytest.approx(RULES["borda"].aggregate(profile, child(0)).scores, abs=1e-9)


def test_unknown_papers_have_a_half_and_lost_ones_nothing():
    profile = Profile.from_ballots([[0, (1, 2), 3], [4]], 6)
    assert scores_of(profile).tolist() == [1, 0.5, 0.5, 0, 0.5, 0.5]


def test_graders_whose_papers_are_worth_nothing_count_where_there_are_no_others():
    # Grader 0's own paper has lost everything. She alone ranks 0 and 1; on 3 and 4 somebody else is believed.
    profile = Profile.from_ballots([[0, 1], [3, 4], [4, 3], [5, 2]], 6, grader=[0, 0, 1, 2], authored=[2, 5, -1])
    assert scores_of(profile) == pytest.approx([1, 0, 0, 0, 1, 1], abs=1e-9)


# Whom it trusts.


def dispute(*ballots):
    """Grader 0, who wrote paper 2, prefers 0 to 1; grader 1, who wrote 3, thinks otherwise."""
    return Profile.from_ballots([[0, 1], [1, 0], *ballots], 5, authored=[2, 3, *[-1] * len(ballots)])


def test_the_author_of_the_better_paper_has_it_her_way():
    even, first, second = (scores_of(dispute(*ballots)) for ballots in ([], [[2, 4], [3, 2, 4]], [[3, 4], [2, 3, 4]]))
    assert even[0] == even[1] == 0.5
    assert first[0] < first[1]
    assert second[0] > second[1]


def test_a_grader_whose_paper_rises_gains_weight_and_her_favourite_rises_with_it():
    lead = [scores_of(dispute(*[[2, 4]] * won, [4, 2], [3, 4], [4, 3]))[[0, 2]] for won in range(1, 5)]
    assert np.all(np.diff(lead, axis=0) > 0)


def test_trust_pays_where_good_students_grade_well():
    gains = []
    for run in range(4):
        profile, truth = tied_round(200, 8, 50, run)
        gains.append(
            outcome_of(profile).pairwise_accuracy(truth)
            - RULES["borda"].aggregate(profile, child(0)).pairwise_accuracy(truth)
        )
    assert np.mean(gains) > 0.003


# The bonus.


def test_the_bonus_goes_to_those_who_grade_as_the_others_do():
    # All put 0 > 1 > 2 but the author of 4; papers 3 and 4 are otherwise even.
    ballots = [[0, 1, 2]] * 3 + [[2, 1, 0], [3, 4], [4, 3]]
    profile = Profile.from_ballots(ballots, 5, authored=[-1, -1, 3, 4, -1, -1])
    plain, rewarded = scores_of(profile), scores_of(profile, bonus=0.2)
    assert plain[3] == plain[4]
    assert rewarded[3] > rewarded[4]


def test_a_paper_without_known_author_has_the_mean_accuracy():
    # Paper 0 has one grade, a 1, and paper 1 a 0, so what is left of their grades is the accuracy; likewise 2 and 3.
    profile = Profile.from_ballots([[0, 1], [4, 5, 6], [3, 2]], 7, authored=[2, 3, -1])
    accuracy = 2 * scores_of(profile, bonus=0.5)[:4] - [1, 0, 0, 1]
    assert accuracy[2] != pytest.approx(accuracy[3], abs=1e-3)
    assert accuracy[:2] == pytest.approx([accuracy[2:].mean()] * 2, abs=1e-9)
