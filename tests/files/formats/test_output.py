import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core.errors import InputError
from peerorder.files import check_writable, read_sheet, write_table
from peerorder.files.formats import output

COLUMNS = {
    "place": np.array([1, 2]),
    "paper": ("007", "=1+1"),
    "score": np.array([0.5, np.nan]),
    "mark": [None, 3.25],
    "flag": [None, None],
}


def test_csv_as_people_write_it(tmp_path):
    path = tmp_path / "grades.csv"
    write_table(path, COLUMNS)
    assert path.read_text() == "place,paper,score,mark,flag\n1,007,0.5,,\n2,=1+1,,3.25,\n"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["x.csv", "x.xlsx", "x.parquet", "x.PQ", "x.txt", "x.tsv"])
def test_what_is_written_can_be_read_again(tmp_path, name):
    path = tmp_path / name
    write_table(path, COLUMNS)
    sheet = read_sheet(path)
    assert {column: sheet[column].tolist() for column in sheet.columns} == {
        "place": ["1", "2"],
        "paper": ["007", "=1+1"],
        "score": ["0.5", ""],
        "mark": ["", "3.25"],
        "flag": ["", ""],
    }


@given(st.lists(st.text('ab ,;"\n\r\té=@', max_size=4)), st.sampled_from(["x.csv", "x.xlsx", "x.parquet"]))
def test_texts_of_all_kinds_can_be_read_again(tmp_path_factory, texts, name):
    path = tmp_path_factory.getbasetemp() / name
    write_table(path, {"number": range(len(texts)), "text": texts})
    # A workbook holds line breaks of one kind alone; and ="..." is a way to say that something is text.
    expected = [text.replace("\r\n", "\n").strip() for text in texts]
    read = [text.replace("\r\n", "\n") for text in read_sheet(path)["text"].tolist()]
    assert read == [text if not text.startswith('="') else read[at] for at, text in enumerate(expected)]


def test_tsv_has_tabs(tmp_path):
    write_table(tmp_path / "x.tsv", {"a": ["1, 2", "3\t4"], "b": ["x", "y"]})
    assert (tmp_path / "x.tsv").read_text() == 'a\tb\n"1, 2"\t"x"\n"3\t4"\t"y"\n'


def test_no_rows(tmp_path):
    for name in ("x.csv", "x.xlsx", "x.parquet"):
        write_table(tmp_path / name, {"a": [], "b": np.array([])})
        assert list(read_sheet(tmp_path / name).columns) == ["a", "b"]


def test_more_rows_than_a_workbook_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "XLSX_ROWS", 2)
    write_table(tmp_path / "x.xlsx", {"a": [1, 2]})
    with pytest.raises(InputError, match=r"3 rows do not fit into a workbook; write CSV or Parquet instead$"):
        write_table(tmp_path / "y.xlsx", {"a": [1, 2, 3]})
    assert not (tmp_path / "y.xlsx").exists()


def test_numbers_keep_all_their_digits(tmp_path):
    path = tmp_path / "x.csv"
    write_table(path, {"a": [math.pi, 1e-300, 1 / 3]})
    assert [float(text) for text in read_sheet(path)["a"].tolist()] == [math.pi, 1e-300, 1 / 3]


def test_a_file_that_can_be_written(tmp_path):
    check_writable(tmp_path / "new" / "grades.csv", "--out")
    assert list((tmp_path / "new").iterdir()) == []


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match=r"^--graders .* is a folder; give the name of a file$"):
        check_writable(tmp_path, "--graders")


def test_a_file_is_no_folder(file):
    path = file("x")
    with pytest.raises(InputError, match=r"^--graders .*below.csv cannot be written to \(.*\); choose another name$"):
        check_writable(path / "below.csv", "--graders")


def test_a_name_that_is_too_long(tmp_path):
    with pytest.raises(
        InputError, match=r"^--out .* cannot be written to \(File name too long\); choose another name$"
    ):
        check_writable(tmp_path / ("x" * 250 + ".csv"), "--out")
