"""Seals of a site of its own."""

from dataclasses import replace
from pathlib import Path

import pytest


@pytest.fixture
def home(settings, tmp_path) -> Path:
    """A folder for the key and the newest seal."""
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, home=tmp_path)
    return tmp_path
