from pathlib import Path

import pytest

from peerorder.core.errors import InputError
from peerorder.files import FileError, Problem
from peerorder.files.formats.problems import Problems, shown

PATH = Path("folder/class.csv")


@pytest.mark.parametrize(
    ("row", "column", "line"),
    [
        (7, "rank", "folder/class.csv, row 7, column rank: it is odd; mend it"),
        (7, None, "folder/class.csv, row 7: it is odd; mend it"),
        (None, "rank", "folder/class.csv, column rank: it is odd; mend it"),
        (None, None, "folder/class.csv: it is odd; mend it"),
        (1, "two\nlines", "folder/class.csv, row 1, column 'two\\nlines': it is odd; mend it"),
    ],
)
def test_a_problem_is_one_line_with_file_row_column_cause_and_cure(row, column, line):
    assert str(Problem(PATH, row, column, "it is odd", "mend it")) == line


def found(*rows):
    problems = Problems(PATH)
    for row in rows:
        problems.add(row, "rank", f"{row} is odd", "mend it")
    return problems


def test_all_problems_are_raised_at_once_by_row_and_each_once():
    with pytest.raises(FileError) as caught:
        found(9, 3, None, 9, 12).raise_if_any()
    assert [problem.row for problem in caught.value.problems] == [None, 3, 9, 12]
    assert str(caught.value).splitlines() == [str(problem) for problem in caught.value.problems]
    assert isinstance(caught.value, InputError)


@pytest.mark.parametrize(
    ("many", "last"), [(21, "and 1 more; correct these first"), (1044, "and 1,024 more; correct these first")]
)
def test_a_message_shows_twenty_and_counts_the_rest(many, last):
    with pytest.raises(FileError) as caught:
        found(*range(2, many + 2)).raise_if_any()
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == last
    assert lines[19].startswith("folder/class.csv, row 21,")
    assert len(caught.value.problems) == many


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ((5,), "row 5"),
        ((3, 4), "rows 3, 4"),
        ((41, *range(2, 40)), "rows 2 to 39, 41"),
        (range(1, 40, 2), "rows 1, 3, 5, 7, 9, 11 and 14 more"),
    ],
)
def test_what_is_wrong_with_many_rows_is_said_once(rows, line):
    error = FileError(Problem(PATH, row, "role", "it is odd", "mend it") for row in rows)
    assert str(error) == f"folder/class.csv, {line}, column role: it is odd; mend it"
    assert len(error.problems) == len(rows)


def test_other_causes_and_other_columns_have_lines_of_their_own():
    causes = [("role", "odd"), ("role", "even"), ("name", "odd"), ("role", "odd")]
    error = FileError(Problem(PATH, row, column, cause, "mend it") for row, (column, cause) in enumerate(causes, 2))
    assert str(error).splitlines() == [
        "folder/class.csv, rows 2, 5, column role: odd; mend it",
        "folder/class.csv, row 3, column role: even; mend it",
        "folder/class.csv, row 4, column name: odd; mend it",
    ]


def test_nothing_found_is_nothing_raised():
    found().raise_if_any()
    assert found().raise_or_drop(lenient=False) == ()


def test_lenient_tells_what_strict_raises():
    with pytest.raises(FileError) as caught:
        found(5, 2).raise_or_drop(lenient=False)
    assert found(5, 2).raise_or_drop(lenient=True) == caught.value.problems


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Ann Müller", "Ann Müller"),
        ("a\tb", "'a\\tb'"),
        ("a\xa0b", "'a\\xa0b'"),
        ("\u200bp1", "'\\u200bp1'"),
        ("x" * 61, "x" * 57 + "..."),
        ("x" * 60, "x" * 60),
    ],
)
def test_what_people_wrote_fits_a_line(text, line):
    assert shown(text) == line
