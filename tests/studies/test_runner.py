import math
from dataclasses import replace

import pytest

from peerorder.core.errors import InputError
from peerorder.studies import Cell, Journal, Study, run_studies, summary
from peerorder.studies.runner import Table, perform as really_perform

CELLS = (
    Cell("random", 30, 3, "perfect", ("borda", "rsd")),
    Cell("random", 30, 4, "condorcet:level=40", ("borda",)),
)


def a_study(name="test", runs=3):
    return Study(name, "a small one", CELLS, runs, ("k",), lambda results: [{"k": cell.k} for cell in results])


def test_every_cell_is_run_as_often_as_planned():
    results = run_studies([a_study()], workers=1)
    assert [len(runs) for runs in results["test"].values()] == [3, 3]
    assert list(results["test"]) == list(CELLS)


@pytest.mark.processes
def test_results_do_not_depend_on_the_number_of_workers():
    assert run_studies([a_study()], workers=1) == run_studies([a_study()], workers=2)


def test_cheap_cells_can_be_run_more_often():
    made = replace(a_study(runs=2), times=lambda cell: 3 if cell.k == 4 else 1)
    results = run_studies([made], workers=1)["test"]
    assert [len(runs) for runs in results.values()] == [2, 6]
    usual = run_studies([a_study(runs=2)], workers=1)["test"]
    assert {cell: runs[:2] for cell, runs in results.items()} == usual
    assert len(made.planned(0, 1)) == 4


def test_runs_may_be_overridden_and_the_first_ones_stay_the_same():
    few = run_studies([a_study()], runs=1, workers=1)["test"]
    many = run_studies([a_study()], runs=4, workers=1)["test"]
    assert {cell: runs[:1] for cell, runs in many.items()} == few


@pytest.mark.parametrize("runs", [0, -3])
def test_fewer_than_one_run_is_bad_input(runs):
    with pytest.raises(InputError, match="at least 1"):
        run_studies([a_study()], runs=runs, workers=1)


def test_progress_counts_from_what_is_there_to_everything():
    seen = []
    run_studies([a_study(), a_study("second")], workers=1, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 12) for done in range(13)]


def test_an_interrupt_keeps_what_is_done_and_a_rerun_goes_on(tmp_path, monkeypatch):
    done = []

    def interrupted(run):
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(run)
        return really_perform(run)

    monkeypatch.setattr("peerorder.studies.runner.perform", interrupted)
    journal = Journal(tmp_path, {"seed": 0})
    with pytest.raises(KeyboardInterrupt):
        run_studies([a_study()], workers=1, journals={"test": journal})
    journal.close()

    def counted(run):
        done.append(run)
        return really_perform(run)

    monkeypatch.setattr("peerorder.studies.runner.perform", counted)
    journal = Journal(tmp_path, {"seed": 0})
    progress = []
    results = run_studies(
        [a_study()], workers=1, journals={"test": journal}, progress=lambda *now: progress.append(now)
    )
    journal.discard()
    assert progress[0] == (4, 6)
    assert len(done) == 6
    assert len(set(done)) == 6
    monkeypatch.undo()
    assert results == run_studies([a_study()], workers=1)


def counted(run):
    return {"number": float(run.number), "k": float(run.cell.k)}


def test_a_study_may_measure_something_else_beside_one_that_does_not():
    other = replace(a_study("other"), measure=counted)
    seen = []
    both = run_studies([a_study(), other], workers=1, progress=lambda done, total: seen.append((done, total)))
    assert both["other"] == {cell: [{"number": float(t), "k": float(cell.k)} for t in range(3)] for cell in CELLS}
    assert both["test"] == run_studies([a_study()], workers=1)["test"]
    assert seen == [(done, 12) for done in range(13)]


def test_a_study_may_have_more_tables_of_the_same_results():
    more = Table("more", ("runs",), lambda results: [{"runs": len(runs)} for runs in results.values()])
    own, beside = replace(a_study(), beside=(more,)).tables
    assert (own.name, own.columns) == ("test", ("k",))
    results = run_studies([a_study()], workers=1)["test"]
    assert own.rows(results) == [{"k": 3}, {"k": 4}]
    assert beside.rows(results) == [{"runs": 3}, {"runs": 3}]


def test_summary_is_mean_and_standard_error():
    runs = [{"borda": value} for value in (90.0, 91.0, 95.0)]
    result = summary(runs, "borda")
    assert result["recovered"] == 92.0
    assert math.isclose(result["stderr"], round((7 / 3) ** 0.5, 3))
    assert result["runs"] == 3


def test_one_run_has_no_standard_error():
    assert summary([{"borda": 90.0}], "borda") == {"recovered": 90.0, "stderr": None, "runs": 1}
