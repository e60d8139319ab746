"""Running the command line in this process, as a person would see it."""

from dataclasses import dataclass

import pytest

from peerorder.cli import run


@dataclass
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def peerorder(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: object) -> Result:
        code = run([str(argument) for argument in arguments])
        seen = capsys.readouterr()
        return Result(code, seen.out, seen.err)

    return call


@pytest.fixture
def refused(peerorder):
    """Bad input: exit code 2, nothing on stdout, one line on stderr."""

    def call(*arguments: object) -> str:
        result = peerorder(*arguments)
        assert result.code == 2, result
        assert result.out == ""
        assert result.err.startswith("peerorder: ")
        assert result.err.endswith("\n")
        assert result.err.count("\n") == 1, result.err
        return result.err

    return call
