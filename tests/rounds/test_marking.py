import csv
from dataclasses import replace

import numpy as np
import pytest

from peerorder import InputError
from peerorder.files.formats.output import write_table
from peerorder.files.rounds import read_round
from peerorder.rounds.grading import grade
from peerorder.rounds.settings import GradeSettings

# Everybody says P1 > P2 > P3 > P4, nobody ranks P5, and P6 is alone on its ballot.
ROSTER = "student,paper\n" + "".join(f"s{i},P{i}\n" for i in range(1, 7))
RANKINGS = "grader,paper,rank\n" + "".join(
    f"s{g},P{p},{rank}\n" for g in range(1, 6) for rank, p in enumerate([p for p in range(1, 5) if p != g], 1)
)
FIVE = 4


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER)
    (tmp_path / "rankings.csv").write_text(RANKINGS)
    (tmp_path / "more.csv").write_text("grader,paper,rank,ballot\ns1,P6,1,second\n")
    (tmp_path / "anchors.csv").write_text("paper,mark\nP1,78\nP2,90\nP4,40\n")
    return tmp_path


def read(folder, **more):
    return read_round([folder / "rankings.csv", folder / "more.csv"], roster=folder / "roster.csv", **more)


def marks_of(graded):
    table = graded.students()
    return dict(zip(table["student"], table["mark"], strict=True))


@pytest.mark.parametrize("scale", ["percentile", "bands:A=50,B=50"])
def test_a_paper_that_nobody_compared_has_no_mark(folder, scale):
    graded = grade(read(folder), GradeSettings("borda", marks=scale))
    marks = marks_of(graded)
    assert [student for student, mark in marks.items() if mark is None] == ["s5", "s6"]
    assert any("P5, P6" in note and "`unranked`" in note and "top-up" in note for note in graded.notes)
    write_table(folder / "grades.csv", graded.grades())
    with (folder / "grades.csv").open() as stream:
        assert {row["paper"] for row in csv.DictReader(stream) if not row["mark"]} == {"P5", "P6"}
    letters = graded.mail_merge()
    assert letters["mark_low"][FIVE] is letters["mark_high"][FIVE] is None


def test_a_mark_can_be_chosen_for_papers_that_nobody_compared(folder):
    marks = marks_of(grade(read(folder), GradeSettings("borda", marks="percentile", unranked="70,5%")))
    assert (marks["s5"], marks["s6"]) == (70.5, 70.5)
    assert marks_of(grade(read(folder), GradeSettings("borda", marks="bands", unranked="pass")))["s5"] == "pass"
    by_place = marks_of(grade(read(folder), GradeSettings("borda", marks="percentile", unranked="place")))
    assert 0 < by_place["s5"] < 100
    with pytest.raises(InputError, match="`unranked` is 'pass'"):
        grade(read(folder), GradeSettings("borda", marks="percentile", unranked="pass"))


def test_what_staff_gave_stands_unless_smoothed(folder):
    read_ = read(folder, anchors=folder / "anchors.csv")
    graded = grade(read_, GradeSettings())
    given = {"s1": 78.0, "s2": 90.0, "s4": 40.0}
    marks = marks_of(graded)
    assert {student: marks[student] for student in given} == given
    assert 40 < marks["s3"] < 90
    assert np.isnan(graded.marking.low[[0, 1, 3]]).all()
    assert graded.marking.source(0) == "given by staff"
    assert "curve through 3 papers" in graded.marking.source(2)
    smooth = marks_of(grade(read_, GradeSettings(smooth_anchors=True)))
    # P1 stands above P2, so on the curve it has no lower mark.
    assert smooth["s1"] >= smooth["s2"]
    assert smooth["s3"] == marks["s3"]


@pytest.mark.parametrize("smooth", [False, True])
def test_staff_can_mark_a_paper_that_nobody_ranked(folder, smooth):
    (folder / "anchors.csv").write_text("paper,mark\nP1,90\nP4,40\nP5,12\n")
    graded = grade(read(folder, anchors=folder / "anchors.csv"), GradeSettings(smooth_anchors=smooth))
    assert marks_of(graded)["s5"] == 12
    assert marks_of(graded)["s6"] is None


