import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.core import InputError
from peerorder.files import read_rows, write_rows

COLUMNS = ["k", "recovered", "rule"]


def looks_like_a_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: not looks_like_a_number(text))
values = st.none() | st.integers() | st.floats(allow_nan=False) | texts


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return tmp_path_factory.mktemp("tables") / "table.csv"


@given(st.lists(st.fixed_dictionaries(dict.fromkeys(COLUMNS, values))))
def test_rows_written_and_read_are_the_same(table, rows):
    write_rows(table, COLUMNS, rows)
    again = read_rows(table)
    assert again == rows
    assert [[type(value) for value in row.values()] for row in again] == [
        [type(row[column]) for column in COLUMNS] for row in rows
    ]


@given(st.lists(st.fixed_dictionaries({"only": values})))
def test_one_column_keeps_its_empty_rows(table, rows):
    write_rows(table, ["only"], rows)
    assert read_rows(table) == rows


def test_what_stands_in_the_file(tmp_path):
    path = tmp_path / "table.csv"
    rows = [
        {"rule": "borda", "k": 8, "recovered": 94.25, "left out": 1},
        {"rule": 'a "b", c', "k": None, "recovered": np.float64(0.1) + 0.2},
        {"rule": "two\r\nlines\r", "k": np.int64(3), "recovered": 1e-300},
    ]
    write_rows(path, COLUMNS, iter(rows))
    assert path.read_bytes() == (
        b'k,recovered,rule\n8,94.25,borda\n,0.30000000000000004,"a ""b"", c"\n3,1e-300,"two\r\nlines\r"\n'
    )


def test_no_rows_leave_the_header(tmp_path):
    path = tmp_path / "table.csv"
    write_rows(path, COLUMNS, [])
    assert path.read_text() == "k,recovered,rule\n"
    assert read_rows(path) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        ("007", 7),
        ("7.", 7.0),
        (".5", 0.5),
        ("-1.5E+3", -1500.0),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("1" * 5000, math.inf),
        ("1_000", "1_000"),
        (" 7", " 7"),
        ("٣", "٣"),
        ("0x10", "0x10"),
        ("infinity", "infinity"),
        ("yes", "yes"),
        ("", None),
    ],
)
def test_what_counts_as_a_number(tmp_path, text, value):
    path = tmp_path / "table.csv"
    path.write_text(f"a,b\n{text},1\n", encoding="utf-8")
    (row,) = read_rows(path)
    assert row == {"a": value, "b": 1}
    assert type(row["a"]) is type(value)


def test_not_a_number_is_read_as_one(tmp_path):
    path = tmp_path / "table.csv"
    write_rows(path, ["a"], [{"a": math.nan}])
    assert math.isnan(read_rows(path)[0]["a"])


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"a,b\n1,2\n3\n", 3, "number of columns differs"),
        (b"a,b\n1,2,3\n", 2, "number of columns differs"),
        (b'a,b\n1,"2\n', 2, "not CSV in UTF-8"),
        (b'a,b\n1,"2"3\n', 2, "not CSV in UTF-8"),
        (b"a,b\n1,\xff\n", None, "not CSV in UTF-8"),
    ],
)
def test_files_that_are_no_tables(tmp_path, content, line, message):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_rows(path)
    assert str(path) in str(caught.value)
    if line:
        assert f"line {line}:" in str(caught.value)


def test_rows_that_fail_half_way_leave_the_old_table(tmp_path):
    path = tmp_path / "table.csv"
    write_rows(path, ["a"], [{"a": 1}])

    def rows():
        yield {"a": 2}
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_rows(path, ["a"], rows())
    with pytest.raises(KeyError):
        write_rows(path, ["a"], [{"b": 2}])
    assert read_rows(path) == [{"a": 1}]
    assert list(tmp_path.iterdir()) == [path]
