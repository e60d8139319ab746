import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from peerorder.studies import Cell, catalogue


@pytest.fixture
def small(monkeypatch):
    """The paper's studies at a size for tests: the same rows, smaller classes."""

    def shrunk(name):
        made = real(name)
        cells = {Cell("random", 60, min(cell.k, 12), cell.noise, cell.rules): cell for cell in made.cells}
        if name in ("robustness", "calibration"):
            cells = dict(list(cells.items())[-2:])

        def rows(results):
            return made.rows({cells[cell]: runs for cell, runs in results.items()})

        def beside(table):
            return replace(table, rows=lambda results: table.rows({cells[c]: runs for c, runs in results.items()}))

        return replace(made, cells=tuple(cells), runs=2, rows=rows, beside=tuple(map(beside, made.beside)))

    real = catalogue.study
    monkeypatch.setattr("peerorder.studies.reproduction.study", shrunk)


@pytest.mark.slow
def test_all_studies_leave_tables_figures_and_one_page(peerorder, small, tmp_path):
    result = peerorder("reproduce", "all", "--out", tmp_path / "out", "--workers", 1)
    assert result.code == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    studies = ("table1", "figure2", "table2", "figure3")
    assert {f"{study}.csv" for study in studies} <= names
    assert {f"{study}.csv.provenance.json" for study in studies} <= names
    assert {f"{study}.{kind}" for study in ("figure2", "figure3", "table2") for kind in ("svg", "png")} <= names
    assert "index.html" in names
    assert not any(name.startswith(".") for name in names)
    assert "index.html" in result.out.replace("\n", "")
    assert "Table 1, perfect grading: % recovered (as printed in the article)" in result.out
    assert "(66.8)" in result.out
    assert "(88.3)" in result.out
    header = (tmp_path / "out" / "table1.csv").read_text().splitlines()[0]
    assert header == "k,n,scheme,rule,recovered,stderr,runs,paper"


@pytest.mark.slow
def test_one_study_alone_and_a_second_one_join_on_the_page(peerorder, small, tmp_path):
    assert peerorder("reproduce", "figure3", "--out", tmp_path, "--workers", 1).code == 0
    assert peerorder("reproduce", "table2", "--out", tmp_path, "--workers", 1).code == 0
    page = (tmp_path / "index.html").read_text()
    assert "Figure 3" in page
    assert "Table 2" in page
    assert "Figure 2" not in page


@pytest.mark.processes
def test_the_same_seed_gives_byte_identical_csvs_with_one_worker_and_two(peerorder, small, tmp_path):
    for workers in (1, 2):
        assert peerorder("reproduce", "all", "--out", tmp_path / str(workers), "--workers", workers).code == 0
    for name in ("table1", "figure2", "table2", "figure3"):
        one, two = (tmp_path / str(workers) / f"{name}.csv" for workers in (1, 2))
        assert one.read_bytes() == two.read_bytes()


def test_one_study_does_not_touch_the_unfinished_runs_of_another(peerorder, small, tmp_path, monkeypatch):
    from peerorder.studies import runner

    really, done = runner.perform, []

    def interrupted(run):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(run)
        return really(run)

    monkeypatch.setattr(runner, "perform", interrupted)
    assert peerorder("reproduce", "table2", "--out", tmp_path, "--workers", 1).code == 3
    monkeypatch.setattr(runner, "perform", really)
    assert peerorder("reproduce", "figure3", "--out", tmp_path, "--workers", 1).code == 0
    (journal,) = tmp_path.glob(".unfinished-*.jsonl")
    assert len(journal.read_text().splitlines()) == 1 + 3


def test_json(peerorder, small, tmp_path):
    result = json.loads(peerorder("reproduce", "figure2", "--out", tmp_path, "--workers", 1, "--json").out)
    assert result["page"] == str(tmp_path / "index.html")
    assert set(result["tables"]["figure2"][0]) == {"k", "rule", "recovered", "stderr", "runs"}


def test_an_interrupt_keeps_what_is_done(peerorder, small, tmp_path, monkeypatch):
    from peerorder.studies import runner

    really, done = runner.perform, []

    def interrupted(run):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(run)
        return really(run)

    monkeypatch.setattr(runner, "perform", interrupted)
    result = peerorder("reproduce", "table2", "--out", tmp_path, "--workers", 1)
    assert result.code == 3
    assert "stopped after 5 of 36 runs" in result.err
    assert not (tmp_path / "table2.csv").exists()
    monkeypatch.setattr(runner, "perform", lambda run: done.append(run) or really(run))
    assert peerorder("reproduce", "table2", "--out", tmp_path, "--workers", 1).code == 0
    assert len(done) == 36
    assert (tmp_path / "table2.csv").exists()


def test_merged_shards_are_the_same_tables_as_one_run(peerorder, refused, small, tmp_path, monkeypatch):
    monkeypatch.setattr("peerorder.studies.reproduction._draw", lambda name, rows, out: None)
    command = ("reproduce", "table2", "figure3", "--workers", 1, "--out")
    assert peerorder(*command, tmp_path / "one").code == 0
    for number in range(1, 5):
        result = peerorder(*command, tmp_path / "parts", "--shard", f"{number}/4")
        assert result.code == 0
        assert f"{number}/4" in result.out
    assert {path.name for path in (tmp_path / "parts").iterdir()} == {
        f"{name}-shard-{number}-of-4.jsonl" for name in ("table2", "figure3") for number in range(1, 5)
    }
    assert "runs is 2" in refused(*command, tmp_path / "parts", "--merge-shards", "--runs", 3)
    assert peerorder(*command, tmp_path / "parts", "--merge-shards").code == 0
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names == {path.name for path in (tmp_path / "parts").iterdir()}
    for name in names:
        if name.endswith((".csv", ".json")):
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "parts" / name).read_bytes()


