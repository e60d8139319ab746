"""What staff decide about marks and ballots."""

import json
from dataclasses import replace

import numpy as np
import pytest

from peerorder.cli import run
from peerorder.core import InputError
from peerorder.files import FileError
from peerorder.files.rounds import read_round
from peerorder.rounds import GradeSettings, Override, grade

# Everybody says P1 > P2 > P3 > P4, but s4 says the opposite; s4 and s5 are a team, s6 wrote nothing.
ROSTER = "student,paper\ns1,P1\ns2,P2\ns3,P3\ns4,P4\ns5,P4\ns6,\n"
RANKINGS = "grader,paper,rank\n" + "".join(
    f"s{g},P{p},{(4 - rank) if g == 4 else rank}\n"
    for g in range(1, 6)
    for rank, p in enumerate([p for p in range(1, 5) if p != min(g, 4)], 1)
)
BORDA = GradeSettings("borda", marks="percentile")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER)
    (tmp_path / "rankings.csv").write_text(RANKINGS)
    return tmp_path


def read(folder, rows=None, header="student,decision,value,reason", **more):
    files = {}
    if rows is not None:
        (folder / "overrides.csv").write_text("\n".join([header, *rows]) + "\n")
        files = {"overrides": folder / "overrides.csv", "marks": "percentile"}
    return read_round(folder / "rankings.csv", roster=folder / "roster.csv", **{**files, **more})


def marks_of(graded):
    table = graded.students()
    return dict(zip(table["student"], table["mark"], strict=True))


def test_marks_are_set_and_lowered_for_all_authors_of_a_paper(folder):
    plain = marks_of(grade(read(folder), BORDA))
    rows = ["s2,mark,81.5,Oral exam", "s4,penalty,5,Two days late", "s3,mark,60,Marked by hand", "s3,penalty,10%,Late"]
    graded = grade(read(folder, rows), BORDA)
    expected = {"s2": 81.5, "s4": plain["s4"] - 5, "s5": plain["s5"] - 5, "s3": 50}
    assert marks_of(graded) == {**plain, **expected}
    assert dict(zip(graded.grades()["paper"].to_pylist(), graded.grades()["mark"], strict=True))["P2"] == 81.5
    assert graded.outcome == grade(read(folder), BORDA).outcome
    papers = {paper: number for number, paper in enumerate(graded.round.papers)}
    assert graded.marking.source(papers["P2"]) == "set by staff: Oral exam"
    assert "Two days late" in graded.marking.source(papers["P4"])
    for reason in ("Oral exam", "Two days late", "Marked by hand"):
        assert any(reason in note for note in graded.notes)
    assert graded.provenance["overrides"][0] == {
        "person": "s2",
        "decision": "mark",
        "value": "81.5",
        "reason": "Oral exam",
    }


def test_a_penalty_takes_no_mark_below_zero(folder):
    assert marks_of(grade(read(folder, ["s4,penalty,90,Very late"]), BORDA))["s4"] == 0


def test_ranges_go_where_a_mark_is_set_and_move_with_a_penalty(folder):
    settings = replace(BORDA, rule="posterior")
    plain = grade(read(folder), settings).marking
    found = grade(read(folder, ["s2,mark,80,Exam", "s3,penalty,1,Late"]), settings).marking
    assert np.isnan(found.low[1])
    assert np.isnan(found.high[1])
    assert found.low[2] == max(plain.low[2] - 1, 0)


def test_an_excluded_ballot_is_as_if_it_had_not_been_handed_in(folder):
    excluded = grade(read(folder, ["s4,exclude,,Sold their ranking"], header="grader,decision,value,reason"), BORDA)
    lines = (folder / "rankings.csv").read_text().splitlines(keepends=True)
    (folder / "rankings.csv").write_text("".join(line for line in lines if not line.startswith("s4,")))
    assert excluded.outcome == grade(read(folder), BORDA).outcome
    # They did hand in something.
    assert not excluded.round.silent[excluded.round.grader_number["s4"]]
    # Nobody needs a scale for that.
    assert grade(read(folder, ["s3,exclude,,Asked for it"], marks=None), GradeSettings("borda")).marking is None


