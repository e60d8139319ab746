import numpy as np
import pytest

from peerorder.core import Bundles, OptionError, child
from peerorder.noise import NOISES
from peerorder.noise.crowd import CROWD
from peerorder.schemes import SCHEMES, hand_out

N, K = 200, 6


@pytest.fixture(scope="module")
def round_():
    rng = child(0, "crowd")
    bundles = SCHEMES["random"].build(N, K, rng)
    return bundles, rng.permutation(N), hand_out(bundles, np.arange(N), rng)


def ballots(round_, spec, seed=0):
    bundles, truth, bundle_of = round_
    return NOISES.parse(spec).draw(bundles, truth, child(seed), bundle_of=bundle_of)


def sorted_right(round_, profile):
    truth = round_[1]
    return np.array([bool((np.diff(truth[ballot]) > 0).all()) for ballot in profile])


def sorted_wrong(round_, profile):
    truth = round_[1]
    return np.array([bool((np.diff(truth[ballot]) < 0).all()) for ballot in profile])


def test_every_model_takes_the_options_of_the_crowd():
    for noise in NOISES.values():
        assert set(CROWD) <= set(noise.options), noise.name


def test_nobody_in_the_crowd_changes_nothing(round_):
    plain = ballots(round_, "condorcet")
    assert ballots(round_, "condorcet:random=0,reversed=0,team=0,missing=0").digest == plain.digest


def test_reversed_graders_are_as_many_as_said(round_):
    profile = ballots(round_, "perfect:reversed=0.1")
    assert sorted_wrong(round_, profile).sum() == 20
    assert sorted_right(round_, profile).sum() == 180


def test_random_graders_are_as_many_as_said_and_random(round_):
    profile = ballots(round_, "perfect:random=0.5")
    # One in 720 random orders of six papers is the true one.
    assert 100 <= sorted_right(round_, profile).sum() <= 104
    truth = round_[1]
    first = [truth[ballot[0]] < truth[ballot[1]] for ballot in profile if not (np.diff(truth[ballot]) > 0).all()]
    assert 0.3 < np.mean(first) < 0.7


def test_the_groups_do_not_overlap(round_):
    profile = ballots(round_, "perfect:random=0.3,reversed=0.3,team=0.4")
    assert sorted_wrong(round_, profile).sum() >= 60
    with pytest.raises(OptionError, match="more than 1"):
        ballots(round_, "perfect:random=0.6,reversed=0.6")


def test_missing_ballots_are_not_there(round_):
    profile = ballots(round_, "perfect:missing=0.3")
    assert len(profile) == 140
    assert profile.n_graders == N
    assert len(set(profile.grader.tolist())) == 140
    assert sorted_right(round_, profile).all()
    assert len(ballots(round_, "perfect:missing=1")) == 0


def test_missing_ballots_leave_the_others_as_they_were(round_):
    bundles, _, bundle_of = round_
    profile = ballots(round_, "perfect:missing=0.3")
    for ballot, grader in enumerate(profile.grader):
        assert sorted(profile[ballot]) == sorted(bundles[int(bundle_of[grader])])


def test_a_team_puts_its_own_first_and_the_rest_backwards():
    # Everybody ranks everybody else, so that every mate is on every ballot.
    n = 20
    bundles = Bundles.from_matrix([[p for p in range(n) if p != g] for g in range(n)], n)
    truth = child(0, "truth").permutation(n)
    profile = NOISES.parse("perfect:team=0.25").draw(
        bundles, truth, child(0), bundle_of=np.arange(n), authored=np.arange(n)
    )
    honest = [bool((np.diff(truth[ballot]) > 0).all()) for ballot in profile]
    team = [g for g in range(n) if not honest[g]]
    assert len(team) == 5
    for grader in team:
        mates = [p for p in team if p != grader]
        ballot = profile[grader].tolist()
        assert ballot[:4] == sorted(mates, key=truth.__getitem__)
        assert (np.diff(truth[ballot[4:]]) < 0).all()


def test_graders_without_a_paper_can_be_on_a_team_and_favour_those_who_have_one():
    bundles = Bundles.from_matrix([[0, 1, 2]] * 4, 4)
    profile = NOISES.parse("perfect:team=1").draw(bundles, [0, 1, 2, 3], child(0), authored=[-1, -1, -1, 3])
    assert [ballot.tolist() for ballot in profile] == [[2, 1, 0]] * 4


def test_the_law_is_not_shown_for_a_crowd():
    from peerorder.cli.simulate import _law
    from peerorder.studies import Cell

    assert _law(Cell("random", 60, 4, "condorcet:level=20", ("borda",))) is not None
    assert _law(Cell("random", 60, 4, "condorcet:level=20,random=0.1", ("borda",))) is None


def test_the_law_is_not_shown_for_classes_it_is_not_good_for():
    from peerorder.cli.simulate import _law
    from peerorder.studies import Cell

    assert _law(Cell("random", 37, 4, "perfect", ("borda",))) is None
    assert _law(Cell("random", 38, 4, "perfect", ("borda",))) is not None
    assert _law(Cell("random", 20_000, 61, "perfect", ("borda",))) is None


@pytest.mark.parametrize("n", [7, 11])
def test_shares_that_make_a_whole_are_fine_in_a_class_of_any_size(n):
    bundles = Bundles.from_matrix([[(g + j) % n for j in (1, 2, 3)] for g in range(n)], n)
    profile = NOISES.parse("perfect:random=0.5,reversed=0.5").draw(bundles, np.arange(n), child(0))
    assert len(profile) == n
