import json
import re

import pytest

from peerorder.cli import options
from peerorder.rules import RULES


def test_it_works(peerorder):
    result = peerorder("demo")
    assert result.code == 0
    text = " ".join(result.out.split())
    assert "All papers are linked by comparisons, and no pair of papers shares two graders." in text
    assert "an average student is right 85% of the time; 20 rank at random and 10 rank upside down." in text
    assert re.search(r"[\d.]+% of all pairs of papers are in the right order \(Borda: [\d.]+%\)", text)
    assert re.search(r"The 90% intervals contain the true place of 1[789]\d of 200 papers", text)
    assert re.search(r"Flagged: 1\d seem to rank upside down, \d+ seem to rank at random", text)
    assert "│ reversed │" in result.out
    assert result.out.count("\u2502") > 16


def test_json_holds_the_whole_order(peerorder):
    options = ("-n", 57, "-k", 8, "--scheme", "planes", "--noise", "perfect", "--rule", "borda", "--json")
    result = json.loads(peerorder("demo", *options).out)
    assert [row["place"] for row in result["order"]] == list(range(1, 58))
    assert [row["true_place"] for row in result["order"]] == list(range(1, 58))
    assert result["recovered"] == 100
    assert result["mean_error"] == result["worst_error"] == 0
    assert result["recovered_by_borda"] == 100
    assert result["provenance"]["rule"] == "borda"
    assert "graders" not in result


def test_json_holds_what_the_default_rule_knows(peerorder):
    result = json.loads(peerorder("demo", "-n", 80, "-k", 5, "--json").out)
    assert result["provenance"]["rule"] == next(iter(RULES)) == options.RULE
    assert all(1 <= row["low"] <= row["high"] <= 80 for row in result["order"])
    assert [row["grader"] for row in result["graders"]] == list(range(80))
    assert all(0 <= row["low"] <= row["reliability"] <= row["high"] <= 1 for row in result["graders"])
    assert {row["flag"] for row in result["graders"]} <= {"", "random", "reversed"}


def test_a_rule_without_intervals_shows_none(peerorder):
    text = peerorder("demo", "-n", 40, "-k", 4, "--rule", "borda").out
    assert "interval" not in text
    assert "Flagged" not in text
    assert "(Borda" not in text


def test_students_who_hand_in_nothing(peerorder):
    text = peerorder("demo", "-n", 40, "-k", 4, "--rule", "borda", "--noise", "perfect:missing=1").out
    assert "Student 000 submits nothing." in text
    assert "0 ballots" in text


def test_the_seed_decides_everything(peerorder):
    small = ("demo", "-n", 60, "-k", 5, "--seed")
    assert peerorder(*small, 4).out == peerorder(*small, 4).out
    assert peerorder(*small, 4).out != peerorder(*small, 5).out


@pytest.mark.parametrize(("n", "k", "words"), [(4, 8, "only 3 by others"), (20, 8, "at least 69 papers")])
def test_a_class_that_is_too_small(refused, n, k, words):
    assert words in refused("demo", "-n", n, "-k", k, "--scheme", "girth6")


def test_a_small_class_by_another_scheme(peerorder):
    assert "(scheme random)" in peerorder("demo", "-n", 20).out
    result = peerorder("demo", "-n", 3, "-k", 2, "--scheme", "random", "--noise", "perfect")
    assert result.code == 0
    lines = [line for line in result.out.splitlines() if "\u2502" in line and "place" in line[:14]]
    # The first and the last place are at the very ends of the plot.
    assert [line.rstrip()[-1] != "\u2502" for line in lines if line.startswith(" ")] == [True, True]


def test_groups_that_do_not_meet_are_counted(peerorder):
    text = " ".join(peerorder("demo", "-n", 32, "-k", 8, "--scheme", "complete").out.split())
    assert "There are 4 separate groups." in text


def test_a_class_to_rehearse_with(peerorder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert peerorder("demo", "--files", "class", "-n", 6).code == 0
    students = (tmp_path / "class" / "roster.csv").read_text().splitlines()
    assert students[0] == "student,name,email"
    assert len(students) == 7
    (tmp_path / "handout.csv").write_text("grader,paper\ns1,s2\ns1,s3\ns2,s1\ns2,s4\n")
    result = peerorder("demo", "--answer", "handout.csv", "--roster", "class/roster.csv", "--noise", "perfect")
    assert "from 2 of 2 graders" in result.out
    rows = [row.split(",") for row in (tmp_path / "rankings.csv").read_text().splitlines()]
    assert [row[:2] for row in rows[1:]] == [["s1", "s2"], ["s1", "s3"], ["s2", "s1"], ["s2", "s4"]]
    assert sorted(row[2] for row in rows[1:]) == ["1", "1", "2", "2"]


def test_what_is_simulated_never_replaces_what_is_there(peerorder, refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text("student\nann\n")
    assert "roster.csv already exists, and may be real" in refused("demo", "--files", ".", "-n", 6)
    assert [path.name for path in tmp_path.iterdir()] == ["roster.csv"]
    assert (tmp_path / "roster.csv").read_text() == "student\nann\n"
    (tmp_path / "handout.csv").write_text("grader,paper\na,b\na,c\nb,a\nb,c\n")
    for _ in range(2):
        assert peerorder("demo", "--answer", "handout.csv", "--seed", 1).code == 0  # the same again is no loss
    (tmp_path / "rankings.csv").write_text("grader,paper,rank\n")
    assert "rankings.csv already exists" in refused("demo", "--answer", "handout.csv", "--seed", 1)
