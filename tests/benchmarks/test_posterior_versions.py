"""Two versions of ``posterior`` are compared on the same classes, run by run, and what is done is kept."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import peerorder
from benchmarks.posterior_versions import Comparison, main
from peerorder.studies import Run, calibration, collusion, perform, study

SOURCE = Path(peerorder.__file__).parents[1]


def compare(out, *options, after=SOURCE):
    result = CliRunner().invoke(
        main, [*map(str, ("--before", SOURCE, "--after", after, "--out", out, "--workers", 1, *options))]
    )
    lines = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    return result, lines


def test_differences_are_paired():
    found = Comparison("robustness", "a cell", [90.0, 80.0, 70.0], [89.8, 79.7, 69.9])
    mean, stderr = found.difference
    assert mean == pytest.approx(-0.2)
    assert stderr == pytest.approx(0.1 / 3**0.5)
    assert found.kept
    assert not Comparison("robustness", "a cell", [90.0, 80.0, 70.0], [89.7, 79.6, 69.8]).kept
    assert Comparison("robustness", "a cell", [90.0], [89.95]).kept
    assert not Comparison("robustness", "a cell", [90.0], [89.85]).kept


@pytest.mark.parametrize(("inside", "kept"), [(87.9, False), (88.1, True), (94.9, True), (95.1, False)])
def test_intervals_are_held_to_a_range(inside, kept):
    assert Comparison("calibration", "a cell", [90.0, 90.0], [inside, inside]).kept == kept


@pytest.mark.parametrize(("gained", "kept"), [(1.0, True), (3.0, False), (-4.0, True)])
def test_a_team_may_not_gain_more(gained, kept):
    assert Comparison("collusion", "a cell", [1.0, 2.0], [gained, gained + 1.0]).kept == kept


@pytest.mark.processes
def test_one_version_beside_itself_differs_nowhere_and_gives_the_numbers_of_the_study(tmp_path):
    out = tmp_path / "out.jsonl"
    cells = [cell for cell in study("robustness").cells if cell.graders and cell.noise.startswith("thurstone:")]
    result, lines = compare(out, "--cells", "graders=20 thurstone:", "--runs", 1)
    assert result.exit_code == 0, result.output
    table = [line.split() for line in result.output.splitlines() if "graders=20" in line]
    assert len(table) == len(cells) == 3
    assert {(row[2], row[3], row[4], row[5]) for row in table} == {("+0.000", "0.000", "10", "yes")}
    assert len({row[0] for row in table}) > 1
    assert "kept in 3 of 3 cells" in result.output
    assert len(lines) == 2 * 10 * len(cells)
    for cell in cells:
        of_cell = {line["run"]: line["value"] for line in lines if (line["cell"], line["side"]) == (cell.key, "after")}
        assert of_cell[3] == perform(Run("robustness", cell, 3, 0))["posterior"]
    # Nothing is computed twice, and what is lost is computed again.
    kept = out.read_text().splitlines(keepends=True)
    again, _lines = compare(out, "--cells", "graders=20 thurstone:", "--runs", 1)
    assert again.output.endswith(result.output[result.output.index("robustness:") :])
    assert out.read_text() == "".join(kept)
    out.write_text("".join(kept[:-3]))
    compare(out, "--cells", "graders=20 thurstone:", "--runs", 1)
    assert sorted(out.read_text().splitlines(keepends=True)) == sorted(kept)


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize(
    ("name", "cells", "measure"),
    [
        ("calibration", "n=200 k=5 perfect", lambda run: calibration.measure(run)["inside"]),
        ("collusion", "k=5 ", lambda run: collusion.measure(run)["posterior"]),
    ],
)
def test_other_studies_measure_what_they_measure(name, cells, measure, tmp_path):
    result, lines = compare(tmp_path / "out.jsonl", "--study", name, "--cells", cells, "--runs", 1)
    assert result.exit_code == 0, result.output
    (cell,) = [cell for cell in study(name).cells if cells in cell.key]
    assert [line["value"] for line in lines] == [measure(Run(name, cell, 0, 0))] * 2


def test_a_folder_without_peerorder_is_said(tmp_path):
    result, _lines = compare(tmp_path / "out.jsonl", "--cells", "graders=20", "--runs", 1, after=tmp_path)
    assert result.exit_code == 1
    assert f"{tmp_path} has no peerorder" in result.output