def test_real_has_no_shards(refused, tmp_path):
    assert "no shards" in refused("reproduce", "real", "--data", tmp_path, "--shard", "1/2", "--out", tmp_path / "out")


@pytest.mark.processes
@pytest.mark.slow
def test_ctrl_c_while_the_workers_start(tmp_path):
    command = [sys.executable, "-m", "peerorder", "reproduce", "table2", "--runs", "40", "--workers", "2"]
    with subprocess.Popen(
        [*command, "--out", str(tmp_path)], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        while not list(tmp_path.glob(".unfinished-*.jsonl")):
            assert process.poll() is None
            time.sleep(0.01)
        # To the whole group, as a terminal does it: the workers have only just begun to load.
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)
        error = process.stderr.read()
        assert process.wait() == 3
    assert error.startswith("peerorder: stopped after ")
    assert error.count("\n") == 1, error


@pytest.mark.processes
@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "dask"])
def test_ctrl_c_on_the_real_thing_with_two_workers(tmp_path, engine):
    command = [sys.executable, "-m", "peerorder", "reproduce", "table2", "--runs", "40", "--workers", "2"]
    with subprocess.Popen(
        [*command, "--engine", engine, "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        while not any(len(path.read_text().splitlines()) > 5 for path in tmp_path.glob(".unfinished-*.jsonl")):
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        error = process.stderr.read()
        assert process.wait() == 3
    assert error.startswith("peerorder: stopped after ")
    assert error.count("\n") == 1
    (journal,) = tmp_path.glob(".unfinished-*.jsonl")
    assert len(journal.read_text().splitlines()) > 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["tabel2"], ["tabel2", "did you mean table2"]),
        (["--runs", 0], ["--runs is 0"]),
        (["--seed", -1], ["seed is -1"]),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(refused, tmp_path, options, words):
    line = refused("reproduce", *options, "--out", tmp_path / "out")
    for word in words:
        assert word in line
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_a_file(refused, tmp_path):
    taken = tmp_path / "out"
    taken.write_text("mine")
    assert "is a file" in refused("reproduce", "table1", "--out", taken)
    assert taken.read_text() == "mine"


def test_an_output_that_cannot_be_written(refused, tmp_path):
    (tmp_path / "file").write_text("")
    assert "cannot be written to" in refused("reproduce", "table1", "--out", tmp_path / "file" / "out")


@pytest.mark.slow
def test_robustness_brings_what_a_team_gains(peerorder, small, tmp_path):
    result = peerorder("reproduce", "robustness", "--runs", 1, "--out", tmp_path, "--workers", 1)
    assert result.code == 0
    assert {"robustness.csv", "collusion.csv", "collusion.svg", "collusion.png"} <= {p.name for p in tmp_path.iterdir()}
    assert (tmp_path / "collusion.csv").read_text().startswith("k,rule,gained,stderr,runs\n")
    assert "A team's gain under posterior" in result.out
    page = (tmp_path / "index.html").read_text()
    assert page.index("Robustness: every rule") < page.index("Collusion: what a team gains")


@pytest.mark.processes
def test_calibration_leaves_two_tables_and_two_figures_the_same_for_any_number_of_workers(peerorder, small, tmp_path):
    for workers in (1, 2):
        result = peerorder("reproduce", "calibration", "--out", tmp_path / str(workers), "--workers", workers)
        assert result.code == 0
        assert "90% intervals contain the true place" in result.out
    names = {path.name for path in (tmp_path / "1").iterdir()}
    for name in ("calibration", "reliability"):
        assert {f"{name}.{kind}" for kind in ("csv", "svg", "png", "csv.provenance.json")} <= names
        one, two = (tmp_path / str(workers) / f"{name}.csv" for workers in (1, 2))
        assert one.read_bytes() == two.read_bytes()
    page = (tmp_path / "1" / "index.html").read_text()
    assert 'id="drawing-calibration"' in page
    assert 'id="drawing-reliability"' in page


def sessions(folder):
    folder.mkdir()
    lines = ["judge,candidate_chosen,candidate_not_chosen", *(f"ann,{a},{b}" for a in "ABCDEF" for b in "GHIJKL")]
    (folder / "small.csv").write_text("\n".join(lines) + "\n")
    (folder / "notes.csv").write_text("a,b\n1,2\n")
    return folder


def test_real_judges(peerorder, tmp_path):
    data = sessions(tmp_path / "data")
    result = peerorder("reproduce", "real", "--data", data, "--runs", 1, "--workers", 1, "--out", tmp_path / "out")
    assert result.code == 0
    assert "half: 1 exercise" in result.out
    assert "Held-out comparisons predicted correctly (%)" in result.out
    assert "Log loss of held-out comparisons" in result.out
    assert "notes.csv" in result.out
    assert "Real people" in (tmp_path / "out" / "index.html").read_text()
    options = ("--data", data, "--runs", 1, "--workers", 1, "--out", tmp_path / "out", "--json")
    assert json.loads(peerorder("reproduce", "real", *options).out)["left_out"] == ["notes.csv"]


def test_half_is_for_real_alone(refused, tmp_path):
    assert "--half applies only to the study real" in refused(
        "reproduce", "table1", "--half", "tuning", "--out", tmp_path / "out"
    )
    data, out = sessions(tmp_path / "data"), tmp_path / "out"
    assert "has no exercise" in refused("reproduce", "real", "--data", data, "--half", "held-out", "--out", out)


def test_real_needs_data(refused, tmp_path):
    assert "--data" in refused("reproduce", "real", "--out", tmp_path / "out")
    assert "is not a folder" in refused("reproduce", "real", "--data", tmp_path / "no", "--out", tmp_path / "out")
