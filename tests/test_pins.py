"""Pinned requirements that are out of date, or could be replaced by something else, are named."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PINNED = {"production.txt": "web", "development.txt": "dev,docs"}


def check(pyproject, folder):
    files = [f"{folder / name}={extras}" for name, extras in PINNED.items()]
    command = [sys.executable, ROOT / ".ci" / "check-pins", pyproject, *files]
    seen = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in seen.stderr
    return seen.returncode, seen.stderr


@pytest.fixture
def folder(tmp_path):
    for name in PINNED:
        (tmp_path / name).write_bytes((ROOT / "requirements" / name).read_bytes())
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return tmp_path


def test_they_are_up_to_date(folder):
    assert check(ROOT / "pyproject.toml", ROOT / "requirements") == (0, "")


@pytest.mark.parametrize(
    ("file", "old", "new", "named"),
    [
        ("pyproject.toml", '"Django>=5.2.19,<6"', '"Django>=99"', "Django"),
        ("pyproject.toml", '"nh3>=0.3"', '"nh3>=0.3", "brand-new>=1"', "brand-new"),
        ("production.txt", "nh3==", "nh4==", "nh3"),
        ("production.txt", "nh3==", "nh3==0.0.1 # ", "nh3"),
        ("production.txt", "nh3==", "unhashed==1.0\nnh3==", "unhashed"),
        ("production.txt", "nh3==", "--find-links /somewhere\nnh3==", "folder"),
        ("production.txt", "nh3==", "--index-url https://evil.example.org/simple\nnh3==", "index"),
    ],
)
def test_what_is_out_of_date_is_named(folder, file, old, new, named):
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), "utf-8")
    code, said = check(folder / "pyproject.toml", folder)
    assert code == 2
    assert any(named in line for line in said.splitlines())
    assert "make pins" in said
