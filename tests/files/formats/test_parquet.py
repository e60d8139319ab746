import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from peerorder.files import read_sheet
from peerorder.files.formats.sheets import wanted_names


@pytest.fixture
def parquet(tmp_path):
    def write(columns):
        path = tmp_path / "file.parquet"
        pq.write_table(pa.table(columns), path)
        return path

    return write


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (["007", " a ", None], ["007", "a", ""]),
        ([1, 2, None], ["1", "2", ""]),
        ([1.0, 2.5, float("nan"), 1e300], ["1", "2.5", "", "1e+300"]),
        ([True, False], ["true", "false"]),
        ([decimal.Decimal("3.00"), None], ["3.00", ""]),
        (pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
        (pa.array([1.0, 2.0, 1.0]).dictionary_encode(), ["1", "2", "1"]),
        (pa.array(["a"], pa.large_string()), ["a"]),
        (pa.array([b"a"], pa.binary()), ["a"]),
    ],
)
def test_texts_and_numbers_as_people_write_them(parquet, values, texts):
    path = parquet({"other": ["x"] * len(values), " Paper": values})
    assert read_sheet(path)["paper"].tolist() == texts


def test_rows_are_counted_from_one_and_empty_ones_left_out(parquet):
    sheet = read_sheet(parquet({"a": ["x", None, "y"], "b": ["1", None, "2"]}))
    assert sheet.rows.tolist() == [1, 3]


def test_dates_and_lists_are_no_text(parquet, complaints):
    path = parquet({"a": [datetime.date(2024, 5, 3)], "b": [["x"]], "c": ["1"]})
    assert [problem[:2] for problem in complaints(read_sheet, path)] == [(None, "a"), (None, "b")]
    assert read_sheet(path, wanted_names("c"))["c"].tolist() == ["1"]


@pytest.mark.parametrize("content", [b"", b"PAR1", b"a,b\n1,2\n", b"PAR1" + bytes(40) + b"PAR1"])
def test_what_is_no_parquet(file, complaints, content):
    [(row, column, cause)] = complaints(read_sheet, file(content, "file.parquet"))
    assert (row, column) == (None, None)
    assert cause.startswith("it cannot be read as Parquet (")


def test_bytes_that_are_no_text(parquet, complaints):
    assert "as Parquet" in complaints(read_sheet, parquet({"a": pa.array([b"\xff\xfe"], pa.binary())}))[0][2]
