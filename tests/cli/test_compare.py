import csv
import json
from types import SimpleNamespace

import numpy as np
import pytest

from peerorder.cli.compare import _advice
from peerorder.core import child
from peerorder.noise import NOISES
from peerorder.rules import RULES
from peerorder.schemes import SCHEMES, hand_out
from peerorder.studies.rule_comparison import Prediction

LETTERS = "bands:A=50,B=50"
QUICK = ("--rule", "borda", "--rule", "copeland", "--rule", "mc2", "--splits", 2, "--workers", 1)


@pytest.fixture
def rankings(tmp_path):
    """Rankings of 24 students of each other's papers, as a file."""
    rng = child(0, "compare")
    bundles = SCHEMES["random"].build(24, 5, rng)
    handed = hand_out(bundles, np.arange(24), rng)
    profile = NOISES.parse("condorcet:level=30").draw(bundles, rng.permutation(24), rng, bundle_of=handed)
    lines = ["grader,paper,rank"]
    for ballot in range(len(profile)):
        lines += [f"s{profile.grader[ballot]:02},s{paper:02},{at}" for at, paper in enumerate(profile[ballot], 1)]
    path = tmp_path / "rankings.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_it_works(peerorder, rankings):
    result = peerorder("compare", rankings, *QUICK)
    assert result.code == 0
    assert "Pairs of papers in the same order" in result.out
    assert "Papers on which the rules disagree most" in result.out
    assert "(48 pairs in 2 splits)" in result.out
    assert result.err == ""


@pytest.mark.parametrize(
    ("command", "of", "places"),
    [
        (("compare", "--rule", "borda", "--workers", 1), "papers", ("paper", "borda")),
        (("anchors", "--rule", "borda", "-n", 24), "anchors", ("paper", "place")),
    ],
)
def test_excluded_ballots_do_not_count_and_decided_marks_do_not_matter(peerorder, rankings, command, of, places):
    """Both merge what ``grade`` merges."""
    decided = rankings.with_name("overrides.csv")
    decided.write_text("student,decision,value,reason\ns03,exclude,,unfair\ns04,mark,A,oral exam\n")
    said = json.loads(peerorder(command[0], rankings, *command[1:], "--overrides", decided, "--json").out)
    assert said["notes"] == ["staff excluded the ballots of s03 (unfair)"]
    out = ("--out", rankings.with_name("grades.csv"), "--json")
    graded = peerorder("grade", rankings, "--rule", "borda", "--overrides", decided, "--marks", LETTERS, *out)
    wanted = {row["paper"]: row["place"] for row in json.loads(graded.out)["papers"]}
    assert {row[places[0]]: row[places[1]] for row in said[of]} == wanted


def test_what_within_the_error_means_stands_below(peerorder, rankings):
    result = peerorder("compare", rankings, *QUICK)
    assert "Within the margin of error: no further behind the best than twice the number after the ±." in result.out


@pytest.mark.parametrize(
    ("behind", "said"),
    [
        (0.5, "`posterior`, the default of `peerorder grade`, is among the best: there is no reason to change."),
        (5.0, "`peerorder grade --rule borda` uses it."),
    ],
)
def test_the_verdict_comes_with_what_to_do(behind, said):
    predictions = (Prediction("borda", 80.0, 1.0, 0.0, 0.0), Prediction("posterior", 80.0 - behind, 1.0, behind, 1.0))
    found = SimpleNamespace(predictions=predictions, rules=("borda", "posterior"))
    assert _advice(found).startswith(said)
    assert _advice(SimpleNamespace(predictions=predictions, rules=("borda", "mc2"))) == ""


def test_json_says_all_of_it(peerorder, rankings):
    told = json.loads(peerorder("compare", rankings, *QUICK, "--json").out)
    assert told["rules"] == ["borda", "copeland", "mc2"]
    assert told["left_out"] == []
    assert told["agreement"]["borda"]["mc2"] == told["agreement"]["mc2"]["borda"]
    assert told["agreement"]["mc2"]["mc2"] == 100
    assert len(told["papers"]) == 24
    assert [row["spread"] for row in told["papers"]] == sorted((row["spread"] for row in told["papers"]), reverse=True)
    assert {row["rule"] for row in told["predicted"]} == set(told["rules"])
    assert told["verdict"].count(".") >= 1


