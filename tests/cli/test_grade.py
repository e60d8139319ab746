import csv
import json

import numpy as np
import pytest

from peerorder.noise import NOISES
from peerorder.schemes import SCHEMES, hand_out


@pytest.fixture
def class_of_40(tmp_path, monkeypatch):
    """A folder with the rankings of 40 students, 5 of them upside down; the true places are in their ids."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(7)
    bundles = SCHEMES["random"].build(40, 8, rng)
    of = hand_out(bundles, np.arange(40), rng)
    profile = NOISES.parse("condorcet:level=10").draw(bundles, np.arange(40), rng, bundle_of=of)
    rows = []
    for b in range(len(profile)):
        grader = int(profile.grader[b])
        ballot = profile[b].tolist()[::-1] if grader % 8 == 3 else profile[b].tolist()
        rows += [(f"s{grader:02d}", f"s{paper:02d}", rank) for rank, paper in enumerate(ballot, 1)]
    text = "grader,paper,rank\n" + "".join(f"{g},{p},{r}\n" for g, p, r in rows)
    (tmp_path / "rankings.csv").write_text(text)
    (tmp_path / "roster.csv").write_text("student\n" + "".join(f"s{i:02d}\n" for i in range(41)))
    return tmp_path


def rows(path):
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_round_is_graded(peerorder, class_of_40):
    result = peerorder("grade", "rankings.csv", "--graders", "graders.csv")
    assert result.code == 0, result.err
    assert "40 papers in order by posterior, from 320 judgements of 40 graders" in result.out
    assert "Written: grades.csv and graders.csv" in result.out
    grades = rows(class_of_40 / "grades.csv")
    assert [row["place"] for row in grades] == [str(place) for place in range(1, 41)]
    assert grades[0]["paper"] in ("s00", "s01", "s02")
    inside = [int(row["low"]) <= int(row["paper"][1:]) + 1 <= int(row["high"]) for row in grades]
    assert np.mean(inside) > 0.8
    flagged = {row["grader"] for row in rows(class_of_40 / "graders.csv") if row["flag"] == "reversed"}
    assert flagged == {"s03", "s11", "s19", "s27", "s35"}
    assert "5 graders ranked upside down, it seems: " in result.out


def test_the_roster_adds_who_did_nothing_and_whom_nobody_read(peerorder, class_of_40):
    result = peerorder("grade", "rankings.csv", "--roster", "roster.csv", "--rule", "borda")
    assert "1 paper was ranked by nobody, so its place is a guess: s40." in result.out
    assert "40 of 41 graders" in result.out
    assert len(rows(class_of_40 / "grades.csv")) == 41


def test_machines_get_everything(peerorder, class_of_40):
    result = peerorder("grade", "rankings.csv", "--json", "--out", "new/g.parquet")
    said = json.loads(result.out)
    assert len(said["papers"]) == len(said["graders"]) == 40
    assert said["provenance"]["settings"]["rule"] == "posterior"
    assert (class_of_40 / "new" / "g.parquet").exists()


def test_the_same_rankings_give_the_same_bytes(peerorder, class_of_40):
    for name in ("a.csv", "b.csv"):
        assert peerorder("grade", "rankings.csv", "--out", name).code == 0
    assert (class_of_40 / "a.csv").read_bytes() == (class_of_40 / "b.csv").read_bytes()
    peerorder("grade", "rankings.csv", "--out", "c.csv", "--seed", 1)
    assert (class_of_40 / "a.csv").read_bytes() != (class_of_40 / "c.csv").read_bytes()


def test_grades_are_verified(peerorder, refused, class_of_40):
    peerorder("grade", "rankings.csv", "--roster", "roster.csv")
    result = peerorder("grade", "--verify", "grades.csv", "rankings.csv", "--roster", "roster.csv")
    assert result.code == 0
    assert result.out.startswith("Equal. grades.csv is what posterior with seed 0 gives for rankings.csv")
    text = (class_of_40 / "grades.csv").read_text()
    (class_of_40 / "grades.csv").write_text(text.replace("s00", "s99"))
    assert "is not what these rankings give: row" in refused("grade", "rankings.csv", "--verify", "grades.csv")


def test_nothing_is_written_where_something_is_wrong(peerorder, class_of_40):
    with (class_of_40 / "rankings.csv").open("a") as file:
        file.write("s00,s00,9\ns01,s77,first\n")
    result = peerorder("grade", "rankings.csv", "--roster", "roster.csv")
    assert result.code == 2
    assert "row 322, column paper" in result.err
    assert "row 323, column rank" in result.err
    assert not (class_of_40 / "grades.csv").exists()
    lenient = peerorder("grade", "rankings.csv", "--roster", "roster.csv", "--lenient")
    assert lenient.code == 0
    assert "Left out: rankings.csv, row 322" in lenient.out


def test_outputs_must_be_files_of_their_own(refused, class_of_40):
    assert "both" in refused("grade", "rankings.csv", "--out", "x.csv", "--graders", "x.csv")
    assert "directory" in refused("grade", "rankings.csv", "--out", ".")


def test_a_file_that_is_not_there(refused, class_of_40):
    assert "no such file" in refused("grade", "nothing.csv")
