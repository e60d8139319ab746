"""``grade`` with rankings that are streamed, and with work that is shared."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

from peerorder.files.streaming import choice
from peerorder.rules import RULES

STREAMED = [name for name, rule in RULES.items() if rule.merge_partitions is not None]


@pytest.fixture
def rankings(tmp_path, monkeypatch):
    """A folder of Parquet files: 60 students rank 5 papers each; one paper is listed and never judged."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    folder = tmp_path / "rankings"
    folder.mkdir()
    quality = rng.permutation(60)
    for part in range(3):
        rows = []
        for grader in range(20 * part, 20 * part + 20):
            papers = rng.choice(np.setdiff1d(np.arange(60), [grader]), 5, replace=False)
            ranks = np.argsort(np.argsort(quality[papers] + rng.normal(0, 10, 5))) + 1
            rows += zip([grader + 100] * 5, papers + 100, ranks, strict=True)
        grader, paper, rank = zip(*rows, strict=True)
        columns = {"grader": grader, "paper": paper, "rank": pa.array(rank, pa.int64())}
        pq.write_table(pa.table(columns), folder / f"part-{part}.parquet", row_group_size=37)
    nobody = {"grader": [99], "paper": [160], "rank": pa.array([None], pa.int64())}
    pq.write_table(pa.table(nobody), folder / "part-3.parquet")
    return folder


def read(path):
    table = pq.read_table(path) if path.suffix == ".parquet" else arrow_csv.read_csv(path)
    rows = table.to_pylist()
    return {str(row.pop("paper")): row for row in rows}


@pytest.mark.parametrize("rule", STREAMED)
def test_the_grades_are_those_of_the_same_rankings_in_memory(peerorder, rankings, tmp_path, rule):
    line = ("grade", rankings, "--rule", rule, "--marks", "percentile")
    assert peerorder(*line, "--out", "memory.parquet").code == 0
    result = peerorder(*line, "--out", "streamed.parquet", "--engine", "local", "--workers", 1)
    assert result.code == 0, result.err
    expected, found = read(tmp_path / "memory.parquet"), read(tmp_path / "streamed.parquet")
    assert len(found) == 61
    for paper, row in found.items():
        assert row.pop("score") == pytest.approx(expected[paper].pop("score"), rel=1e-6, abs=1e-6)
    assert found == expected
    assert found["160"]["mark"] is None
    assert json.loads((tmp_path / "streamed.parquet.provenance.json").read_text())["streamed"]
    assert {path.name for path in tmp_path.iterdir()} == {
        *("rankings", "memory.parquet", "memory.parquet.provenance.json"),
        *("streamed.parquet", "streamed.parquet.provenance.json"),
    }


def test_graders_are_rated_as_in_memory(peerorder, rankings, tmp_path):
    line = ("grade", rankings, "--rule", "mixture", "--out", "grades.csv", "--graders")
    assert peerorder(*line, "memory.csv").code == 0
    result = peerorder(*line, "streamed.csv", "--engine", "local", "--workers", 1)
    assert result.code == 0, result.err
    expected, found = (
        {row.pop("grader"): row for row in arrow_csv.read_csv(tmp_path / name).to_pylist()}
        for name in ("memory.csv", "streamed.csv")
    )
    assert len(found) == 60
    assert found == {grader: expected[grader] for grader in found}


def test_graders_who_order_nothing_are_not_rated(peerorder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"g{g},p{p},{1 if g == 0 else p + 1}" for g in range(6) for p in range(1 if g == 1 else 4)]
    (tmp_path / "r.csv").write_text("grader,paper,rank\n" + "\n".join(lines) + "\n")
    line = ("grade", "r.csv", "--rule", "mixture", "--graders")
    assert peerorder(*line, "memory.csv").code == 0
    assert peerorder(*line, "streamed.csv", "--engine", "local", "--workers", 1).code == 0
    assert (tmp_path / "memory.csv").read_bytes() == (tmp_path / "streamed.csv").read_bytes()


def test_a_rule_that_does_not_rate_graders_says_so(refused, rankings, tmp_path):
    refused("grade", rankings, "--rule", "borda", "--engine", "local", "--workers", 1, "--graders", "graders.csv")
    assert {path.name for path in tmp_path.iterdir()} == {"rankings"}


def test_large_rankings_are_streamed_unless_an_option_needs_the_whole_round(peerorder, rankings, monkeypatch, tmp_path):
    def is_streamed(*options):
        assert peerorder("grade", rankings, "--rule", "borda", "--workers", 1, *options).code == 0
        return "streamed" in json.loads((tmp_path / "grades.csv.provenance.json").read_text())

    assert not is_streamed()
    monkeypatch.setattr(choice, "ROWS", 300)
    assert is_streamed()
    assert not is_streamed("--report", "report.html")


def test_streamed_grades_can_be_verified(peerorder, rankings, tmp_path):
    for name in ("grades.csv", "grades.parquet"):
        line = ("grade", rankings, "--rule", "borda", "--engine", "local", "--workers", 1, "--out", name)
        assert peerorder(*line).code == 0
        assert peerorder("grade", "--verify", name).code == 0
    table = pq.read_table(tmp_path / "grades.parquet")
    other = table.set_column(2, "score", pa.array([0.5] * len(table)))
    pq.write_table(other, tmp_path / "grades.parquet")
    assert peerorder("grade", "--verify", "grades.parquet").code == 2


def test_json_has_no_row_per_paper(peerorder, rankings):
    result = peerorder("grade", rankings, "--rule", "borda", "--engine", "local", "--workers", 1, "--json")
    summary = json.loads(result.out)
    assert (summary["papers"], summary["graders"]) == (61, 60)


def test_what_cannot_be_streamed_is_refused(refused, rankings, tmp_path):
    (tmp_path / "roster.csv").write_text("student\n100\n")
    refused("grade", rankings, "--rule", "borda", "--engine", "local", "--roster", "roster.csv")
    refused("grade", rankings, "--rule", "rsd", "--engine", "local")
    refused("grade", rankings, "--rule", "borda", "--engine", "nothing")
    refused("grade", rankings, "--rule", "borda", "--engine", "local", "--workers", 0)
    assert not (tmp_path / "grades.csv").exists()


def test_a_bad_file_leaves_nothing_behind(refused, rankings, tmp_path):
    damaged = rankings / "part-1.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    assert "part-1.parquet" in refused("grade", rankings, "--rule", "borda", "--engine", "local", "--workers", 1)
    assert {path.name for path in tmp_path.iterdir()} == {"rankings"}


def test_chains_on_an_engine_change_no_byte(peerorder, rankings, tmp_path):
    assert peerorder("grade", rankings, "--out", "here.csv").code == 0
    assert peerorder("grade", rankings, "--out", "there.csv", "--engine", "local", "--workers", 1).code == 0
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()
