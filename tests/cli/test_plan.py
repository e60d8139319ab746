import csv
import json

import pytest


def test_it_works(peerorder):
    result = peerorder("plan", "-n", 300, "--dropout", 20)
    assert result.code == 0
    assert "300 papers, 20% of whose graders submit no ranking, average graders (noise level 30)" in result.out
    assert "Recommended: " in result.out
    assert result.out.count("<--") == 1
    assert result.err == ""


@pytest.mark.parametrize("written", ["20", "20%", "0.2", " 20 % ", "0,2", "20.0"])
def test_a_dropout_may_be_written_in_three_ways(peerorder, written):
    assert json.loads(peerorder("plan", "-n", 100, "-k", 5, "--dropout", written, "--json").out)["dropout"] == 20


def test_from_1_up_a_dropout_is_percent(peerorder):
    told = {
        written: json.loads(peerorder("plan", "-n", 100, "-k", 5, "--dropout", written, "--json").out)["dropout"]
        for written in ("1", "0.99%", "0.5", "0")
    }
    assert told == {"1": 1, "0.99%": 0.99, "0.5": 50, "0": 0}


@pytest.mark.parametrize(
    ("word", "level"), [("careful", 10), ("Average", 30), ("careless", 50), ("25", 25), ("7,5", 7.5)]
)
def test_graders_are_a_word_or_a_noise_level(peerorder, word, level):
    told = json.loads(peerorder("plan", "-n", 100, "-k", 5, "--graders", word, "--json").out)
    assert told["noise"] == level


def test_better_graders_need_fewer_papers(peerorder):
    ks = [
        json.loads(peerorder("plan", "-n", 300, "--graders", word, "--json").out)["recommended"]["k"]
        for word in ("careful", "average", "careless")
    ]
    assert ks == sorted(ks)
    assert ks[0] < ks[-1]


def test_json_has_both_rules_and_the_law(peerorder):
    told = json.loads(peerorder("plan", "-n", 1000, "-k", 8, "-k", 5, "--graders", 0, "--minutes", 10, "--json").out)
    five, eight = told["choices"]
    assert (five["k"], eight["k"]) == (5, 8)
    assert eight["minutes"] == 80
    assert eight["law"] == 94.12
    assert eight["borda_recovered"] == pytest.approx(94.12, abs=0.4)
    assert eight["recovered"] > eight["borda_recovered"]
    assert eight["places_off"] == pytest.approx(10 * eight["share_off"], abs=0.06)
    assert eight["source"] == "cache"


def test_a_table_and_a_figure_are_written(peerorder, tmp_path):
    out = tmp_path / "new" / "plan"
    result = peerorder("plan", "-n", 300, "-k", 4, "-k", 6, "-k", 8, "--out", out)
    assert result.code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "plan.csv",
        "plan.csv.provenance.json",
        "plan.png",
        "plan.svg",
    ]
    with (out / "plan.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["k"] for row in rows] == ["4", "6", "8"]
    assert [row["recommended"] for row in rows].count("yes") == 1
    about = json.loads((out / "plan.csv.provenance.json").read_text())
    assert about["command"] == "plan"
    assert about["n"] == 300


def test_a_small_class_is_simulated_and_says_so(peerorder):
    result = peerorder("plan", "-n", 5, "--runs", 2, "--workers", 1)
    assert result.code == 0
    assert "these numbers were simulated for this class" in result.out


def test_a_class_of_100_000_and_a_dropout_of_90_percent_are_answered(peerorder):
    assert "100,000 papers" in peerorder("plan", "-n", 100_000).out
    result = peerorder("plan", "-n", 1000, "--dropout", "90%")
    assert result.code == 0
    assert "add --simulate to run new ones" in result.out
    assert "posterior" not in result.out.replace("--rule posterior", "")


def test_bad_input_is_refused(refused, tmp_path):
    assert "Missing option '-n'" in refused("plan")
    assert "plan takes no file, such as roster.csv; write -n 40 for 40 papers" in refused("plan", "roster.csv")
    assert "only 4 papers by others" in refused("plan", "-n", 5, "-k", 5)
    assert "--dropout is 'some'" in refused("plan", "-n", 50, "--dropout", "some")
    assert "between 0 and 95%" in refused("plan", "-n", 50, "--dropout", 100)
    assert "--dropout is -5%" in refused("plan", "-n", 50, "--dropout", "-5")
    assert "--graders is 'good'" in refused("plan", "-n", 50, "--graders", "good")
    assert "from 0 to 50" in refused("plan", "-n", 50, "--graders", 80)
    assert "--minutes is nan" in refused("plan", "-n", 50, "--minutes", "nan")
    taken = tmp_path / "taken"
    taken.write_text("")
    assert "is a file" in refused("plan", "-n", 50, "--out", taken)
