"""The app as a whole: in processes of its own, on either database, seen through a browser."""

import os

import pytest

from tests.web.processes import App


@pytest.fixture(params=["sqlite", "postgresql"])
def app(request, tmp_path):
    database = ""
    if request.param == "postgresql":
        database = request.getfixturevalue("postgresql").database(f"whole{os.getpid()}{tmp_path.name}"[-60:])
    return App(tmp_path / "home", database)
