"""Collusion: how many places a team gains by putting its own papers first, under every rule.

The same class is graded twice: once with the team, and once with its members ranking honestly. Bundles,
truth, everybody else's ballots and the rules' own randomness are the same, so the difference is the
effect of the team.
"""

from functools import cache

import numpy as np

from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.studies.experiment import Cell, Run, begin
from peerorder.studies.runner import Results, Row, Study, average
from peerorder.studies.scenarios import SCENARIOS

__all__ = ["collusion", "measure"]

SCENARIO = "thurstone 0.3, a team of 5%"
N = 1000
BUNDLES = (5, 8, 12)
RUNS = 20


def measure(run: Run) -> dict[str, float]:
    """Return the places that the papers of a team gain on average, under every rule of the cell."""
    simulated = begin(run)
    noise = NOISES.parse(run.cell.noise)
    # Graders are drawn before a crowd is, so the same stream gives the same honest ballots.
    team = noise.draw_class(
        simulated.bundles, simulated.truth, simulated.stream("noise"), bundle_of=simulated.bundle_of
    )
    honest = noise.with_options(team=0).draw(
        simulated.bundles, simulated.truth, simulated.stream("noise"), bundle_of=simulated.bundle_of
    )
    papers = team.profile.authored[team.role == "team"]
    gained = {}
    for rule in run.cell.rules:
        without, with_team = (
            RULES.parse(rule).aggregate(profile, simulated.stream(f"rule {rule}")).places
            for profile in (honest, team.profile)
        )
        gained[rule] = float(np.mean(without[papers] - with_team[papers]))
    return gained


@cache
def collusion() -> Study:
    """Return the study: every rule in the registry against a team of one student in twenty."""
    rules = tuple(RULES.names)
    cells = tuple(Cell("random", N, k, SCENARIOS[SCENARIO], rules) for k in BUNDLES)

    def rows(results: Results) -> list[Row]:
        table = []
        for cell, runs in results.items():
            for rule in cell.rules:
                gained, stderr = average([run[rule] for run in runs])
                table.append({"k": cell.k, "rule": rule, "gained": gained, "stderr": stderr, "runs": len(runs)})
        return table

    columns = ("k", "rule", "gained", "stderr", "runs")
    return Study("collusion", "Collusion: what a team gains under every rule", cells, RUNS, columns, rows, measure)
