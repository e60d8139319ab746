"""Every reader takes a file with a byte order mark for the same file without it."""

import codecs

import pytest

from peerorder.files import (
    fill_gradebook,
    read_anchors,
    read_codes,
    read_conflicts,
    read_exercise,
    read_handout,
    read_rankings,
    read_roster,
    read_rows,
)

CANVAS = "Student,ID,SIS User ID,Section,Essay (1)\nPoints Possible,,,,10\nÇelik,1,s1,A,\n"


def students(path):
    roster = read_roster(path)
    return roster.students, roster.name


def conflicts(path):
    roster = path.with_name("roster.csv")
    roster.write_text("student\ns1\ns2\n")
    return read_conflicts(path, read_roster(roster)).pairs


def rankings(path):
    read = read_rankings(path)
    return read.graders, read.papers, read.profile.papers.tolist()


def handout(path):
    read = read_handout(path)
    return read.graders, read.papers


def anchors(path):
    read = read_anchors(path, ("p1", "p2"))
    return read.papers.tolist(), read.marks.tolist()


def gradebook(path):
    filled = fill_gradebook(path, path.with_name("filled.csv"), {"s1": 80.0})
    # The mark stays where it was, because everything does.
    return filled.column, filled.filled, filled.data.removeprefix(codecs.BOM_UTF8)


def session(path):
    return read_exercise(path).profile.papers.tolist()


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (students, "student,name\ns1,Çelik\n"),
        (students, CANVAS),
        (rankings, "grader,paper,rank\ng,p1,1\ng,p2,2\n"),
        (rankings, "grader;1;2\ng;é;b\n"),
        (rankings, '"grader","paper","rank"\n"g","p ""1""",1\n"g","p2",2\n'),
        (handout, "grader,paper\ng,p1\n"),
        (read_codes, "paper,code\np1,BCDF\n"),
        (conflicts, "student,paper\ns1,s2\n"),
        (anchors, "paper,mark\np1,70\n"),
        (gradebook, CANVAS),
        (read_rows, "k,rule\n3,borda\n"),
        (session, "judge,candidate_chosen,candidate_not_chosen\nj,a,b\n"),
    ],
)
def test_a_mark_changes_nothing(tmp_path, read, text):
    found = []
    for mark in (b"", codecs.BOM_UTF8):
        path = tmp_path / "file.csv"
        path.write_bytes(mark + text.encode())
        found.append(read(path))
    assert found[0] == found[1]
