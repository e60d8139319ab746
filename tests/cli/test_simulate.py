import csv
import json

import pytest

SMALL = ("-n", 40, "-k", 4, "--runs", 3, "--workers", 1)


def test_it_works(peerorder):
    result = peerorder("simulate", *SMALL, "--rule", "borda", "--rule", "rsd")
    assert result.code == 0
    assert "borda" in result.out
    assert "large-n law" in result.out
    assert "scheme random, n 40, k 4, noise perfect" in result.out


def test_every_combination_is_run(peerorder):
    options = ("-n", 30, "-n", 40, "-k", 3, "-k", 4, "--noise", "perfect", "--noise", "condorcet", "--rule", "borda")
    rows = json.loads(peerorder("simulate", *options, "--runs", 1, "--workers", 1, "--json").out)
    assert len(rows) == 8
    assert {(row["n"], row["k"], row["noise"]) for row in rows} == {
        (n, k, noise) for n in (30, 40) for k in (3, 4) for noise in ("perfect", "condorcet")
    }
    assert all(row["stderr"] is None for row in rows)


def test_the_law_stands_beside_borda_on_random_bundles_alone(peerorder):
    options = ("--scheme", "random", "--scheme", "complete", "--rule", "borda", "--rule", "mc4", "--json")
    rows = json.loads(peerorder("simulate", *SMALL, *options).out)
    assert [row["law"] is None for row in rows] == [False, True, True, True]
    assert rows[0]["law"] == pytest.approx(87.59, abs=0.01)


def test_a_table_without_the_law_has_no_column_for_it(peerorder):
    assert "law" not in peerorder("simulate", *SMALL, "--rule", "rsd").out


@pytest.mark.processes
def test_the_same_seed_gives_the_same_file_with_any_number_of_workers(peerorder, tmp_path):
    for workers in (1, 2):
        options = ("--rule", "rsd", "--noise", "condorcet", "--out", tmp_path / f"{workers}.csv")
        assert peerorder("simulate", "-n", 40, "-k", 4, "--runs", 4, "--workers", workers, *options).code == 0
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    other = peerorder("simulate", *SMALL, "--seed", 1, "--rule", "rsd", "--json").out
    assert json.loads(other) != json.loads(peerorder("simulate", *SMALL, "--rule", "rsd", "--json").out)


def test_out_is_a_csv_with_its_provenance(peerorder, tmp_path):
    out = tmp_path / "new" / "runs.csv"
    result = peerorder("simulate", *SMALL, "--out", out)
    assert result.code == 0
    assert "Wrote " in result.out
    with out.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [tuple(row[key] for key in ("scheme", "n", "k", "rule", "runs")) for row in rows] == [
        ("random", "40", "4", rule, "3") for rule in ("posterior", "borda")
    ]
    provenance = json.loads((tmp_path / "new" / "runs.csv.provenance.json").read_text())
    assert provenance["rules"] == ["posterior", "borda"]
    assert provenance["seed"] == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-n", 8, "-k", 8], ["k is 8", "only 7 by others"]),
        (["-k", 0], ["k is 0", "2 or more"]),
        (["-k", 1], ["k is 1", "compares nothing"]),
        (["-k", 7, "--scheme", "planes"], ["k-1 is 6", "k=6 and k=8"]),
        (["-n", 1000, "--scheme", "planes"], ["n=1000", "n=969 and n=1026"]),
        (["-n", 50, "--scheme", "girth6"], ["at least 69 papers"]),
        (["-n", 56, "--scheme", "order-revealing"], ["exactly n=57"]),
        (["--rule", "bordo"], ["bordo", "did you mean borda"]),
        (["--scheme", "girth"], ["girth", "did you mean girth6"]),
        (["--noise", "condorcert"], ["did you mean condorcet"]),
        (["--noise", "condorcet:level=150"], ["level is 150", "from 0 to 100"]),
        (["--noise", "condorcet:strength=1"], ["strength", "level, tied"]),
        (["--rule", "mc4:steps"], ["key=value"]),
        (["--runs", 0], ["--runs is 0", "at least 1"]),
        (["--seed", -1], ["seed is -1"]),
        (["--workers", 0], ["workers is 0"]),
    ],
)
def test_bad_input_is_one_line(refused, options, words):
    line = refused("simulate", *options)
    for word in words:
        assert word in line


