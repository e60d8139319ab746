"""The contests measure what they say: the same ballots for everybody, limits that hold, failures that are told."""

import json
import sys
from importlib.metadata import version
from importlib.util import find_spec
from subprocess import run

import numpy as np
import pytest

from benchmarks.data import handed_out_round
from benchmarks.peers import contest, environments
from benchmarks.peers.apart import Limits, attempt
from benchmarks.peers.ballots import load, save
from benchmarks.peers.libraries import OTHERS, PEERS, PREVIOUS, Peer, choix_ilsr, rule
from benchmarks.peers.standings import COLUMNS, Standing
from benchmarks.report import markdown, write_json
from benchmarks.timing import Line, Measured
from peerorder import RULES, __version__, pairwise_accuracy

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
    assert (found.library, found.version) == ("peerorder", __version__)


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


def test_an_interpreter_elsewhere_does_not_find_the_packages_here(round_of_60, tmp_path, monkeypatch):
    *_, ballots = round_of_60
    monkeypatch.setenv("PYTHONPATH", "src")
    elsewhere = tmp_path / "python"
    elsewhere.write_text("#!/bin/sh\necho path: $PYTHONPATH >&2\nexit 7\n")
    elsewhere.chmod(0o755)
    found = attempt(str(elsewhere), PREVIOUS.name, ballots, ballots, PLENTY, repeat=1)
    assert found.problem == "ended with exit code 7: path:"


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
    assert {peer.environment for peer in OTHERS.values()} - {None} == set(environments.NEEDS)


def test_a_clone_without_the_commit_of_the_previous_version_is_told_how_to_get_it(monkeypatch, tmp_path):
    run(["git", "init", "--quiet", tmp_path], check=True)
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "PLACE", tmp_path / ".environments")
    with pytest.raises(environments.CannotRun, match=f"0.8.0: git fetch origin {environments.PREVIOUS_COMMIT}$"):
        environments.python_for(PREVIOUS)
    assert not environments.PLACE.exists()


def test_the_previous_version_is_installed_from_its_commit_beside_our_own_compiler(monkeypatch, tmp_path):
    commands = []
    monkeypatch.setattr(environments, "PLACE", tmp_path)
    monkeypatch.setattr(environments, "_check_history", lambda: None)
    monkeypatch.setattr(environments, "_run", lambda _name, command: commands.append(command))
    (tmp_path / PREVIOUS.environment).mkdir()
    python = environments.python_for(PREVIOUS)
    assert python != sys.executable
    (_venv, pip) = commands
    assert pip[0] == python
    assert any(need.endswith(f"@{environments.PREVIOUS_COMMIT}") for need in pip)
    assert f"numba=={version('numba')}" in pip
    assert environments.python_for(PREVIOUS) == python
    assert len(commands) == 2


def test_the_previous_version_is_no_peer_of_the_small_contests():
    assert PREVIOUS.name == "peerorder 0.8.0 posterior"
    assert PREVIOUS.name not in PEERS


def test_the_previous_version_does_not_pass_for_ours_in_the_list_of_versions(tmp_path):
    old = Standing("here", PREVIOUS.name, 95.0, seconds("old", 1.0), library="peerorder", version="0.0.1")
    write_json({"scaling": [old]}, tmp_path / "results.json")
    content = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert content["versions"]["peerorder"] == __version__
    assert content["groups"]["scaling"][0]["version"] == "0.0.1"


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


def standings_beside_the_previous(on, time, memory, **previous):
    costs = {"time": seconds(PREVIOUS.name, 100.0), "whole": Measured(PREVIOUS.name, (1000.0,), "MB")}
    return [
        Standing(on, PREVIOUS.name, 95.0, **(previous or costs)),
        Standing(on, contest.CHAMPION, 95.0, time=seconds("ours", time), whole=Measured("ours", (memory,), "MB")),
        *(Standing(on, name, 90.0, time=seconds(name, 1.0)) for name in (*contest.OURS[1:], *PEERS)),
    ]


def lines_of_scaling(monkeypatch, time, memory, **previous):
    """Lines beside the previous version, by the beginning of their names, as if everybody had run."""

    def contest_of(n, level, names, limits, repeat):
        assert PREVIOUS.name in names
        assert (limits.seconds, limits.megabytes) == (3600, 12_000)
        return standings_beside_the_previous(contest._ballots(n, level), time, memory, **previous)

    monkeypatch.setattr(contest, "_contest", contest_of)
    lines = [line for line in contest.scaling(1) if isinstance(line, Line)]
    beside = f", beside {PREVIOUS.name}"
    return {line.what.removesuffix(beside): line for line in lines if line.what.endswith(beside)}


@pytest.mark.parametrize(("time", "memory", "fast", "lean"), [(42.0, 1000.0, True, True), (42.1, 1000.1, False, False)])
def test_a_million_papers_are_held_to_the_previous_version_and_fewer_are_only_compared(
    monkeypatch, time, memory, fast, lean
):
    lines = lines_of_scaling(monkeypatch, time, memory)
    assert {what: line.met for what, line in lines.items()} == {
        "time, n=10,000, k=8, condorcet 30": None,
        "time, n=100,000, k=8, condorcet 30": None,
        "time, n=1,000,000, k=8, condorcet 50": fast,
        "memory of the whole process, n=1,000,000, k=8, condorcet 50": lean,
    }


def test_without_the_previous_version_its_lines_say_why(monkeypatch):
    lines = lines_of_scaling(monkeypatch, 1.0, 1.0, problem="the history is too short")
    assert {line.left_out for line in lines.values()} == {"the history is too short"}
    assert {line.met for line in lines.values()} == {None}


@pytest.mark.parametrize(("group", "target"), [(contest.small, 1.2), (contest.large, 1 / 15)])
def test_the_default_rule_is_held_to_the_time_of_choix(monkeypatch, group, target):
    def contest_of(n, level, names, limits, repeat):
        times = {contest.CHAMPION: 100 * target, contest.CLOCK: 100.0}
        assert PREVIOUS.name not in names
        return [Standing("here", name, 95.0, seconds(name, times.get(name, 1.0))) for name in names]

    monkeypatch.setattr(contest, "_contest", contest_of)
    (line,) = [line for line in group(1) if isinstance(line, Line) and line.what.startswith("time")]
    assert (line.at_most, line.met) == (target, True)


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
