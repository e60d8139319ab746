"""The app as a whole: in processes of its own, on either database, seen through a browser."""

import os
import shutil

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.conftest import HOW, NAMES
from tests.web.processes import App


@pytest.fixture(params=["sqlite", "postgresql"])
def app(request, tmp_path):
    database = ""
    if request.param == "postgresql":
        database = request.getfixturevalue("postgresql").database(f"whole{os.getpid()}{tmp_path.name}"[-60:])
    return App(tmp_path / "home", database)


# Not for longer: while Playwright runs, no other test of this process could use asyncio.
@pytest.fixture
def browser():
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(HOW)
    with sync_playwright() as playwright:
        # As root Chromium starts only without its sandbox; the pages are our own.
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()