def test_all_problems_come_at_once(folder):
    rows = [
        *("s9,mark,70,Unknown", "S1,mark,70,Nearly", "s2,mark,101,Too high", "s2,penalty,x,No number", "s3,mark,70,"),
        *("s3,forgive,,No such thing", "s6,mark,50,No paper", "s6,exclude,,No ballot", "s4,penalty,5,Late"),
        *("s5,penalty,5,The same paper", "s1,exclude,3,With a value", ",mark,70,Nobody"),
    ]
    with pytest.raises(FileError) as caught:
        read(folder, rows)
    found = {(problem.row, problem.column) for problem in caught.value.problems}
    assert found == {
        *((2, "student"), (3, "student"), (4, "value"), (5, "value"), (6, "reason"), (7, "decision")),
        *((8, "student"), (9, "student"), (11, "student"), (12, "value"), (13, "student")),
    }
    told = str(caught.value)
    assert "write s1" in told
    assert "in row 10" in told
    kept = read(folder, rows, lenient=True)
    assert [each.person for each in kept.overrides] == ["s4"]
    assert len(kept.dropped) == len(found)


@pytest.mark.parametrize(
    ("row", "marks", "fits"),
    [
        ("s1,mark,B,Exam", "bands", True),
        ("s1,mark,F,Exam", "bands", False),
        ("s1,penalty,5,Late", "bands", False),
        ("s1,mark,18,Exam", "curve:mean=12,sd=3,high=20", True),
        ("s1,mark,21,Exam", "curve:mean=12,sd=3,high=20", False),
        ("s1,mark,70,Exam", None, False),
    ],
)
def test_marks_keep_to_the_scale(folder, row, marks, fits):
    if fits:
        graded = grade(read(folder, [row], marks=marks), replace(BORDA, marks=marks))
        assert str(marks_of(graded)["s1"]).removesuffix(".0") == row.split(",")[2]
    else:
        with pytest.raises(FileError, match="column value"):
            read(folder, [row], marks=marks)


def test_decisions_that_come_from_no_file_are_checked_too(folder):
    decided = replace(read(folder), overrides=(Override("s9", "mark", "70", ""), Override("s1", "mark", "80", "Exam")))
    with pytest.raises(InputError, match="number 1, reason") as caught:
        grade(decided, BORDA)
    assert "no student or grader s9" in str(caught.value)
    good = replace(decided, overrides=decided.overrides[1:])
    assert marks_of(grade(good, BORDA))["s1"] == 80
    assert good.digest != read(folder).digest


def test_the_command_reads_them_and_verifies_them(folder, capsys):
    (folder / "overrides.csv").write_text(
        "student,decision,value,reason\ns2,mark,81.5,Oral exam\ns4,exclude,,Sold their ranking\n"
    )
    names = {name: str(folder / f"{name}.csv") for name in ("rankings", "roster", "overrides", "grades", "marks")}
    command = ["grade", names["rankings"], "--roster", names["roster"], "--rule", "borda", "--marks", "percentile"]
    outputs = ["--out", names["grades"], "--students", names["marks"]]
    assert run([*command, "--overrides", names["overrides"], *outputs]) == 0
    assert "Oral exam" in capsys.readouterr().out
    assert "s2,P2,81.5," in (folder / "marks.csv").read_text()
    about = json.loads((folder / "grades.csv.provenance.json").read_text())
    assert about["inputs"]["overrides"]["file"] == "overrides.csv"
    for kept in ("grades", "marks"):
        assert run(["grade", "--verify", names[kept]]) == 0
    (folder / "overrides.csv").write_text("student,decision,value,reason\ns2,mark,90,Oral exam\n")
    assert run(["grade", "--verify", names["grades"]]) == 2
    assert run([*command[:-2], "--overrides", names["overrides"], "--out", str(folder / "other.csv")]) == 2
    assert "add --marks or --anchors" in capsys.readouterr().err
