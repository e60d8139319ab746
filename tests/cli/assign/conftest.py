"""In every test an empty folder with a roster."""

import pytest

from tests.cli.assign.common import REGULAR


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text(REGULAR)
    return tmp_path
