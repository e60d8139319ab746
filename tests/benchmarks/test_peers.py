"""The contests measure what they say: the same ballots for everybody, limits that hold, failures that are told."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks.data import handed_out_round
from benchmarks.peers import contest, environments
from benchmarks.peers.apart import Limits, attempt
from benchmarks.peers.ballots import load, save
from benchmarks.peers.libraries import PEERS, Peer, choix_ilsr, rule
from benchmarks.peers.standings import COLUMNS, Standing
from benchmarks.report import markdown
from benchmarks.timing import Line, Measured
from peerorder import RULES, pairwise_accuracy

N = 60
PLENTY = Limits(300, 8000)


@pytest.fixture(scope="module")
def round_of_60():
    truth, profile = handed_out_round(N, contest.K, "condorcet:level=0")
    return truth, profile, contest._plain(profile)


def seconds(name, *values):
    return Measured(name, values)


def test_ballots_come_back_from_the_file_as_they_were(tmp_path, round_of_60):
    *_, ballots = round_of_60
    save(tmp_path / "ballots.npz", ballots)
    again = load(tmp_path / "ballots.npz")
    assert again.n_papers == ballots.n_papers
    for field in ("matrix", "grader", "authored"):
        np.testing.assert_array_equal(getattr(again, field), getattr(ballots, field))


def test_every_pair_of_every_ballot_is_there_once_and_the_better_paper_won(round_of_60):
    truth, _, ballots = round_of_60
    pairs = ballots.pairs()
    expected = [
        (grader, row[i], row[j])
        for grader, row in zip(ballots.grader, ballots.matrix, strict=True)
        for i in range(contest.K)
        for j in range(i + 1, contest.K)
    ]
    loser = np.where(pairs.left_won, pairs.right, pairs.left)
    assert list(zip(pairs.grader, pairs.winner, loser, strict=True)) == expected
    assert (truth[pairs.winner] < truth[loser]).all()


def test_the_side_does_not_tell_the_winner(round_of_60):
    *_, ballots = round_of_60
    assert 0.45 < ballots.pairs().left_won.mean() < 0.55


def test_a_rule_gives_the_scores_that_it_gives_elsewhere(round_of_60):
    _, profile, ballots = round_of_60
    scores = rule("plackett-luce")(ballots)()
    assert np.array_equal(np.argsort(-scores), RULES["plackett-luce"].aggregate(profile, 0).order)


def peers_here():
    return [
        pytest.param(peer, id=peer.name)
        for peer in PEERS.values()
        if peer.environment is None and find_spec(peer.distribution)
    ]


@pytest.mark.parametrize("peer", peers_here())
def test_a_peer_gives_a_score_a_paper_that_is_higher_for_better_papers(peer, round_of_60):
    truth, _, ballots = round_of_60
    if "mm_rankings" in peer.name:
        # Papers that never lost make it run on for ever.
        truth, profile = handed_out_round(N, contest.K, "condorcet:level=30")
        ballots = contest._plain(profile)
    scores = peer.prepare(ballots)()
    assert scores.shape == (N,)
    assert pairwise_accuracy(truth, -scores) > 0.8


@pytest.mark.processes
def test_a_process_of_its_own_gives_scores_and_costs(round_of_60):
    *_, ballots = round_of_60
    found = attempt(sys.executable, "borda", ballots, ballots, PLENTY, repeat=2)
    assert not found.problem
    assert np.array_equal(found.scores, rule("borda")(ballots)())
    assert len(found.wall) == len(found.processor) == 2
    assert found.library == "peerorder"


@pytest.mark.processes
def test_what_goes_wrong_in_the_process_is_told(round_of_60):
    *_, ballots = round_of_60
    found = attempt(sys.executable, "borrda", ballots, ballots, PLENTY, repeat=1)
    assert found.scores is None
    assert found.problem.startswith("UnknownNameError: there is no rule called 'borrda'")


def test_an_interpreter_that_cannot_start_is_told(round_of_60, tmp_path):
    *_, ballots = round_of_60
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no such luck >&2\nexit 7\n")
    broken.chmod(0o755)
    found = attempt(str(broken), "borda", ballots, ballots, PLENTY, repeat=1)
    assert found.problem == "ended with exit code 7: no such luck"


def sleeper(tmp_path):
    path = tmp_path / "python"
    path.write_text("#!/bin/sh\nexec sleep 600\n")
    path.chmod(0o755)
    return str(path)


def test_a_process_that_takes_too_long_is_ended(round_of_60, tmp_path):
    *_, ballots = round_of_60
    found = attempt(sleeper(tmp_path), "borda", ballots, ballots, Limits(0.2, 8000), repeat=1)
    assert (found.problem, found.stopped) == ("ran out of time: stopped after 0.2 s", 0.2)


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of another process is read from /proc")
def test_a_process_that_takes_too_much_memory_is_ended(round_of_60, tmp_path):
    *_, ballots = round_of_60
    found = attempt(sleeper(tmp_path), "borda", ballots, ballots, Limits(300, 0.01), repeat=1)
    assert found.problem == "ran out of memory: stopped at 0 MB"
    assert np.isnan(found.stopped)


def test_a_rule_that_is_not_there_yet_is_left_out_and_so_are_its_targets(monkeypatch):
    monkeypatch.setattr(contest, "CHAMPION", "no-such-rule")
    (standing,) = contest._contest(N, 30, ("no-such-rule",), PLENTY, 1)
    assert standing.problem == "peerorder has no rule no-such-rule"
    line = contest._wrong_pairs([standing])
    assert (line.met, line.left_out) == (None, standing.problem)


def test_a_library_that_is_not_installed_is_left_out():
    with pytest.raises(environments.CannotRun, match=r"pip install -e"):
        environments.python_for(Peer("no_such_library", "nothing", choix_ilsr))


def test_an_environment_that_cannot_be_made_is_told(monkeypatch, tmp_path):
    def fails(name, command):
        raise environments.CannotRun("an environment could not be made")

    monkeypatch.setattr(environments, "PLACE", tmp_path)
    monkeypatch.setattr(environments, "_run", fails)
    peer = next(peer for peer in PEERS.values() if peer.environment)
    with pytest.raises(environments.CannotRun, match="could not be made"):
        environments.python_for(peer)


def test_every_environment_has_its_needs():
    assert {peer.environment for peer in PEERS.values()} - {None} == set(environments.NEEDS)


@pytest.mark.parametrize(("ours", "met"), [(98.0, True), (97.0, True), (96.0, False)])
def test_wrong_pairs_are_compared_with_the_most_accurate_peer(ours, met):
    first, second, third = list(PEERS)[:3]
    line = contest._wrong_pairs(
        [
            Standing("here", contest.CHAMPION, ours),
            Standing("here", "plackett-luce", 99.0),
            Standing("here", first, 94.0),
            Standing("here", second, 97.0),
            Standing("here", third, problem="ran out of time"),
        ]
    )
    assert line.other == Measured(second, (3.0,), "%")
    assert line.met is met


def test_a_peer_that_was_stopped_took_at_least_that_long():
    ours = Standing("here", contest.CHAMPION, 95.0, seconds("ours", 30.0))
    other = Standing("here", contest.CLOCK, problem="ran out of time", stopped=seconds("other", 300.0))
    assert contest._ratio("time", ours, other, 1 / 5).met is True
    broken = Standing("here", contest.CLOCK, problem="ended with exit code 1")
    assert contest._ratio("time", ours, broken, 1 / 5).met is None


@pytest.mark.parametrize(("points", "met"), [(4.0, True), (3.9, False)])
def test_a_target_may_be_a_least_amount(points, met):
    line = Line("recovered", Measured("points", (points,), "points"), at_least=4)
    assert line.met is met
    assert ">= 4 points" in markdown({"scaling": [line]})


def test_the_table_has_a_row_for_everybody():
    good = Standing("here", "borda", 92.0, seconds("borda", 0.001), seconds("borda", 0.002), Measured("", (3.0,), "MB"))
    bad = Standing("here", "kemeny", problem="ran out of memory")
    rows = markdown({"peers": [good, bad]}).splitlines()
    assert rows[0] == f"| {' | '.join(COLUMNS)} |"
    assert rows[2] == "| here | borda | 92.00% | 1 ms | 2 ms | 3 MB |"
    assert "ran out of memory" in rows[3]
