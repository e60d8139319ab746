"""Exports as the three systems make them (see docs/howto/marks.md), with everything that is easy to lose on the way."""

import csv
import io

import pytest
from hypothesis import given, strategies as st

from peerorder.files import FileError, fill_gradebook, make_gradebook
from peerorder.files.formats.lossless_csv import read_raw

CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Essay 1 (1001),Essay 2 (1002),Essays Final Score,Final Score\r\n"
    ",,,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,100.00,20.00,(read only),(read only)\r\n"
    '"Able, Ann",11,007,ann@uni.edu,"S1, S2",71.00,,90.5,88\r\n'
    '"Böll, ""Bob""",12,008,bob@uni.edu,S1,55.00,,,\r\n'
    '"Cy, Cy",13,009,cy@uni.edu,S1,60.00,EX,,\r\n'
    '"Student, Test",14,,abc123,S1,,,,\r\n'
)
MOODLE = (
    '"First name","Last name","ID number",Institution,Department,"Email address","Assignment: Essay (Real)",'
    '"Assignment: Essay (Feedback)","Course total (Real)","Last downloaded from this course"\n'
    'Ann,Able,007,"Moodle HQ","Rock on!",Ann@uni.edu,-,"Two\nlines",56.00,1700000000\n'
    "Bob,Böll,008,,,bob@uni.edu,-,,75.00,1700000000\n"
    "Dee,Doe,,,,dee@uni.edu,-,,-,1700000000\n"
)
BLACKBOARD = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Availability"\t'
    '"Essay [Total Pts: 50 Score] |574283"\t"Notes [Total Pts: 0 Text] |574284"\t'
    '"Total [Total Pts: up to 150 Score] |1"\n'
    '"Able"\t"Ann"\t"ann"\t"007"\t"2024-01-01 10:00:00"\t"Yes"\t""\t""\t"12.00"\n'
    '"Böll"\t"Bob"\t"bob"\t"008"\t""\t"Yes"\t""\t""\t"3.00"\n'
)
MARKS = {"007": 80.0, "008": 61.25, "999": 50.0, "010": None}


def saved(tmp_path, text, encoding="utf-8", mark=b"", name="export.csv"):
    path = tmp_path / name
    path.write_bytes(mark + text.encode(encoding))
    return path


def cells(text, separator=","):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def test_canvas(tmp_path):
    out = tmp_path / "out.csv"
    found = fill_gradebook(saved(tmp_path, CANVAS), out, MARKS)
    wanted = CANVAS.replace('"S1, S2",71.00,,90.5', '"S1, S2",71.00,16,90.5').replace("S1,55.00,,,", "S1,55.00,12.25,,")
    assert out.read_bytes() == wanted.encode()
    assert (found.system, found.column, found.matched_by) == ("Canvas", "Essay 2 (1002)", "SIS User ID = student")
    assert (found.points, found.filled) == (20, 2)
    assert found.missing == ("999",)
    assert found.unmarked == ("Cy, Cy 13",)
    assert found.notes == ("Essay 2 has 20 points, so marks out of 100 are scaled to that",)


def test_canvas_leaves_the_excused_excused(tmp_path):
    found = make_gradebook(saved(tmp_path, CANVAS), {**MARKS, "009": 10.0})
    assert b"60.00,EX," in found.data
    assert found.notes[-1] == "left as they are, because excused or not assigned: 009"


def test_canvas_with_semicolons_and_decimal_commas(tmp_path):
    text = "Student;ID;SIS Login ID;Section;Essay (7)\nPoints Possible;;;;10,00\nAnn;1;007;S;\n"
    found = make_gradebook(saved(tmp_path, text, mark=b"\xef\xbb\xbf"), {"007": 72.5})
    assert found.data == b"\xef\xbb\xbf" + text.replace("007;S;", "007;S;7,25").encode()


def test_decimal_commas_between_commas_are_quoted(tmp_path):
    text = 'Student,ID,SIS Login ID,Section,Essay (7)\nPoints Possible,,,,"10,00"\nAnn,1,007,S,\n'
    assert make_gradebook(saved(tmp_path, text), {"007": 72.5}).data.endswith(b'007,S,"7,25"\n')


def test_canvas_with_first_and_last_names(tmp_path):
    text = "LastName,FirstName,ID,SIS Login ID,Section,Essay (7)\nPoints Possible,,,,,100\nA,Ann,1,007,S,\n"
    assert make_gradebook(saved(tmp_path, text), MARKS).data.endswith(b"007,S,80\n")


