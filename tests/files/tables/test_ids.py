from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from peerorder.files.formats.sheets import column_of
from peerorder.files.tables.ids import check_ids, lookalikes, normalise_id
from peerorder.files.tables.row_problems import RowProblems

PATH = Path("class.csv")


def check(texts, may_be_empty=None):
    """What is wrong, which rows are good, and the notes; the rows begin at 2."""
    problems = RowProblems(PATH, np.arange(len(texts)) + 2)
    check_ids(problems, column_of(pa.array(texts)), lambda at: f"paper{at}", may_be_empty)
    wrong = [(problem.row, problem.column, problem.cause) for problem in problems.collected]
    return wrong, problems.good.tolist(), tuple(problems.notes)


def test_ids_may_be_anything_that_can_be_read():
    texts = ["007", "ann", "Ann", "a b", "Zoë", "#1", "#team", "a=b", "1/2", "3-5", "2024-1", "12.5", "may", "mayer-12"]
    assert check(texts) == ([], [True] * len(texts), ())


def test_an_empty_cell_is_no_id():
    wrong, good, _ = check(["a", "", "b", " "])
    assert wrong == [(3, "paper1", "this cell is empty"), (5, "paper3", "this cell is empty")]
    assert good == [True, False, True, False]


def test_an_empty_cell_where_there_may_be_one():
    assert check(["a", "", ""], np.array([False, True, False])) == (
        [(4, "paper2", "this cell is empty")],
        [True, True, False],
        (),
    )


@pytest.mark.parametrize("text", ["#N/A", "#REF!", "#NAME?", "#VALUE!", "#DIV/0!", "#n/a"])
def test_errors_of_a_spreadsheet_are_no_ids(text):
    assert check(["a", text, "b"]) == (
        [(3, "paper1", f"this is a spreadsheet error, {text}")],
        [True, False, True],
        (),
    )


def test_a_huge_id_is_none():
    wrong, good, _ = check(["a" * 1000, "é" * 1001])
    assert wrong == [(3, "paper1", f"the ID {'é' * 57}... has more than 1,000 characters")]
    assert good == [True, False]


@pytest.mark.parametrize("text", ["p1\nbob", "a\tb", "x\x01"])
def test_line_breaks_and_the_like_are_no_part_of_an_id(text):
    wrong, good, _ = check(["a", text])
    assert wrong == [(3, "paper1", f"the ID {text!r} has a line break or a tab in it")]
    assert good == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "3-May",
        "03-May",
        "3. Mai",
        "05.03.2024",
        "5/3/2024",
        "05/03/24",
        "2024-05-03",
        "May-24",
        "5-Mrz",
        "12-août",
        "2024-05-03 00:00:00",
        "1-Dec-2024",
        "03.Sep",
        "3-ene",
    ],
)
def test_what_looks_like_a_date_is_noted(text):
    wrong, good, [note] = check(["a", text])
    assert (wrong, good) == ([], [True, True])
    assert note.startswith(f"class.csv, row 3, column paper1: {text} looks like a date, which spreadsheets make of")


@pytest.mark.parametrize("text", ["1.23457E+15", "1E+05", "1,2E+10"])
def test_what_looks_like_a_rounded_number_is_noted(text):
    _, _, [note] = check([text, "b"])
    assert note.startswith(f"class.csv, row 2, column paper0: {text} looks like a rounded number")


def test_several_are_noted_together():
    _, _, [note] = check(["a", "3-May", "4-May", "3-May", "5-May"])
    assert "row 3, column paper1: 3-May (and 2 more) looks like a date" in note


@pytest.mark.parametrize("text", ["1e5", "1e-5", "30-a", "3.5.1", "99.99.9999x", "v1.2"])
def test_what_is_no_date_is_not_noted(text):
    assert check(["a", text])[2] == ()


def test_ids_that_are_easily_mistaken_are_noted():
    words = pa.array(["ann", "bob", "Ann", "c d", "cd", "C  D", "e"])
    [note] = lookalikes(PATH, words)
    assert note == (
        "class.csv: these IDs differ only in case or spaces, and count as different: ann and Ann; c d, cd and C  D"
    )


def test_of_many_that_are_easily_mistaken_some_are_named():
    words = pa.array([f"{letter}{number}" for number in range(50) for letter in "aA"])
    [note] = lookalikes(PATH, words)
    assert note.endswith("a0 and A0; a1 and A1; a2 and A2, ...")


def test_others_are_not():
    assert lookalikes(PATH, pa.array(["ann", "anna", "b 1", "b 2"])) == ()
    assert lookalikes(PATH, pa.array([], pa.string())) == ()


@pytest.mark.parametrize(("one", "other"), [("Ann", "aNN"), ("a b", "ab"), ("STRASSE", "straße"), ("a\xa0b", "A B")])
def test_folded(one, other):
    assert normalise_id(one) == normalise_id(other)
