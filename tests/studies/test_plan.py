import csv
from importlib.resources import files

import numpy as np
import pytest

from peerorder.core import InputError
from peerorder.studies.experiment import Run
from peerorder.studies.figure_style import svg
from peerorder.studies.plan import Choice, make_plan, measure_one_class, recommend, sizes, sizes_to_simulate
from peerorder.studies.plan_cache import expected, is_covered, shipped
from peerorder.studies.plan_figure import figure_plan
from peerorder.studies.plan_study import COLUMNS, MISSING, NOISE, PAPERS, SIZES, N, cell, law_of_borda, measure, plan
from peerorder.theory import Forecast, borda_forecast


def at(n, k, missing, noise, rule):
    return expected(rule, n, [(k, missing, noise)], [law_of_borda(k, missing, noise)])[0]


# The study.


@pytest.mark.slow
def test_a_run_of_small_classes_is_the_mean_of_them():
    run = Run("plan", cell(100, 4, 20, 30), 1, 0)
    whole = measure(run)
    each = [measure_one_class(Run("plan", run.cell, PAPERS // 100 + number, 0)) for number in range(PAPERS // 100)]
    for key in ("posterior", "borda", "posterior off", "borda off"):
        assert whole[key] == pytest.approx(np.mean([one[key] for one in each]))


def test_the_rows_of_the_study_stand_beside_the_law():
    study = plan()
    first = study.cells[0]
    runs = [{"posterior": 80.0 + r, "borda": 78.0, "posterior off": 10.0, "borda off": 12.0} for r in range(2)]
    posterior, borda = study.rows({first: runs})
    assert tuple(posterior) == COLUMNS
    assert posterior["recovered"] == 80.5
    assert posterior["stderr"] == 0.5
    assert borda["off"] == 12.0
    law = borda_forecast(SIZES[0], noise=NOISE[0] / 100, missing=MISSING[0] / 100)
    assert borda["law"] == pytest.approx(100 * law.pairwise_accuracy, abs=1e-3)
    assert borda["off_law"] == pytest.approx(100 * law.off, abs=1e-3)


# What is shipped.


def test_what_is_shipped_is_the_whole_study():
    rows = shipped()
    assert len(rows) == 2 * len(plan().cells) == 2 * len(N) * len(SIZES) * len(MISSING) * len(NOISE)
    assert tuple(rows[0]) == COLUMNS
    assert {row["runs"] for row in rows} == {plan().runs}
    about = files("peerorder.studies") / "data" / "plan.csv.provenance.json"
    assert '"study": "plan"' in about.read_text("utf-8")


def test_a_row_that_is_shipped_can_be_made_again():
    point = (25, 3, 40, 30)
    (borda,) = [row for row in shipped() if (*point, "borda") == tuple(row[key] for key in (*COLUMNS[:4], "rule"))]
    again = [measure(Run("plan", cell(*point), number, 0)) for number in range(plan().runs)]
    assert borda["recovered"] == pytest.approx(np.mean([run["borda"] for run in again]), abs=1e-3)
    assert borda["off"] == pytest.approx(np.mean([run["borda off"] for run in again]), abs=1e-3)


# Between the points of the grid.


@pytest.mark.parametrize("rule", ["posterior", "borda"])
def test_the_spline_stays_near_the_rows(rule):
    rows = [row for row in shipped() if row["rule"] == rule]
    points = [(row["k"], row["missing"], row["noise"]) for row in rows]
    miss = []
    for n in N:
        here = [at for at, row in enumerate(rows) if row["n"] == n]
        found = expected(rule, n, [points[at] for at in here], [law_of_borda(*points[at]) for at in here])
        miss += [100 * f.pairwise_accuracy - rows[at]["recovered"] for at, f in zip(here, found, strict=True)]
    # A row has a standard error of about half a point, which the spline averages over its neighbours.
    assert np.sqrt(np.mean(np.square(miss))) < 0.75
    assert abs(np.mean(miss)) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k", "missing", "noise"), [(40, 5, 10, 20), (100, 7, 30, 40), (120, 4, 50, 5)])
def test_a_fresh_simulation_finds_what_is_read_between_the_points(n, k, missing, noise):
    runs = [measure(Run("fresh", cell(n, k, missing, noise), number, 7)) for number in range(4)]
    for rule in ("posterior", "borda"):
        found = at(n, k, missing, noise, rule)
        error = 3 * np.std([run[rule] for run in runs], ddof=1) / 2 + 0.6
        assert 100 * found.pairwise_accuracy == pytest.approx(np.mean([run[rule] for run in runs]), abs=error)
        assert 100 * found.off == pytest.approx(np.mean([run[f"{rule} off"] for run in runs]), abs=error)


@pytest.mark.slow
def test_more_is_better_everywhere():
    for n in (30, 300, 5000):
        for missing in (0, 35):
            for noise in (0, 10, 45):
                for rule in ("posterior", "borda"):
                    shares = [at(n, k, missing, noise, rule).pairwise_accuracy for k in range(2, 16)]
                    assert shares == sorted(shares), (n, missing, noise, rule)


def test_in_a_class_without_end_borda_follows_its_law():
    found, law = at(10**7, 8, 20, 30, "borda"), law_of_borda(8, 20, 30)
    assert found.pairwise_accuracy == pytest.approx(law.pairwise_accuracy, abs=1e-4)
    assert at(10**7, 8, 20, 30, "posterior") == at(1000, 8, 20, 30, "posterior")


def test_the_grid_has_no_upper_end_in_n():
    assert is_covered(10**6, 20, 60, 50)
    for outside in ((24, 5, 0, 0), (100, 21, 0, 0), (100, 5, 61, 0), (100, 5, 0, 51)):
        assert not is_covered(*outside)


# The plan.


def test_it_answers_the_question():
    made = make_plan(300, missing=20.0)
    assert [choice.k for choice in made.choices] == list(range(3, 16))
    assert made.recommended.k in range(6, 11)
    assert "95%" in made.recommended.reason
    chosen = next(choice for choice in made.choices if choice.k == made.recommended.k)
    assert chosen.minutes == 15 * chosen.k
    assert chosen.expected["posterior"].pairwise_accuracy > chosen.expected["borda"].pairwise_accuracy
    assert chosen.source == {"posterior": "cache", "borda": "law"}
    assert made.notes == ()


def test_small_classes_are_simulated():
    made = make_plan(6, missing=0.0, runs=3, workers=1)
    assert [choice.k for choice in made.choices] == [3, 4, 5]
    assert {source for choice in made.choices for source in choice.source.values()} == {"simulation"}
    assert "these numbers were simulated for this class" in made.notes
    assert [choice.k for choice in make_plan(3, runs=1, workers=1).choices] == [2]


def test_what_the_shipped_results_lack_is_said_or_simulated():
    made = make_plan(300, (5, 8), missing=80.0)
    assert [set(choice.expected) for choice in made.choices] == [{"borda"}, {"borda"}]
    assert "`simulate`" in made.notes[0]
    assert "by Borda" in made.recommended.reason
    told = []
    made = make_plan(60, (4,), missing=80.0, simulate=True, runs=2, workers=1, progress=lambda *now: told.append(now))
    assert made.choices[0].source == {"posterior": "simulation", "borda": "simulation"}
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert sizes_to_simulate(300, (5,), 20.0, 30.0, simulate=True) == ()


def test_where_nothing_is_known_it_says_what_to_do():
    with pytest.raises(InputError, match="add `simulate`"):
        make_plan(30, (12,), missing=90.0)


def choices(shares, rule="posterior"):
    return [
        Choice(k, 0.0, {rule: Forecast(share / 100, 0.1)}, {rule: "cache"}, Forecast(0.9, 0.1))
        for k, share in shares.items()
    ]


@pytest.mark.parametrize(
    ("shares", "k", "reason"),
    [
        ({3: 80, 4: 90, 5: 95.5, 6: 99}, 5, "smallest number that puts 95%"),
        ({3: 80, 4: 85, 5: 85.5, 6: 86}, 4, "less than a point (0.5)"),
        ({3: 96, 4: 97}, 3, "smallest number that puts 95%"),
        ({3: 60, 4: 70, 5: 80}, 5, "at least one percentage point"),
        ({4: 70, 8: 73.9, 12: 90}, 4, "less than a point (1.0)"),
        ({4: 70, 8: 74.1, 12: 75}, 8, "less than a point (0.2)"),
        ({7: 70}, 7, "no other k was tried"),
    ],
)
def test_the_recommended_k_is_the_first_that_is_good_or_hardly_improved(shares, k, reason):
    found = recommend(choices(shares))
    assert found.k == k
    assert reason in found.reason


def test_the_figure_marks_the_recommended_k():
    made = make_plan(300, missing=20.0)
    figure = figure_plan(made)
    assert f"The recommended k is {made.recommended.k}." in figure.get_label()
    drawn = svg(figure)
    assert f"recommended: {made.recommended.k}" in drawn
    assert drawn == svg(figure)


@pytest.mark.parametrize(
    ("n", "ks", "said"),
    [
        (2, (), "class of 3 or more"),
        (10, (10,), "only 9 papers by others"),
        (10, (1,), "fewer than 2"),
        (1000, (50,), "largest value here is 40"),
    ],
)
def test_impossible_sizes_are_refused(n, ks, said):
    with pytest.raises(InputError, match=said):
        sizes(n, ks)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"missing": 96.0}, "`dropout`"),
        ({"missing": -1.0}, "`dropout`"),
        ({"noise": 51.0}, "`graders`"),
        ({"minutes": 0.0}, "`minutes`"),
        ({"runs": 0}, "`runs`"),
    ],
)
def test_impossible_settings_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        make_plan(100, **options)


def test_the_shipped_table_is_a_plain_csv():
    with (files("peerorder.studies") / "data" / "plan.csv").open(encoding="utf-8") as stream:
        assert tuple(next(csv.reader(stream))) == COLUMNS
