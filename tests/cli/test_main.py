import ast
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from peerorder import cli as package
from peerorder._version import __version__
from peerorder.cli import cli, main, run
from peerorder.core.errors import PartlyDone
from peerorder.files import FileError, Problem


def test_help_lists_every_command(peerorder):
    result = peerorder("--help")
    assert result.code == 0
    for name in cli.commands:
        assert f"\n  {name} " in result.out


def test_nothing_asked_is_help(peerorder):
    result = peerorder()
    assert result.code == 0
    assert result.out == peerorder("--help").out
    assert result.err == ""


def test_version(peerorder):
    assert peerorder("--version").out == f"peerorder {__version__}\n"


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_explains_itself_with_an_example(peerorder, name):
    result = peerorder(name, "--help")
    assert result.code == 0
    assert f"Example: peerorder {name}" in " ".join(result.out.split())


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from peerorder.cli import run; run(['--help']); run(['simulate', '--help']); "
        "print('loaded', [m for m in ('numpy', 'scipy', 'numba', 'matplotlib', 'rich') if m in sys.modules])"
    )
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout.splitlines()[-1] == "loaded []"


def test_the_module_is_the_command():
    seen = subprocess.run([sys.executable, "-m", "peerorder", "--version"], capture_output=True, text=True, check=True)
    assert seen.stdout == f"peerorder {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulte"], ["simulte", "peerorder --help"]),
        (["simulate", "--frobnicate"], ["--frobnicate", "peerorder simulate --help"]),
        (["simulate", "-n", "many"], ["many", "-n", "integer"]),
    ],
)
def test_a_wrong_command_line_is_one_line(refused, arguments, words):
    line = refused(*arguments)
    for word in words:
        assert word in line


def raising(error):
    def callback():
        raise error

    return click.Command("broken", callback=callback)


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (PartlyDone("half of it is there"), 3, "peerorder: half of it is there\n"),
        (
            MemoryError(),
            2,
            "peerorder: not enough memory; choose a smaller n or k, or another rule\n",
        ),
        (KeyboardInterrupt(), 3, "peerorder: stopped; nothing was written\n"),
        (click.FileError("x.csv", "no such file"), 2, "peerorder: Could not open file 'x.csv': no such file\n"),
    ],
)
def test_exit_codes(monkeypatch, capsys, error, code, line):
    monkeypatch.setitem(cli.commands, "broken", raising(error))
    assert run(["broken"]) == code
    # click itself ends the line of an interrupted terminal with a newline.
    assert capsys.readouterr().err.lstrip("\n") == line


def several(many):
    return FileError(Problem(Path("r.csv"), row, "rank", f"-{row} is no rank", "write 1") for row in range(2, 2 + many))


def test_one_problem_with_a_file_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(cli.commands, "broken", raising(several(1)))
    assert run(["broken"]) == 2
    assert capsys.readouterr().err == "peerorder: r.csv, row 2, column rank: -2 is no rank; write 1\n"


def test_several_problems_with_a_file_are_a_line_each_below_their_number(monkeypatch, capsys):
    monkeypatch.setitem(cli.commands, "broken", raising(several(3)))
    assert run(["broken"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "peerorder: 3 problems with the input; nothing was written",
        *(f"r.csv, row {row}, column rank: -{row} is no rank; write 1" for row in (2, 3, 4)),
    ]


def test_of_very_many_problems_the_first_are_shown(monkeypatch, capsys):
    monkeypatch.setitem(cli.commands, "broken", raising(several(1021)))
    assert run(["broken"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "peerorder: 1,021 problems with the input; nothing was written"
    assert len(lines) == 22
    assert lines[-1] == "and 1,001 more; correct these first"


def test_a_bug_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setitem(cli.commands, "broken", raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        run(["broken"])


def test_a_reader_who_has_seen_enough_is_no_error():
    command = [sys.executable, "-m", "peerorder", "rules"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_main_exits_with_the_code(monkeypatch):
    monkeypatch.setattr(package, "run", lambda arguments: 2)
    with pytest.raises(SystemExit) as exit_:
        main([])
    assert exit_.value.code == 2


def test_errors_of_the_library_name_options_here(tmp_path, capsys):
    (tmp_path / "r.csv").write_text("grader,paper,rank\nann,x,1\nann,y,2\n")
    assert run(["grade", str(tmp_path / "r.csv"), "--staff-weight", "0", "--out", str(tmp_path / "g.csv")]) == 2
    assert "--staff-weight is 0" in capsys.readouterr().err


def test_the_library_names_no_options():
    """Errors that it raises are read by people in notebooks and in the browser too."""
    library = Path(package.__file__).parents[1]
    paths = [path for path in library.rglob("*.py") if {"cli", "web"}.isdisjoint(path.relative_to(library).parts)]
    wrong = [
        f"{path.name}:{node.lineno}"
        for path in paths
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Raise) and re.search(r"(?<!reproduce )--[a-z]", ast.unparse(node))
    ]
    assert wrong == []
