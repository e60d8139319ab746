from dataclasses import replace

import numpy as np
import pytest

from peerorder import RULES, InputError
from peerorder.core.randomness import child
from peerorder.files.rounds import read_round
from peerorder.rounds import grading
from peerorder.rounds.grading import Marking, grade
from peerorder.rounds.settings import GradeSettings

ROSTER = "student,paper,role\nann,P1,\nbea,P2,\ncid,P3,\ndan,P4,\neve,,staff\n"
# Students say P1 > P2 > P3, staff say P3 > P1.
RANKINGS = "grader,paper,rank\nann,P2,1\nann,P3,2\nbea,P1,1\nbea,P3,2\ncid,P1,1\ncid,P2,2\neve,P3,1\neve,P1,2\n"


@pytest.fixture
def round_(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER)
    (tmp_path / "rankings.csv").write_text(RANKINGS)
    return read_round(tmp_path / "rankings.csv", roster=tmp_path / "roster.csv")


def test_the_table_of_grades_says_what_the_rule_found(round_):
    graded = grade(round_, GradeSettings(seed=3, staff_weight=1))
    outcome = RULES["posterior"].aggregate(round_.profile, child(3, "grade"))
    table = replace(graded, marking=Marking(["a", "b", "c", "d"])).grades()
    assert list(table) == ["place", "paper", "score", "low", "high", "rankings", "mark"]
    assert list(table["place"]) == [1, 2, 3, 4]
    assert table["paper"].to_pylist() == [round_.papers[at] for at in outcome.order]
    assert list(table["mark"]) == ["abcd"[at] for at in outcome.order]
    assert np.allclose(table["score"], outcome.scores[outcome.order], atol=1e-6)
    assert np.array_equal(np.stack([table["low"], table["high"]], axis=1), outcome.result.intervals[outcome.order])
    assert dict(zip(table["paper"].to_pylist(), table["rankings"].tolist(), strict=True)) == {
        "P1": 3,
        "P2": 2,
        "P3": 3,
        "P4": 0,
    }


def test_a_rule_without_intervals_leaves_them_empty(round_):
    table = grade(round_, GradeSettings("borda")).grades()
    assert table["low"] == table["high"] == table["mark"] == [None] * 4


def test_the_slow_rule_names_the_fast_one_where_there_are_many_papers(round_, monkeypatch):
    few = grade(round_).notes
    monkeypatch.setattr(grading, "MANY_PAPERS", 3)
    many = grade(round_).notes
    assert len(many) == len(few) + 1
    assert "mixture" in many[-1]
    assert grade(round_, GradeSettings("mixture")).notes == few


def test_the_table_of_graders_has_everybody_on_the_roster(round_):
    table = grade(round_, GradeSettings(staff_weight=2)).graders()
    assert list(table) == ["grader", "reliability", "low", "high", "ballots", "flag"]
    assert table["grader"].to_pylist() == ["ann", "bea", "cid", "dan", "eve"]
    assert table["ballots"].tolist() == [1, 1, 1, 0, 1]
    known = table["ballots"] > 0
    low, reliability, high = (table[name] for name in ("low", "reliability", "high"))
    assert np.all((low <= reliability) & (reliability <= high) == known)
    assert np.isnan(np.stack([low, reliability, high])[:, ~known]).all()
    assert set(grade(round_, GradeSettings("borda")).graders()["reliability"]) == {None}


def test_staff_count_for_more_where_that_is_wanted(round_):
    def ranked(weight):
        return [
            paper
            for paper in grade(round_, GradeSettings("borda", staff_weight=weight)).grades()["paper"].to_pylist()
            if paper != "P4"
        ]

    assert ranked(1) == ["P1", "P2", "P3"]
    assert ranked(5) == ["P3", "P2", "P1"]
    assert grade(round_, GradeSettings("borda", staff_weight=5)).grades()["rankings"].sum() == 8
    with pytest.raises(InputError, match="1 or more"):
        grade(round_, GradeSettings("borda", staff_weight=0))


@pytest.mark.parametrize(
    ("text", "message"),
    [("grader,paper,rank\n", "no paper"), ("grader,paper,rank\nann,P1,1\nbea,P2,1\n", "no grader ranks two papers")],
)
def test_rankings_that_say_nothing_are_refused(tmp_path, text, message):
    (tmp_path / "rankings.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        grade(read_round(tmp_path / "rankings.csv"), GradeSettings())


def test_anchors_that_nobody_marked_yet_are_refused(round_, tmp_path):
    (tmp_path / "anchors.csv").write_text("paper,mark\nP1,\nP3,\n")
    read = read_round(tmp_path / "rankings.csv", roster=tmp_path / "roster.csv", anchors=tmp_path / "anchors.csv")
    with pytest.raises(InputError, match=r"anchors.csv: none of its 2 rows has a mark; fill in the column mark"):
        grade(read, GradeSettings("borda"))


def test_letters_have_names_addresses_and_both_ends_of_a_mark(tmp_path):
    (tmp_path / "roster.csv").write_text(
        "student,name,email,paper,role\nann,Ann,a@x.org,P1,\nbea,Bea,,P2,\ncid,,,P3,\ndan,,,,\neve,,,,staff\n"
    )
    (tmp_path / "rankings.csv").write_text(RANKINGS)
    read = read_round(tmp_path / "rankings.csv", roster=tmp_path / "roster.csv")
    graded = grade(read, GradeSettings(marks="percentile"))
    table = graded.mail_merge()
    assert list(table) == [
        *("student", "name", "email", "paper", "place", "low", "high"),
        *("mark", "mark_low", "mark_high", "review_mark"),
    ]
    assert table["student"] == ["ann", "bea", "cid", "dan"]
    assert table["name"] == ["Ann", "Bea", "", ""]
    assert table["email"] == ["a@x.org", "", "", ""]
    grades = graded.grades()
    for at, paper in enumerate(["P1", "P2", "P3"]):
        row = grades["paper"].to_pylist().index(paper)
        assert [table[name][at] for name in ("place", "low", "high")] == [
            grades[name][row] for name in ("place", "low", "high")
        ]
        assert table["mark_low"][at] <= table["mark"][at] <= table["mark_high"][at]
    assert [table[name][3] for name in ("place", "mark", "mark_low")] == [None, None, None]
    without = grade(read, GradeSettings("borda", marks="percentile")).mail_merge()
    assert without["mark_low"] == without["low"] == [None] * 4
