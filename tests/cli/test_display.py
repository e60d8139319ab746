import numpy as np
import pytest

from peerorder.cli import display


def test_a_spinner_is_for_terminals(monkeypatch, capsys):
    with display.merging(["posterior"]):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    with display.merging(["borda"]):
        pass
    assert "merging" in capsys.readouterr().err


def test_a_bar_says_what_it_waits_for_until_something_is_done():
    seen = []
    reporter = display.Reporter(lambda **what: seen.append(what), "simulating")
    reporter(0, 2)
    assert seen == [{"completed": 0, "total": 2}]
    reporter(1, 2)
    reporter(2, 2)
    assert [what["description"] for what in seen if "description" in what] == ["simulating"]


def test_wrapped_lines_are_indented_and_end_without_blanks(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    display.show_entry(
        "borda", "the share of comparisons won by a paper", [("from", "Borda and some others, 1781 to 2015")]
    )
    display.say("   So much **bold text** that it takes more than one line.")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert all(line == line.rstrip() for line in lines)
    assert [len(line) - len(line.lstrip()) for line in lines[:4]] == [0, 2, 4, 6]
    assert {len(line) - len(line.lstrip()) for line in lines[-2:]} == {3}


@pytest.mark.parametrize(("number", "said"), [(0, "0 papers"), (1, "1 paper"), (1200, "1,200 papers")])
def test_numbers_with_their_nouns(number, said):
    assert display.count(number, "paper") == said


def test_a_column_in_which_nothing_is_known_is_left_out(capsys):
    display.show_table(("paper", "interval", "mark"), [("a", None, None), (display.GAP,) * 3, ("b", None, 1.5)])
    out = capsys.readouterr().out
    assert "interval" not in out
    assert "mark" in out
    assert "None" not in out
    display.show_table(("paper", "mark"), [])
    assert "mark" in capsys.readouterr().out


def test_rows_for_json_have_no_number_that_is_none():
    table = {"paper": ["a", "b", "c"], "mark": np.array([1.0, np.nan, 3.0])}
    assert display.records(table, slice(2)) == [{"paper": "a", "mark": 1.0}, {"paper": "b", "mark": None}]


def test_names_are_said_where_there_are_any(capsys):
    display.say_names([], "{count} graders: {names}.")
    display.say_names(["a", "b"], "{count} graders: {names}.")
    assert capsys.readouterr().out == "2 graders: a, b.\n"
