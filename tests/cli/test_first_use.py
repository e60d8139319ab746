import pkgutil
from importlib import import_module

import pytest

import peerorder
from peerorder.cli import first_use, run
from peerorder.core import jit


def import_everything():
    for module in pkgutil.walk_packages(peerorder.__path__, "peerorder."):
        if not module.name.startswith(("peerorder.web", "peerorder.cli", "peerorder.__main__")):
            import_module(module.name)


def test_after_preparing_no_kernel_is_missing():
    for part in first_use.PARTS:
        part()
    import_everything()
    assert [f"{function.__module__}.{function.__name__}" for function in jit.uncompiled()] == []


def test_what_is_there_is_not_prepared_again(monkeypatch, capsys):
    monkeypatch.setattr(first_use, "PARTS", [lambda: pytest.fail("prepared again")])
    monkeypatch.setattr(jit, "uncompiled", lambda modules: [])
    assert run(["prepare"]) == 0
    assert "already" in capsys.readouterr().out


def test_what_cannot_be_kept_is_not_prepared(monkeypatch, capsys):
    monkeypatch.setattr(jit, "cache_folder", lambda function: None)
    monkeypatch.setattr(first_use, "prepare", lambda *_: pytest.fail("compiled for nothing"))
    assert run(["prepare"]) == 2
    assert "NUMBA_CACHE_DIR" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rules", "compiled", "said"),
    [
        (["borda", "posterior:tie-quality-to-place=yes"], False, True),
        (["Posterior"], True, False),
        (["borda"], False, False),
    ],
)
def test_preparing_is_said_in_one_line_where_it_will_take_a_while(monkeypatch, capsys, rules, compiled, said):
    monkeypatch.setattr(jit, "is_compiled", lambda function: compiled)
    monkeypatch.setattr(first_use, "default_rule", lambda: None)
    first_use.prepare_rules(rules)
    assert capsys.readouterr().err.count("\n") == said


SOURCE = """
from peerorder.core.jit import kernel, subroutine


@subroutine
def half(x):
    return x / 2


@kernel
def quarter(x):
    return half(half(x))
"""


def test_the_bar_counts_kernels_and_their_parts(monkeypatch):
    names = {"__name__": "quarters"}
    monkeypatch.setattr(jit, "FUNCTIONS", [])
    # Without a file nothing is kept, so that it is compiled here.
    exec(compile(SOURCE, "<no file>", "exec"), names)
    seen = []
    monkeypatch.setattr(first_use.display.Reporter, "__call__", lambda _, done, total: seen.append((done, total)))
    assert first_use.prepare([lambda: names["quarter"](8)], ("quarters",)) == 2
    assert seen == [(0, 2), (1, 2), (2, 2)]
    assert first_use.prepare([lambda: names["quarter"](8)], ("quarters",)) == 0
