"""Rosters with the names that other systems give to columns."""

from pathlib import Path

import pytest

from peerorder.files import FileError, read_conflicts, read_rankings, read_roster
from peerorder.files.headings import FIRST, LAST, OTHER_NAMES


@pytest.mark.parametrize(
    "header",
    [
        "Student ID,Full name,E-mail,Section",
        "STUDENT_ID,full_name,e-mail address,GROUP",
        "Login,Display Name,EMAIL ADDRESS,Class",
        "id,name,mail,section",
    ],
)
def test_usual_names_are_taken(header, file):
    path = file(f"{header}\n007,Ann Lee,ann@example.org,Mon\n8,Bob,,\n")
    roster = read_roster(path)
    assert roster.students == ("007", "8")
    assert roster.name == ("Ann Lee", "Bob")
    assert roster.email == ("ann@example.org", "")
    assert roster.section == ("Mon", "")
    assert roster.columns == {"student", "name", "email", "section"}
    [note] = roster.notes
    assert f"{header.lower().split(',')[0]} as student" in note


def test_first_name_and_surname_are_a_name(file):
    path = file("Surname,First name,ID number,Username,Email address\nLee,Ann,7,al,a@example.org\nCher,,8,ch,\n")
    roster = read_roster(path)
    assert (roster.students, roster.name) == (("7", "8"), ("Ann Lee", "Cher"))
    assert roster.notes == (
        f"{path}: columns with other names are taken: id number as student, first name and surname as name, "
        "email address as email",
    )


def test_the_same_in_a_workbook(workbook):
    roster = read_roster(workbook([["First name", "Last name", "Student ID"], ["Ann", "Lee", "a1"]]))
    assert (roster.students, roster.name) == (("a1",), ("Ann Lee",))


def test_our_own_names_go_before_all_others(file):
    roster = read_roster(file("student,Student ID,name,Full name,Group,Group,section\nann,1,Ann,A. Lee,x,y,Mon\n"))
    assert (roster.students, roster.name, roster.section, roster.notes) == (("ann",), ("Ann",), ("Mon",), ())


def test_where_two_may_be_meant_neither_is_taken(file, complaints):
    path = file("Student ID,Student number,Name\n1,2,Ann\n")
    cause = "no column student, and student id and student number may each be meant"
    assert complaints(read_roster, path) == [(None, None, cause)]
    roster = read_roster(file("student,Mail,E-mail address,Group,Class,First name\nann,a@b.c,d@e.f,x,y,Ann\n"))
    assert (roster.email, roster.section, roster.name) == (("",), ("",), ("",))


@pytest.mark.parametrize("header", ["student,name", "Student ID;Name;Mail", '"Matriculation number"\tName'])
def test_a_title_above_the_header_is_named(file, header):
    path = file(f"PHIL 101 class list\nAutumn, group A; late\n\n{header}\n7,Ann,a\n")
    with pytest.raises(FileError) as caught:
        read_roster(path)
    assert str(caught.value) == (
        f"{path}: the header seems to be in row 4, below phil 101 class list; delete the rows above it"
    )


def test_a_title_above_the_header_of_a_workbook_and_of_other_files(file, workbook):
    roster = read_roster(file("student\nann\nbob\n", "roster.csv"))
    path = workbook([["Essay 1"], ["student", "paper"], ["ann", "bob"]])
    with pytest.raises(FileError, match="the header seems to be in row 2, below essay 1; delete the rows above it"):
        read_conflicts(path, roster)
    with pytest.raises(FileError, match="the header seems to be in row 2, below essay 1; delete the rows above it"):
        read_rankings(file("Essay 1\nGrader,Paper,Rank\nann,bob,1\n", "rankings.csv"), roster=roster)


def test_a_team_is_never_guessed(file):
    roster = read_roster(file("student,Team,Role name\nann,t1,\nbob,t1,\n"))
    assert roster.papers == ("ann", "bob")


def test_no_name_stands_for_two_things():
    names = [name for groups in OTHER_NAMES.values() for group in groups for name in group]
    assert len(names) == len(set(names))
    assert not set(names) & {"student", "name", "email", "paper", "link", "role", "section"}


def test_every_name_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "files.md").read_text("utf-8")
    names = [name for groups in OTHER_NAMES.values() for group in groups for name in group]
    assert [name for name in (*names, *FIRST, *LAST) if f"`{name}`" not in text] == []
