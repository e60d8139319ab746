import csv
import io

import pytest
from hypothesis import given, strategies as st

from peerorder.files import read_roster


def test_everything_a_roster_can_say(file):
    path = file(
        "Student,Name,E-mail,email,Paper,Link,Role\n"
        "ann,Ann A,x,ann@example.org,t1,,student\n"
        "bob,Bob,x,,t1,https://example.org/t1,\n"
        "007,Carl,x,,c,https://example.org/c,STUDENT\n"
        "dora,Dora,x,,,,Staff\n"
    )
    roster = read_roster(path)
    assert roster.students == ("ann", "bob", "007", "dora")
    assert roster.papers == ("t1", "c")
    assert roster.authored.tolist() == [0, 0, 1, -1]
    assert roster.staff.tolist() == [False, False, False, True]
    assert roster.name == ("Ann A", "Bob", "Carl", "Dora")
    assert roster.email == ("ann@example.org", "", "", "")
    assert roster.link == ("https://example.org/t1", "https://example.org/c")
    assert roster.rows.tolist() == [2, 3, 4, 5]
    assert roster.student_number == {"ann": 0, "bob": 1, "007": 2, "dora": 3}
    assert roster.paper_number == {"t1": 0, "c": 1}
    assert (roster.notes, roster.dropped, roster.path) == ((f"{path}: ignored column: E-mail",), (), path)


def test_ids_alone(file):
    roster = read_roster(file("student\nann\nbob\n"))
    assert roster.students == roster.papers == ("ann", "bob")
    assert roster.authored.tolist() == [0, 1]
    assert roster.name == roster.email == roster.link == ("", "")


def test_staff_wrote_nothing_unless_the_roster_says_so(file):
    roster = read_roster(file("student,role\nann,\nprof,staff\nbob,\n"))
    assert roster.papers == ("ann", "bob")
    assert roster.authored.tolist() == [0, -1, 1]
    assert read_roster(file("student,role,paper\nann,,a\nprof,staff,p\n")).authored.tolist() == [0, 1]


def test_a_paper_may_have_the_id_of_somebody_else(file):
    roster = read_roster(file("student,paper\nann,bob\nbob,ann\n"))
    assert roster.papers == ("bob", "ann")
    assert roster.authored.tolist() == [0, 1]


def test_sections(file):
    roster = read_roster(file("student,Section\nann,Mon 9\nbob,\n"))
    assert roster.section == ("Mon 9", "")
    assert roster.columns == {"student", "section"}
    assert read_roster(file("student\nann\n")).section == ("",)


ROWS = st.tuples(
    st.sampled_from(["ann", "bob", "carl", "Dora", "007", "7", ""]),
    st.sampled_from(["", "t1", "t2", "ann"]),
    st.sampled_from(["", "u", "v"]),
    st.sampled_from(["", "student", "STAFF", "dean"]),
)


