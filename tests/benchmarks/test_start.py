"""The benchmark of first commands grades what it says, and holds it to what it says."""

import sys

from benchmarks import start


def test_the_first_grade_is_timed_once_and_warm_ones_beside_imports(monkeypatch, tmp_path):
    monkeypatch.setattr(start, "FIRST", 12)
    monkeypatch.setattr(start, "WARM", 20)
    ran = []

    def seconds(command, folder):
        ran.append(command)
        return 8.0 if len(ran) == 1 else 0.5 if start.IMPORTS in command else 1.5

    monkeypatch.setattr(start, "_seconds", seconds)
    first, borda, default = start.started(sys.executable, tmp_path, repeat=3)
    assert first.ours.values == (8.0,)
    assert first.met
    assert (borda.ratio, borda.met) == (3.0, False)
    assert (default.ratio, default.met) == (3.0, True)
    assert len(ran) == 1 + 3 * (1 + 3)
    # The files are there, and the command is one that works.
    monkeypatch.undo()
    assert start._seconds([*ran[0], "--rule", "borda"], tmp_path) > 0
    assert (tmp_path / "12.csv").read_text().count("\n") == 13
