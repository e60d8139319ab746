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