@given(st.lists(ROWS, max_size=9))
def test_lenient_keeps_the_rows_that_a_plain_loop_keeps(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "roster.csv"
    out = io.StringIO(newline="")
    csv.writer(out).writerows([["student", "paper", "link", "role"], *rows])
    path.write_text(out.getvalue(), newline="")
    kept, links, bad, first = {}, {}, set(), {}
    for at, (student, paper, link, role) in enumerate(rows, 2):
        if not any((student, paper, link, role)):
            continue
        # The first row of a student with nothing else wrong counts; the same row again is nothing wrong.
        if student in kept and first[student] == (student, paper, link, role):
            continue
        if not student or student in kept or role == "dean":
            bad.add(at)
        else:
            kept[student] = (paper, role == "STAFF")
            first[student] = (student, paper, link, role)
            if paper and link:
                links.setdefault(paper, link)
    if not kept:
        with pytest.raises(ValueError, match=r"no student is left on it|it has a header but no students"):
            read_roster(path, lenient=True)
        return
    roster = read_roster(path, lenient=True)
    assert {problem.row for problem in roster.dropped} == bad
    assert roster.students == tuple(kept)
    papers = list(dict.fromkeys(paper for paper, _ in kept.values() if paper))
    assert list(roster.papers) == papers
    assert roster.authored.tolist() == [papers.index(paper) if paper else -1 for paper, _ in kept.values()]
    assert roster.staff.tolist() == [staff for _, staff in kept.values()]
    assert roster.link == tuple(links.get(paper, "") for paper in papers)


def test_everything_that_is_wrong_is_named_at_once(file, complaints):
    path = file("student,name,role\nann,A,\n,B,\nann,C,\n#REF!,D,\ncarl,E,dean\n\nbob,F,student\n")
    assert complaints(read_roster, path) == [
        (3, "student", "this cell is empty"),
        (4, "student", "ann is already in row 2"),
        (5, "student", "this is a spreadsheet error, #REF!"),
        (6, "role", "dean is not a role"),
    ]
    roster = read_roster(path, lenient=True)
    assert roster.students == ("ann", "bob")
    assert roster.name == ("A", "F")
    assert roster.rows.tolist() == [2, 8]


def test_the_same_row_again_is_a_note(file):
    path = file("student,name,x\nann,A,1\nbob,B,2\nann,A,3\nann,A,4\n")
    roster = read_roster(path)
    assert roster.students == ("ann", "bob")
    assert any(note.startswith(f"{path}, rows 4, 5: skipped") for note in roster.notes)


def test_rows_that_are_left_out_can_be_told(file):
    roster = read_roster(file("student,name,role\nann,A,\n,B,\nann,C,\nann,A,\n"), lenient=True)
    assert roster.left_out == {
        3: {"student": "", "name": "B", "role": ""},
        4: {"student": "ann", "name": "C", "role": ""},
    }


def test_nobody(file, complaints):
    assert complaints(read_roster, file("student,name\n")) == [(None, None, "it has a header but no students")]
    path = file("student,role\nann,dean\n")
    assert complaints(read_roster, path, lenient=True) == [
        (None, None, "no student is left on it"),
        (2, "role", "dean is not a role"),
    ]


def test_no_column_for_students(file, complaints):
    cause = "there is no column student; the file has number, vorname"
    path = file("Number,Vorname\n1,Ann\n")
    assert complaints(read_roster, path) == [(None, None, cause)]
    with pytest.raises(ValueError, match="rename the column with the IDs to student"):
        read_roster(path)


def test_a_team_with_two_links(file):
    path = file("student,paper,link\nann,t,u\nbob,t,v\ncarl,t,u\ndora,d,\n")
    roster = read_roster(path)
    assert roster.link == ("u", "")
    assert roster.notes == (f"{path}, row 3, column link: t has another link above, which is the one used",)


def test_notes_about_ids(file):
    path = file("student,paper\nann,3-May\nAnn,p\n")
    assert [note.removeprefix(str(path)) for note in read_roster(path).notes] == [
        ", row 2, column paper: 3-May looks like a date, which spreadsheets make of some IDs; check it",
        ": these IDs differ only in case or spaces, and count as different: ann and Ann",
    ]


def test_a_date_for_an_id_in_a_workbook(workbook, complaints):
    import datetime

    path = workbook([["student", "enrolled"], ["ann", datetime.date(2020, 1, 1)], [datetime.date(2024, 5, 3), "x"]])
    [(row, column, cause)] = complaints(read_roster, path)
    assert (row, column) == (3, "student")
    assert "2024-05-03" in cause
    assert read_roster(path, lenient=True).students == ("ann",)


@pytest.mark.parametrize("column", ["team", "paper"])
def test_teams_that_differ_only_in_case_or_blanks_are_pointed_out(file, column):
    rows = "ann,T1\nbob,t1\ncid,T2\ndan,T 2\neve,T3\n"
    (note,) = read_roster(file(f"student,{column}\n{rows}")).notes
    assert "T1 and t1; T2 and T 2" in note
