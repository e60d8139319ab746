"""Pages in the system's Chromium, as people see them: wide or narrow, light or dark, with or without scripts."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.chromium import DESK, PHONE, Visit


@pytest.fixture
def visit(browser):
    """Open a file: ``visit(path, width=360, scheme="dark", scripts=False)``."""
    with ExitStack() as stack:

        def opened(path: Path, width: int = DESK, scheme: str = "light", scripts: bool = True) -> Visit:
            context = browser.new_context(
                viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=scripts
            )
            stack.callback(context.close)
            seen = Visit(context.new_page())
            seen.page.on(
                "console", lambda said: said.type in ("error", "warning") and seen.complaints.append(said.text)
            )
            seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
            seen.page.on(
                "request", lambda asked: asked.url.startswith(("file:", "data:")) or seen.complaints.append(asked.url)
            )
            seen.page.goto(path.as_uri())
            return seen

        yield opened


@pytest.fixture
def fit_to_be_seen(visit):
    """What holds for every page of ours: it fits a phone, axe finds nothing serious, and it needs no network."""

    def check(path: Path) -> None:
        for width, scheme in ((PHONE, "light"), (DESK, "dark")):
            seen = visit(path, width, scheme)
            assert seen.width <= width, f"{path.name} is {seen.width} pixels wide on a screen of {width}"
            assert seen.violations() == [], f"{path.name}, {scheme}, {width}"
            assert seen.complaints == []
            seen.page.close()

    return check