def test_full_marks_may_be_anything(folder):
    (folder / "of50.csv").write_text("paper,mark\nP1,39\nP2,45\nP4,20\n")
    with pytest.raises(InputError, match="anchors"):
        read(folder, anchors=folder / "of50.csv", anchors_points=40)
    fifty = grade(
        read(folder, anchors=folder / "of50.csv", anchors_points=50),
        GradeSettings(anchors_points=50, smooth_anchors=True),
    )
    hundred = grade(read(folder, anchors=folder / "anchors.csv"), GradeSettings(smooth_anchors=True))
    for part in ("marks", "low", "high"):
        assert np.allclose(2 * getattr(fifty.marking, part), getattr(hundred.marking, part), atol=0.02, equal_nan=True)


def test_papers_with_equal_scores_share_a_place(tmp_path):
    (tmp_path / "r.csv").write_text(
        "grader,paper,rank\nx,A,1\nx,B,2\nx,C,3\ny,A,1\ny,C,2\ny,B,3\nz,C,1\nz,D,2\nz,B,1\n"
    )
    graded = grade(read_round(tmp_path / "r.csv"), GradeSettings("borda", marks="percentile"))
    table = graded.grades()
    found = dict(zip(table["paper"].to_pylist(), zip(table["place"], table["mark"], strict=True), strict=True))
    assert found == {"A": (1, 87.5), "B": (2, 50.0), "C": (2, 50.0), "D": (4, 12.5)}
    labels = [graded.place_label(paper) for paper in graded.outcome.order.tolist()]
    assert labels == ["1", "2=", "2=", "4"]
    assert list(grade(read_round(tmp_path / "r.csv"), GradeSettings("borda", ties="order")).grades()["place"]) == [
        1,
        2,
        3,
        4,
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"marks": "curve:mean=170"}, "upper limit 100"),
        ({"marks": "curve:mean=-20"}, "lower limit 0"),
        ({"marks": "curve:sd=0"}, "all 6 papers the mark 70"),
        ({"marks": "bands:A=100"}, "all 6 papers the mark A"),
        ({"marks": "percentile", "penalty": 200}, "ranked only 50%"),
        ({"marks": "percentile", "absent": 101}, "without a paper get 101"),
        ({"marks": "percentile", "unranked": "-5"}, "nobody ranked get -5"),
        ({"marks": "percentile", "review": "done=50,reliable=60"}, "done=45.5,reliable=54.5"),
    ],
)
def test_implausible_scales_are_pointed_out(folder, settings, words):
    assert any(words in note for note in grade(read(folder), GradeSettings("borda", **settings)).notes)


@pytest.mark.parametrize(
    "settings", [{}, {"marks": "bands:A=10%,B = 90 %"}, {"review": "done=0.5,reliable=0.5"}, {"penalty": 100}]
)
def test_plausible_scales_are_not(folder, settings):
    settings = {"marks": "curve", "unranked": "0", **settings}
    graded = grade(read(folder), GradeSettings("borda", **settings))
    assert [note for note in graded.notes if "is that meant" in note or "scaled" in note] == []


def test_students_whose_mark_a_penalty_lowers_are_named(folder):
    graded = grade(read(folder), GradeSettings("borda", marks="percentile", penalty=30, unranked="50"))
    before = grade(read(folder), GradeSettings("borda", marks="percentile", unranked="50"))
    lower = [student for student, mark in marks_of(graded).items() if mark != marks_of(before)[student]]
    assert lower
    (note,) = [note for note in graded.notes if "penalty" in note]
    assert all(student in note for student in lower)
    assert not [note for note in before.notes if "penalty" in note]


def test_nobody_is_punished_for_a_form_that_cannot_be_read(folder):
    (folder / "odd.csv").write_text("grader,paper,rank\ns6,P1,first but one\ns6,P2,??\n")
    files = [folder / name for name in ("rankings.csv", "odd.csv")]
    read_now = read_round(files, roster=folder / "roster.csv", lenient=True)
    assert [read_now.graders[at] for at in np.flatnonzero(read_now.unread)] == ["s6"]
    assert not read_now.silent[read_now.unread].any()
    graded = grade(read_now, GradeSettings("borda", marks="percentile", penalty=30, unranked="50", lenient=True))
    row = graded.students()["student"].index("s6")
    assert graded.students()["review_mark"][row] is None
    assert graded.students()["mark"][row] == 50
    older = grade(read_now, replace(graded.settings, unread="nothing")).students()
    assert (older["review_mark"][row], older["mark"][row]) == (0, 20)


def test_ranks_are_read_upside_down_where_one_was_taken_for_the_worst(folder):
    right = grade(read(folder), GradeSettings("borda"))
    turned = grade(read(folder), GradeSettings("borda", upside_down=True))
    ranked = slice(4)
    assert right.outcome.ranks[ranked].tolist() == turned.outcome.ranks[ranked].tolist()[::-1]
