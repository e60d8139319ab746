from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from peerorder.core import RuleResult
from peerorder.core.errors import InputError
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.studies import Cell, Run, calibration, run_studies, study
from peerorder.studies.calibration import SCENARIOS, measure
from peerorder.studies.experiment import begin
from tests.sizes import sized

N, K = 40, 5
CELL = Cell("random", N, K, "thurstone:sigma=1,random=0.25,reversed=0.1,team=0.05", ("posterior",))
RUN = Run("test", CELL, 0, seed=0)


def drawn(run=RUN):
    begun = begin(run)
    noise = NOISES.parse(run.cell.noise)
    return begun, noise.draw_class(begun.bundles, begun.truth, begun.stream("noise"), bundle_of=begun.bundle_of)


def told(monkeypatch, findings):
    """Let the rule say these things, whatever the ballots."""
    rule = SimpleNamespace(aggregate=lambda profile, rng: SimpleNamespace(result=findings))
    monkeypatch.setattr(calibration, "RULES", SimpleNamespace(parse=lambda spec: rule))
    return measure(RUN)


def findings(begun, **changes):
    """A rule that knows everything: every interval is the true place and its two neighbours."""
    place = begun.truth + 1
    usual = {
        "scores": -place,
        "intervals": np.stack([place - 1, place + 1], axis=1),
        "reliability": np.full(N, 0.5),
        "reliability_intervals": np.tile([0.0, 1.0], (N, 1)),
        "flags": ("",) * N,
    }
    return RuleResult(**{**usual, **changes})


def test_the_truth_is_inside_up_to_the_ends_of_an_interval(monkeypatch):
    begun, _ = drawn()
    place = begun.truth + 1
    assert told(monkeypatch, findings(begun))["inside"] == 100
    shift = np.repeat([0, 1, 2, -1], 10)  # at the low end, the middle, beyond it, at the high end
    ends = np.stack([place + shift - 1, place + shift + 1], axis=1)
    found = told(monkeypatch, findings(begun, intervals=ends))
    assert found["inside"] == 75
    assert found["width"] == 3


def test_flags_are_counted_by_what_graders_are(monkeypatch):
    begun, truth = drawn()
    assert [(truth.role == role).sum() for role in ("random", "reversed", "team", "")] == [10, 4, 2, 24]
    right = tuple(str(role) if role in ("random", "reversed") else "" for role in truth.role)
    found = told(monkeypatch, findings(begun, flags=right))
    assert {key: value for key, value in found.items() if "flagged" in key} == {
        "random flagged": 10,
        "reversed flagged": 4,
        "honest flagged": 0,
        "good flagged": 0,
    }
    assert [found[f"{sort} graders"] for sort in ("random", "reversed", "honest", "good")] == [10, 4, 24, 24]
    # To be called random is not to be seen through as reversed, and a flag of any kind is wrong for the honest.
    everybody = told(monkeypatch, findings(begun, flags=("random",) * N))
    assert [everybody[f"{sort} flagged"] for sort in ("random", "reversed", "honest", "good")] == [10, 0, 24, 24]


def test_graders_who_are_hardly_better_than_chance_are_not_good():
    begun, truth = drawn(Run("test", Cell("random", N, K, "condorcet:level=50,tied=no", ("posterior",)), 0, seed=0))
    result = measure(begun.run)
    assert result["good graders"] == (truth.reliability >= 0.65).sum() < result["honest graders"] == N


def test_reliabilities_are_added_up_by_bins_of_what_is_stated(monkeypatch):
    begun, truth = drawn()
    stated = np.where(truth.role == "", 0.84, np.where(truth.role == "random", 0.46, 1.0))
    found = told(monkeypatch, findings(begun, reliability=stated))
    assert found["bin 16 graders"] == 24
    assert found["bin 16 stated"] == pytest.approx(24 * 0.84)
    assert found["bin 16 true"] == pytest.approx(24 * 0.75)
    assert found["bin 9 true"] == pytest.approx(10 * 0.5)
    # A team's members have no reliability; what is stated to be 1 belongs to the last bin.
    assert found["bin 19 graders"] == 4
    assert found["known graders"] == 38
    assert not any(key.startswith("bin 20") for key in found)