def test_moodle(tmp_path):
    found = make_gradebook(saved(tmp_path, MOODLE), MARKS)
    wanted = MOODLE.replace('Ann@uni.edu,-,"Two', 'Ann@uni.edu,80,"Two').replace("bob@uni.edu,-", "bob@uni.edu,61.25")
    assert found.data == wanted.encode()
    assert (found.system, found.column) == ("Moodle", "Assignment: Essay (Real)")
    assert found.unmarked == ("Dee Doe",)
    assert found.notes == ("Moodle does not say how many points Assignment: Essay has; marks are written out of 100",)
    assert b"Ann@uni.edu,16," in make_gradebook(saved(tmp_path, MOODLE), MARKS, points=20).data


def test_moodle_by_email_whatever_its_case(tmp_path):
    emails = {"ann": "ann@uni.edu", "bob": "BOB@uni.edu", "dee": "dee@uni.edu"}
    found = make_gradebook(saved(tmp_path, MOODLE), {"ann": 1.0, "bob": 2.0, "dee": 3.0}, emails=emails)
    assert found.matched_by == "Email address = email"
    assert found.filled == 3


def test_blackboard_in_utf_16(tmp_path):
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        path = saved(tmp_path, BLACKBOARD, encoding, mark, "gc_class.xls")
        found = make_gradebook(path, {"ann": 80.0, "bob": 61.25})
        wanted = BLACKBOARD.replace('"Yes"\t""\t""\t"12', '"Yes"\t"40"\t""\t"12').replace(
            '"Yes"\t""\t""\t"3.', '"Yes"\t"30.63"\t""\t"3.'
        )
        assert found.data == mark + wanted.encode(encoding)
        assert found.column == "Essay [Total Pts: 50 Score] |574283"
        assert found.matched_by == "Username = student"


def test_totals_are_not_filled_even_where_they_are_empty(tmp_path):
    path = saved(tmp_path, BLACKBOARD.replace('"12.00"', '""').replace('"3.00"', '""'))
    assert make_gradebook(path, {"ann": 80.0}).column == "Essay [Total Pts: 50 Score] |574283"


def test_letters_are_written_as_they_are(tmp_path):
    found = make_gradebook(saved(tmp_path, CANVAS), {"007": "A", "008": "B"})
    assert b'"S1, S2",71.00,A,90.5' in found.data


@pytest.mark.parametrize("column", ["Essay 1 (1001)", "essay 1", "1001"])
def test_a_column_is_named_with_or_without_its_number(tmp_path, column):
    path = saved(tmp_path, CANVAS)
    found = make_gradebook(path, MARKS, column)
    assert found.column == "Essay 1 (1001)"
    assert b'"S1, S2",80,,90.5' in found.data
    assert "2 existing marks in Essay 1 were replaced" in found.notes
    with pytest.raises(
        FileError, match=r"column Essay 1 \(1001\): 2 cells have other marks already; .* `force`"
    ) as error:
        fill_gradebook(path, tmp_path / "out.csv", MARKS, column)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out.csv").exists()
    assert fill_gradebook(path, tmp_path / "out.csv", MARKS, column, replace=True).data == found.data


@pytest.mark.parametrize(
    ("text", "part", "column"), [(MOODLE, "essay", "Assignment: Essay (Real)"), (CANVAS, "2", "Essay 2 (1002)")]
)
def test_a_part_of_its_name_is_enough_where_no_other_has_it(tmp_path, text, part, column):
    assert make_gradebook(saved(tmp_path, text), MARKS, part).column == column


def test_points_that_contradict_the_file_are_pointed_out(tmp_path):
    found = make_gradebook(saved(tmp_path, CANVAS), MARKS, "Essay 1", points=50)
    assert "Essay 1 has 100 points there, but marks are written out of 50" in found.notes[0]
    assert found.points == 50
    assert "points" not in make_gradebook(saved(tmp_path, CANVAS), MARKS, "Essay 1", points=100).notes[0]


