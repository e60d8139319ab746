import errno
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from peerorder.files import read_sheet
from peerorder.files.formats.sheets import column_of, wanted_names


def rows_of(sheet):
    return {int(row): tuple(sheet[name][at] for name in sheet.columns) for at, row in enumerate(sheet.rows)}


def test_a_column_holds_each_text_once():
    column = column_of(pa.array(["b", "a", " b ", "", None]))
    assert column.texts == ("b", "a", "")
    assert column.codes.tolist() == [0, 1, 0, 2, 2]
    assert column.tolist() == ["b", "a", "b", "", ""]
    assert column[2] == "b"
    assert column.empty.tolist() == [False, False, False, True, True]
    assert len(column) == 5


def test_a_column_without_gaps_has_no_empty_rows():
    assert column_of(pa.array(["a", "b"])).empty.tolist() == [False, False]


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", ""]), st.booleans())))
def test_some_rows_of_a_column(rows):
    texts = [text for text, _ in rows]
    kept = np.array([keep for _, keep in rows], bool)
    some = column_of(pa.array(texts, pa.string())).some(kept)
    left = [text for text, keep in rows if keep]
    assert some.tolist() == left
    assert list(some.texts) == list(dict.fromkeys(left))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (" a ", "a"),
        ("\xa0a\u2003", "a"),
        ("a b", "a b"),
        ("007", "007"),
        ("1e5", "1e5"),
        ("1.0", "1.0"),
        ('="007"', "007"),
        ('=" 007 "', "007"),
        ("=1+1", "=1+1"),
        ('="', '="'),
        ("NA", "NA"),
        ("null", "null"),
        ("True", "True"),
    ],
)
def test_cells_are_kept_as_they_are_but_for_blanks_around_them(cell, text):
    assert column_of(pa.array([cell])).texts == (text,)


def test_columns_in_any_order_and_case_and_extra_ones(file):
    sheet = read_sheet(file("Comment, RANK ,grader,Paper,,comment\nx,1,ann,p1,y,z\n"), wanted_names("grader", "rank"))
    assert {name: sheet[name].tolist() for name in sheet.columns} == {"rank": ["1"], "grader": ["ann"]}
    assert sheet.header == ("comment", "rank", "grader", "paper", "", "comment")
    assert "paper" not in sheet


def test_all_columns_where_nobody_says_which(file):
    assert list(read_sheet(file("b,A\n1,2\n")).columns) == ["b", "a"]


def test_blank_rows_are_left_out_and_counted(file):
    sheet = read_sheet(file("a,b\n\n1,2\n,\n \t, \n\n3,4\n\n"))
    assert rows_of(sheet) == {3: ("1", "2"), 7: ("3", "4")}


def test_rows_with_nothing_in_the_columns_that_matter_are_blank(file):
    assert rows_of(read_sheet(file("a,b\n,x\n1,2\n"), wanted_names("a"))) == {3: ("1",)}


@pytest.mark.parametrize("again", ["a,b", "A,B", " a , B"])
def test_headers_once_more_are_left_out_with_a_note(file, again):
    path = file(f"a,b\n{again}\n1,2\n{again}\na,x\n")
    sheet = read_sheet(path)
    assert rows_of(sheet) == {3: ("1", "2"), 5: ("a", "x")}
    assert sheet.notes == (f"{path}, row 2, 4: the header again, which is skipped",)


def test_many_headers_once_more(file):
    sheet = read_sheet(file("a,b\n" * 20))
    assert len(sheet) == 0
    assert "row 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, ...: the header" in sheet.notes[0]


def test_a_name_over_two_columns(file, complaints):
    path = file("a,b, A\n1,2,3\n")
    assert complaints(read_sheet, path) == [(1, "a", "more than one column has this name")]
    assert read_sheet(path, wanted_names("b"))["b"].tolist() == ["2"]


def test_the_row_of_a_header_below_blank_lines(file, complaints):
    assert complaints(read_sheet, file("\n\na,a\n"))[0][:2] == (3, "a")


def test_columns_that_are_missing(file, complaints):
    sheet = read_sheet(file("student;name\nann;Ann\n"))
    sheet.need("a roster", ["student"])
    cause = "a file needs the columns paper, rank, but this file has student, name"
    assert complaints(sheet.need, "a file", ["student", "paper", "rank"]) == [(None, None, cause)]


def test_long_and_odd_headers_are_shown_short(file, complaints):
    names = ["x" * 100, '"two\nlines"', *map(str, range(20))]
    [(_, _, cause)] = complaints(read_sheet(file(",".join(names) + "\n")).need, "a file", ["paper"])
    assert cause.endswith("6, 7, 8, 9, ...")
    assert "x" * 57 + "..., 'two\\nlines', 0, 1" in cause


def test_no_such_file(tmp_path, complaints):
    assert complaints(read_sheet, tmp_path / "none.csv") == [(None, None, "file not found")]


def test_a_folder(tmp_path, complaints):
    assert complaints(read_sheet, tmp_path) == [(None, None, "this is a folder")]


@pytest.mark.parametrize("name", ["file.csv", "file.parquet"])
def test_no_permission(file, complaints, monkeypatch, name):
    # Nothing stops the root user, so the refusal is made here.
    def refuse(self):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert "(Permission denied)" in complaints(read_sheet, file("a\n1\n", name))[0][2].replace("[Errno 13] ", "")


def test_a_pipe_is_read_like_a_file(tmp_path):
    import threading

    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=["a,b\n1,2\n"])
    writer.start()
    assert rows_of(read_sheet(path)) == {2: ("1", "2")}
    writer.join()
