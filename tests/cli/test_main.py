import subprocess
import sys

import click
import pytest

from peerorder import cli as package
from peerorder._version import __version__
from peerorder.cli import cli, main, run
from peerorder.core.errors import PartlyDone


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
            "peerorder: there is not enough memory for this; choose a smaller n or k, or another rule\n",
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
