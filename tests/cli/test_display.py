import pytest

from peerorder.cli import display


@pytest.mark.parametrize(
    ("rules", "compiled", "said"),
    [
        (["borda", "posterior:tie-quality-to-place=yes"], False, True),
        (["Posterior"], True, False),
        (["borda"], False, False),
    ],
)
def test_compiling_is_said_where_it_will_take_a_while(monkeypatch, rules, compiled, said):
    monkeypatch.setattr("peerorder.core.jit.is_compiled", lambda function: compiled)
    assert (display.compiling(rules) is not None) == said


def test_a_spinner_is_for_terminals(monkeypatch, capsys):
    with display.merging(["posterior"]):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("peerorder.core.jit.is_compiled", lambda function: False)
    with display.merging(["posterior"]):
        pass
    assert "compiling, once" in capsys.readouterr().err


def test_a_bar_says_what_it_waits_for_until_something_is_done():
    seen = []
    reporter = display.Reporter(lambda **what: seen.append(what), "simulating")
    reporter(0, 2)
    assert seen == [{"completed": 0, "total": 2}]
    reporter(1, 2)
    reporter(2, 2)
    assert [what["description"] for what in seen if "description" in what] == ["simulating"]
