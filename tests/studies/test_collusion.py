import numpy as np
import pytest

from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.studies import Cell, Run, run_studies, study
from peerorder.studies.collusion import measure
from peerorder.studies.experiment import begin

CELL = Cell("random", 100, 8, "thurstone:sigma=0.3,team=0.1", ("borda", "plackett-luce"))
RUN = Run("test", CELL, 0, seed=0)


def test_only_the_teams_ballots_differ_between_the_two_gradings():
    begun = begin(RUN)
    noise = NOISES.parse(CELL.noise)
    team, honest = (
        each.draw_class(begun.bundles, begun.truth, begun.stream("noise"), bundle_of=begun.bundle_of)
        for each in (noise, noise.with_options(team=0))
    )
    assert (team.role == "team").sum() == 10
    changed = [
        grader
        for ballot, other, grader in zip(team.profile, honest.profile, team.profile.grader, strict=True)
        if not np.array_equal(ballot, other)
    ]
    assert set(changed) <= set(np.flatnonzero(team.role == "team"))
    assert len(changed) >= 8


def test_the_gain_is_in_places_of_the_members_own_papers():
    begun = begin(RUN)
    noise = NOISES.parse(CELL.noise)
    team = noise.draw_class(begun.bundles, begun.truth, begun.stream("noise"), bundle_of=begun.bundle_of)
    honest = noise.with_options(team=0).draw(
        begun.bundles, begun.truth, begun.stream("noise"), bundle_of=begun.bundle_of
    )
    places = [RULES["borda"].aggregate(each, begun.stream("rule borda")).places for each in (honest, team.profile)]
    gains = [int(places[0][g] - places[1][g]) for g in range(100) if team.role[g] == "team"]
    found = measure(RUN)
    assert set(found) == {"borda", "plackett-luce"}
    assert found["borda"] == pytest.approx(sum(gains) / 10)


def test_a_team_gains_under_borda():
    gained = [measure(Run("test", CELL, number, seed=0))["borda"] for number in range(5)]
    assert np.mean(gained) > 1


def test_the_study_sets_every_rule_against_the_team_of_the_robustness_study():
    made = study("collusion")
    assert [(cell.n, cell.k) for cell in made.cells] == [(1000, 5), (1000, 8), (1000, 12)]
    assert {cell.noise for cell in made.cells} == {"thurstone:sigma=0.3,team=0.05"}
    assert made.cells[0].rules == tuple(RULES.names)
    assert made.runs == 20


def test_runs_become_rows():
    made = study("collusion")
    results = {cell: [dict.fromkeys(cell.rules, 2.0), dict.fromkeys(cell.rules, 4.0)] for cell in made.cells}
    rows = made.rows(results)
    assert len(rows) == 3 * len(RULES.names)
    assert rows[0] == {"k": 5, "rule": RULES.names[0], "gained": 3.0, "stderr": 1.0, "runs": 2}
    assert tuple(rows[0]) == made.columns


@pytest.mark.processes
def test_a_small_one_is_the_same_on_any_number_of_workers():
    from dataclasses import replace

    made = replace(study("collusion"), cells=(CELL,))
    one, two = (run_studies([made], runs=2, workers=workers) for workers in (1, 2))
    assert one == two