def test_letters_in_a_column_of_points_are_noted(tmp_path):
    notes = make_gradebook(saved(tmp_path, CANVAS), {"007": "A", "008": "B"}, "Essay 1").notes
    assert "Essay 1 has 100 points, but these marks are letters; make it a column of letters in Canvas" in notes[0]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (CANVAS, "Essay", "there is no column Essay; those for marks are Essay 1 .1001.; Essay 2 .1002.; name one"),
        (CANVAS, "Essay 3", "there is no column Essay 3; those for marks are Essay 1 .1001.; Essay 2 .1002.; name one"),
        (CANVAS, "Final Score", "the column Final Score is not for marks"),
        (CANVAS.replace("Essay 2 (", "Essay 1 ("), "Essay 1", "2 columns are called Essay 1"),
        (CANVAS.replace("EX", "3"), None, "not clear which column to fill in; those for marks are Essay 1"),
        (CANVAS.replace(" (1001)", "").replace(" (1002)", ""), None, "those for marks are none"),
        ("name,mark\nann,3\n", None, "header is not one that Canvas, Moodle, Blackboard or Open edX exports"),
        ("", None, "header is not one that"),
        (CANVAS.replace("007", "x").replace("008", "y"), None, "no student is in it; ids were looked for in"),
        (CANVAS.replace(",008,", ",007,"), None, "row 5, column SIS User ID: 007 is already in row 4"),
        (
            CANVAS.replace('"S1, S2",71.00,,90.5,88', '"S1, S2",71.00'),
            None,
            "row 4, column Essay 2 .1002.: this row",
        ),
        (CANVAS.replace('"Able, Ann"', '"Able, Ann'), None, "quote that does not end"),
    ],
)
def test_what_is_not_clear_is_refused_and_nothing_is_written(tmp_path, text, column, message):
    out = tmp_path / "out.csv"
    with pytest.raises(FileError, match=message):
        fill_gradebook(saved(tmp_path, text), out, MARKS, column)
    assert not out.exists()


def test_two_id_columns_that_disagree_are_refused_and_two_that_agree_are_not(tmp_path):
    header = "Student,ID,SIS User ID,SIS Login ID,Section,Essay (7)\nPoints Possible,,,,,100\n"
    path = saved(tmp_path, header + "Ann,1,a,b,S,\nBob,2,b,a,S,\n")
    with pytest.raises(FileError, match="SIS User ID = student or by SIS Login ID = student, with different students"):
        make_gradebook(path, {"a": 1.0, "b": 2.0})
    path = saved(tmp_path, header + "Ann,1,a,a,S,\nBob,2,b,b,S,\n")
    assert make_gradebook(path, {"a": 1.0, "b": 2.0}).filled == 2


def test_an_address_that_two_students_share_is_refused(tmp_path):
    with pytest.raises(FileError, match="more than one student of the roster has the address"):
        make_gradebook(saved(tmp_path, MOODLE), {"x": 1.0, "y": 2.0}, emails={"x": "bob@uni.edu", "y": "bob@uni.edu"})


def test_what_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(FileError, match="file not found"):
        make_gradebook(tmp_path / "none.csv", MARKS)
    with pytest.raises(FileError, match="cannot be read"):
        make_gradebook(tmp_path, MARKS)
    for content, message in ((b"PK\x03\x04rest", "this is a workbook"), (b"a\0b", "not readable text")):
        path = tmp_path / "odd.csv"
        path.write_bytes(content)
        with pytest.raises(FileError, match=message):
            make_gradebook(path, MARKS)


def test_old_encodings_come_back_as_they_were(tmp_path):
    path = saved(tmp_path, CANVAS, "cp1252")
    found = make_gradebook(path, MARKS)
    assert "Böll".encode("cp1252") in found.data
    assert len(found.data) == len(path.read_bytes()) + len("16") + len("12.25")


TEXT = st.text(st.sampled_from('ab,;\t" \n\r\né'), max_size=6)


@given(st.lists(st.lists(TEXT, min_size=2, max_size=4), min_size=1, max_size=5), st.sampled_from([",", ";", "\t"]))
def test_whatever_a_csv_writer_writes_is_given_back_and_one_cell_changed(tmp_path_factory, rows, separator):
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=separator).writerows(rows)
    text = written.getvalue()
    table = read_raw(tmp_path_factory, text.encode(), separator)
    assert table.data == text.encode()
    assert len(table.cells) == len(rows)
    table.put(0, 1, 'new "one"')
    read = cells(table.data.decode(), separator)
    assert read[0][1] == 'new "one"'
    read[0][1] = rows[0][1]
    assert read == cells(text, separator)


@pytest.mark.parametrize(
    ("header", "row", "column", "points"),
    [
        ("Student ID,Email,Username,Enrollment Track,HW 1 (Earned),HW 1 (Possible)", "audit,,20", "HW 1 (Earned)", 20),
        ("user_id,email,username,course_id,track,new_override-ab12", "course,audit,", "new_override-ab12", 100),
    ],
)
def test_columns_of_open_edx_with_points_beside_them_and_without_a_name(tmp_path, header, row, column, points):
    path = saved(tmp_path, f"{header}\n1,a@x.org,007,{row}\n2,b@x.org,008,{row}\n")
    found = make_gradebook(path, {"007": 50.0, "008": 80.0})
    assert (found.column, found.points, found.filled) == (column, points, 2)
    assert f"{points // 2}" in found.data.decode()
