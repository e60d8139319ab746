"""Tests that are left out: said at the end, or failures where nothing may be left out."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TEST = """
import pytest

@pytest.fixture
def engine():
    pytest.skip("there is no engine; buy one")

def test_drive(engine):
    pass

@pytest.mark.xfail
def test_fly():
    assert False

def test_walk():
    pass
"""


@pytest.mark.processes
@pytest.mark.parametrize(
    ("setting", "code", "tally"), [("", 0, "1 passed, 1 skipped, 1 xfailed"), ("1", 1, "1 passed, 1 xfailed, 1 error")]
)
def test_skipped_tests_fail_where_nothing_may_be_left_out(setting, code, tally, tmp_path, monkeypatch):
    shutil.copy(Path(__file__).parent / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(TEST)
    monkeypatch.setenv("PEERORDER_NOTHING_LEFT_OUT", setting)
    without = [part for name in ("cacheprovider", "xdist", "django") for part in ("-p", f"no:{name}")]
    command = [sys.executable, "-m", "pytest", "-ra", *without, "."]
    seen = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert seen.returncode == code, seen.stdout + seen.stderr
    assert tally in seen.stdout
    assert "there is no engine; buy one" in seen.stdout