def test_tables_and_a_figure_are_written_with_their_provenance(peerorder, rankings, tmp_path):
    out = tmp_path / "out"
    result = peerorder("compare", rankings, *QUICK, "--out", out)
    assert result.code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        "agreement.csv",
        "agreement.csv.provenance.json",
        "compare.png",
        "compare.svg",
        "places.csv",
        "places.csv.provenance.json",
        "predicted.csv",
        "predicted.csv.provenance.json",
    ]
    with (out / "places.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert list(rows[0]) == ["paper", "spread", "borda", "copeland", "mc2"]
    places = [int(row["borda"]) for row in rows]
    assert all(1 + sum(other < place for other in places) == place for place in places)
    about = json.loads((out / "places.csv.provenance.json").read_text())
    assert about["rules"] == ["borda", "copeland", "mc2"]
    assert about["inputs"]["rankings"]["file"] == "rankings.csv"


def test_without_a_rule_every_rule_is_compared(peerorder, rankings):
    told = json.loads(peerorder("compare", rankings, "--splits", 1, "--workers", 1, "--json").out)
    assert told["rules"] == RULES.names


def test_rules_that_would_take_too_long_are_left_out_and_named(peerorder, rankings, monkeypatch):
    monkeypatch.setattr(
        "peerorder.studies.rule_comparison.feasible", lambda papers: (("borda", "mc2"), ("rsd", "kemeny"))
    )
    result = peerorder("compare", rankings, "--splits", 1, "--workers", 1)
    assert result.code == 0
    assert "Not run, because 24 papers would take too long: rsd, kemeny. To run one, name it with --rule." in result.out


def test_one_rule_alone_is_only_checked(peerorder, rankings):
    result = peerorder("compare", rankings, "--rule", "borda", "--splits", 2, "--workers", 1)
    assert "borda predicts" in result.out
    assert "same order" not in result.out


def test_staff_count_as_in_grade(peerorder, rankings, monkeypatch):
    monkeypatch.chdir(rankings.parent)
    graders = [f"s{at:02}" for at in range(24)]
    roles = "".join(f"{grader},{grader},{'staff' if at < 3 else ''}\n" for at, grader in enumerate(graders))
    (rankings.parent / "roster.csv").write_text("student,paper,role\n" + roles)
    orders = {}
    for weight in (1, 9):
        line = ("rankings.csv", "--roster", "roster.csv", "--rule", "mc4", "--seed", 5, "--staff-weight", weight)
        told = json.loads(peerorder("compare", *line, "--rule", "borda", "--splits", 1, "--workers", 1, "--json").out)
        graded = json.loads(peerorder("grade", *line, "--json").out)
        orders[weight] = {row["paper"]: row["place"] for row in graded["papers"]}
        assert {row["paper"]: row["mc4"] for row in told["papers"]} == orders[weight]
        # Whatever it counts for, a pair is predicted once.
        assert told["pairs"] == 24
    assert orders[1] != orders[9]


def test_bad_rows_are_left_out_where_that_is_allowed(peerorder, refused, rankings):
    rankings.write_text(rankings.read_text() + "s01,s02,good\n")
    assert "is not a rank" in refused("compare", rankings, *QUICK)
    result = peerorder("compare", rankings, *QUICK, "--lenient")
    assert result.code == 3
    assert "Skipped: " in result.out


def test_bad_input_is_refused(refused, rankings, tmp_path):
    assert "no rule called" in refused("compare", rankings, "--rule", "bordo")
    assert "splits" in refused("compare", rankings, "--rule", "borda", "--splits", 0)
    assert "nothing.csv" in refused("compare", tmp_path / "nothing.csv")
    assert "is a file" in refused("compare", rankings, "--out", rankings)
    empty = tmp_path / "empty.csv"
    empty.write_text("grader,paper,rank\n")
    refused("compare", empty, *QUICK)
