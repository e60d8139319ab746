import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from peerorder.core import OptionError, Profile, child
from peerorder.rules import RULES, pagerank
from peerorder.rules.pagerank import ballot_weights, step

from .authors import authored_profiles, mirrored_round, relabelled_with_authors, tied_round
from .profiles import any_profiles, groups_of, noisy

PAGERANK = RULES["pagerank"]


def outcome_of(profile, **options):
    return PAGERANK.with_options(**options).aggregate(profile, child(0))


def scores_of(profile, **options):
    return outcome_of(profile, **options).scores


def chain(profile, weights):
    """The probability of every step without restart, from the words of the definition."""
    n = profile.n_papers
    matrix = np.zeros((n, n))
    ballots = [{p: at for at, group in enumerate(ballot) for p in group} for ballot in groups_of(profile)]
    for a in range(n):
        mine = [(ballot, weight) for ballot, weight in zip(ballots, weights, strict=True) if a in ballot]
        mine = [(ballot, weight) for ballot, weight in mine if len(ballot) > 1]
        if not mine:
            matrix[a, a] = 1
        for ballot, weight in mine:
            for b in ballot:
                if b != a:
                    chance = weight / sum(w for _, w in mine) / (len(ballot) - 1)
                    matrix[a, b if ballot[b] < ballot[a] else a] += chance
    return matrix


def weights_by_definition(profile, shares, trust):
    standing = [(profile.n_papers * share) ** trust for share in shares]
    own = [profile.authored[grader] for grader in profile.grader]
    return [standing[paper] if paper >= 0 else sum(standing) / len(standing) for paper in own]


def networkx_pagerank(matrix, restart):
    graph = nx.from_numpy_array(matrix, create_using=nx.DiGraph)
    shares = nx.pagerank(graph, alpha=1 - restart, tol=1e-15, max_iter=10_000)
    return [shares[paper] for paper in range(len(matrix))]


# The walk.


@given(any_profiles(least=1), st.data())
def test_a_step_is_that_of_the_definition(profile, data):
    weights = np.array([data.draw(st.floats(0.01, 10)) for _ in range(len(profile))], float)
    here = np.array([data.draw(st.floats(0.01, 1)) for _ in range(profile.n_papers)], float)
    there = step(profile.papers, profile.start, profile.tie_levels, weights, here)
    assert there == pytest.approx(here @ chain(profile, weights), rel=1e-10)


@pytest.mark.parametrize("restart", [0.05, 0.15, 0.5, 1])
def test_without_trust_it_is_the_pagerank_of_networkx(restart):
    for profile in (noisy(40, 5, 50)[0], tied_round(40, 4, 30)[0], Profile.from_ballots([[0, (1, 2)], [2, 0], [3]], 6)):
        expected = networkx_pagerank(chain(profile, [1] * len(profile)), restart)
        assert scores_of(profile, restart=restart, trust=0) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("trust", [0.5, 1, 2])
@pytest.mark.parametrize("restart", [0.3, 0.5])
def test_the_shares_are_the_pagerank_of_networkx_for_the_weights_that_they_give(restart, trust):
    profile, _ = tied_round(40, 5, 50)
    outcome = outcome_of(profile, restart=restart, trust=trust)
    weights = weights_by_definition(profile, outcome.scores, trust)
    assert max(weights) > 1.2 * min(weights)
    assert outcome.scores == pytest.approx(networkx_pagerank(chain(profile, weights), restart), rel=1e-8)
    assert outcome.result.notes == ()


@settings(max_examples=40)
@given(authored_profiles(least=1))
def test_shares_sum_to_1_and_solve_the_equation(profile):
    scores = scores_of(profile)
    assert scores.sum() == pytest.approx(1, abs=1e-8)
    matrix = chain(profile, weights_by_definition(profile, scores, 1))
    assert scores == pytest.approx(0.5 * scores @ matrix + 0.5 / profile.n_papers, rel=1e-8)


@settings(max_examples=30)
@given(authored_profiles(least=1), st.data())
def test_relabelled_papers_and_authors_relabel_the_scores(profile, data):
    names = np.array(data.draw(st.permutations(range(profile.n_papers))))
    renamed = scores_of(relabelled_with_authors(profile, names))
    assert renamed[names] == pytest.approx(scores_of(profile), rel=1e-8)


def test_papers_that_ballots_and_authors_do_not_tell_apart_have_the_same_score_to_the_last_bit():
    for seed in range(10):
        scores = scores_of(mirrored_round(seed))
        assert np.array_equal(scores[::2], scores[1::2])
        assert len(np.unique(scores)) > 5


def test_restart_every_step_ranks_nothing():
    assert scores_of(tied_round(20, 4, 30)[0], restart=1).tolist() == [0.05] * 20


def test_a_walk_that_does_not_settle_says_so(monkeypatch):
    monkeypatch.setattr(pagerank, "STEPS_AT_MOST", 5)
    outcome = outcome_of(tied_round(30, 5, 50)[0])
    assert outcome.result.notes == ("the walk and its weights had not settled after 5 steps",)
    assert np.isfinite(outcome.scores).all()


def test_a_walk_needs_restarts():
    with pytest.raises(OptionError, match="restart is 0"):
        PAGERANK.with_options(restart=0)


# Whom it trusts.


# Papers 0 and 1: grader 0, who wrote paper 2, prefers 0; grader 1, who wrote 3, prefers 1.
DISPUTE = [[0, 1], [1, 0]]


def judged(*ballots):
    """The dispute, with ballots on the disputants' own papers by graders who wrote nothing."""
    authored = [2, 3, *[-1] * len(ballots)]
    return Profile.from_ballots([*DISPUTE, *ballots], 5, authored=authored)


def test_the_author_of_the_better_paper_has_it_her_way():
    even, first, second = (scores_of(judged(*ballots)) for ballots in ([], [[2, 3]], [[3, 2]]))
    assert even[0] == even[1]
    assert first[0] > first[1]
    assert second[0] < second[1]
    distrusting = scores_of(judged([2, 3]), trust=0)
    assert distrusting[0] == distrusting[1]


def test_a_grader_whose_paper_rises_gains_weight_and_her_favourite_rises_with_it():
    lead = [scores_of(judged(*[[2, 4]] * won, [4, 2]))[[0, 2]] for won in range(4)]
    assert np.all(np.diff(lead, axis=0) > 0)


def test_more_trust_widens_the_lead():
    scores = [scores_of(judged([2, 3]), trust=trust) for trust in (0, 0.5, 1, 2)]
    assert np.all(np.diff([s[0] - s[1] for s in scores]) > 0)


def test_weights_are_the_standing_of_the_graders_papers_and_the_mean_of_all_where_there_is_none():
    profile = Profile.from_ballots([[1], [0], [2, 1], [1, 0]], 3, grader=[0, 1, 2, 0], authored=[2, -1, 0])
    standing = np.array([0.5, 2.0, 3.5])
    assert ballot_weights(profile, standing).tolist() == [3.5, 2, 0.5, 3.5]
    assert ballot_weights(Profile([], [0, 0], 0), np.empty(0)).tolist() == [1]


def test_trust_pays_where_good_students_grade_well():
    gains = []
    for run in range(4):
        profile, truth = tied_round(200, 8, 50, run)
        trusting, plain = (outcome_of(profile, trust=trust).pairwise_accuracy(truth) for trust in (1, 0))
        gains.append(trusting - plain)
    # Measured at n = 1000: 1.5 points.
    assert np.mean(gains) > 0.003