def test_intervals_of_reliabilities_hold_the_true_one_to_the_nearest_percent(monkeypatch):
    begun, truth = drawn()
    ends = np.where(truth.role == "", 0.754, 0.756)[:, None] * [1.0, 1.1]
    assert told(monkeypatch, findings(begun, reliability_intervals=ends))["known held"] == 24


def test_a_rule_that_gives_no_intervals_is_an_error(monkeypatch):
    begun, _ = drawn()
    with pytest.raises(InputError, match="gives no intervals"):
        told(monkeypatch, findings(begun, intervals=None))
    with pytest.raises(InputError, match="not estimate reliability"):
        told(monkeypatch, findings(begun, reliability=None))


def test_a_run_measures_what_the_rule_says_about_the_class():
    begun, truth = drawn()
    outcome = RULES["posterior"].aggregate(truth.profile, begun.stream("rule posterior"))
    low, high = outcome.result.intervals.T
    found = measure(RUN)
    assert found["inside"] == 100 * np.mean((low <= begun.truth + 1) & (begun.truth + 1 <= high))
    assert found["width"] == np.mean(high - low + 1)
    assert found == measure(RUN)


def result(inside, **others):
    counts = {
        f"{sort} {what}": 0 for sort in ("random", "reversed", "honest", "good") for what in ("graders", "flagged")
    }
    return {"inside": inside, "width": 10.0, "known graders": 100, "known held": 90, **counts, **others}


def test_runs_become_rows():
    cells = [cell for cell in study("calibration").cells if cell.noise == "thurstone:sigma=0.3,reversed=0.1"]
    small, large = (cell for cell in cells if cell.k == 8)
    bins = {"bin 18 graders": 50, "bin 18 stated": 46.0, "bin 18 true": 45.0}
    results = {
        small: [
            result(90.0, **{"reversed graders": 20, "reversed flagged": 10, "honest graders": 180}),
            result(
                92.0, **{"reversed graders": 20, "reversed flagged": 20, "honest graders": 180, "honest flagged": 9}
            ),
        ],
        large: [
            result(89.0, **bins),
            result(89.0, **{"bin 18 graders": 150, "bin 18 stated": 138.0, "bin 18 true": 141.0}),
        ],
    }
    made = study("calibration")
    first, second = made.rows(results)
    assert first == {
        "scenario": "thurstone 0.3, 10% reversed",
        "n": 200,
        "k": 8,
        "inside": 91.0,
        "stderr": 1.0,
        "width": 10.0,
        "reliability_inside": 90.0,
        "flagged_random": None,
        "flagged_reversed": 75.0,
        "flagged_wrongly": 2.5,
        "flagged_good": None,
        "runs": 2,
    }
    assert tuple(first) == made.columns
    assert second["inside"] == 89.0
    (table,) = made.beside
    assert table.name == "reliability"
    (row,) = table.rows(results)
    assert row == {
        "scenario": "thurstone 0.3, 10% reversed",
        "k": 8,
        "bin": 0.9,
        "stated": 0.92,
        "true": 0.93,
        "graders": 200,
    }
    assert tuple(row) == table.columns


def test_the_study_has_every_kind_of_grader_in_the_grid_in_four_classes():
    made = study("calibration")
    assert len(made.cells) == 4 * len(SCENARIOS) == 44
    assert {(cell.n, cell.k) for cell in made.cells} == {(n, k) for n in (200, 1000) for k in (5, 8)}
    assert {cell.rules for cell in made.cells} == {("posterior",)}
    assert made.runs == 10


@pytest.mark.processes
@pytest.mark.slow
@sized("runs", 1, full=2)
def test_small_classes_are_calibrated_and_the_same_on_any_number_of_workers(runs):
    made = study("calibration")
    cells = {Cell("random", 60, 8, cell.noise, cell.rules): cell for cell in made.cells if (cell.n, cell.k) == (200, 8)}
    small = replace(made, cells=tuple(cells))
    one, two = (run_studies([small], runs=runs, workers=workers)["calibration"] for workers in (1, 2))
    assert one == two
    table = made.rows({cells[cell]: runs for cell, runs in one.items()})
    assert len(table) == 11
    # 60 papers a run: of two runs twelve points are more than four standard errors.
    assert all(90 - 12 * np.sqrt(2 / runs) <= row["inside"] <= 100 for row in table)
    assert all(0 <= row["true"] <= 1 for row in made.beside[0].rows({cells[c]: runs for c, runs in one.items()}))
