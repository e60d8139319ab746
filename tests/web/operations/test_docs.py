"""Everything that can be set stands in the documentation."""

import re
import secrets
from pathlib import Path

import pytest

from peerorder.web.operations.environment import VARIABLES, read_environment

PAGE = (Path(__file__).parents[3] / "docs" / "howto" / "running.md").read_text("utf-8")


@pytest.mark.parametrize("name", VARIABLES)
def test_every_setting_is_documented(name):
    assert re.search(rf"^\| `{name}` \| \S", PAGE, re.MULTILINE)


def test_every_documented_setting_exists():
    assert set(re.findall(r"^\| `(PEERORDER_\w+)`", PAGE, re.MULTILINE)) == set(VARIABLES)


def test_the_example_for_production_is_accepted(tmp_path):
    block = next(text for text in re.findall(r"```ini\n(.*?)```", PAGE, re.DOTALL) if "PEERORDER_HOME" in text)
    given = dict(line.split("=", 1) for line in block.strip().splitlines())
    given |= {"PEERORDER_SECRET_KEY": secrets.token_urlsafe(64), "PEERORDER_HOME": str(tmp_path)}
    read = read_environment(given)
    assert read.production
    assert read.log == "json"
    assert read.database["ENGINE"].endswith("postgresql")