def test_an_output_that_is_a_directory(refused, tmp_path):
    assert "is a folder" in refused("simulate", *SMALL, "--out", tmp_path)


def test_an_output_below_a_file(refused, tmp_path):
    (tmp_path / "file").write_text("mine")
    assert "file" in refused("simulate", *SMALL, "--out", tmp_path / "file" / "runs.csv")
    assert (tmp_path / "file").read_text() == "mine"


def test_only_simulations_are_replaced(peerorder, refused, tmp_path):
    out = tmp_path / "runs.csv"
    for _ in range(2):
        assert peerorder("simulate", *SMALL, "--out", out).code == 0
    out.with_name("runs.csv.provenance.json").unlink()
    assert "was not written by simulate" in refused("simulate", *SMALL, "--out", out)
    assert "ends in .csv" in refused("simulate", *SMALL, "--out", tmp_path / "runs.xlsx")


def test_an_interrupt_keeps_finished_runs_and_the_same_command_continues(peerorder, tmp_path, monkeypatch):
    from peerorder.studies import runner

    really, done = runner.perform, []

    def interrupted(run):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(run)
        return really(run)

    command = ("simulate", *SMALL, "--rule", "borda")
    monkeypatch.setattr(runner, "perform", interrupted)
    stopped = peerorder(*command, "--out", tmp_path / "runs.csv")
    assert stopped.code == 3
    assert "2 of 3 runs" in stopped.err
    assert not (tmp_path / "runs.csv").exists()
    monkeypatch.setattr(runner, "perform", lambda run: done.append(run) or really(run))
    assert peerorder(*command, "--out", tmp_path / "runs.csv").code == 0
    assert len(done) == 3
    assert {path.name for path in tmp_path.iterdir()} == {"runs.csv", "runs.csv.provenance.json"}
    peerorder(*command, "--out", tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "runs.csv").read_bytes()


def test_merged_shards_are_the_same_files_as_one_run(peerorder, refused, tmp_path):
    command = ("simulate", *SMALL, "-k", 5, "--rule", "borda", "--rule", "rsd", "--out")
    assert peerorder(*command, tmp_path / "one" / "runs.csv").code == 0
    out = tmp_path / "parts" / "runs.csv"
    for number in (1, 2, 4):
        result = peerorder(*command, out, "--shard", f"{number}/4", "--json")
        assert json.loads(result.out)["journals"] == [str(out.with_name(f"runs-shard-{number}-of-4.jsonl"))]
    assert "3/4" in refused(*command, out, "--merge-shards")
    assert "seed is 0" in refused(*command, out, "--merge-shards", "--seed", 1)
    assert peerorder(*command, out, "--shard", "3/4").code == 0
    assert peerorder(*command, out, "--merge-shards").code == 0
    one, parts = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "parts"))
    assert one == parts


def test_what_does_not_go_together(refused, tmp_path):
    assert "--out" in refused("simulate", *SMALL, "--shard", "1/4")
    assert "--out" in refused("simulate", *SMALL, "--merge-shards")
    assert "one of these" in refused("simulate", *SMALL, "--out", "x.csv", "--shard", "1/4", "--merge-shards")
    assert "3/40" in refused("simulate", *SMALL, "--out", tmp_path / "x.csv", "--shard", "5/4")
    assert "--engine dask" in refused("simulate", *SMALL, "--scheduler", "tcp://127.0.0.1:8786")
    assert "did you mean dask" in refused("simulate", *SMALL, "--engine", "desk")
    assert list(tmp_path.iterdir()) == []
