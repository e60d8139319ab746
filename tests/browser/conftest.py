"""Pages in the system's Chromium, as people see them: wide or narrow, light or dark, with or without scripts."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
HOW = "Chromium is not on this machine; on Debian and Ubuntu: apt-get install chromium"
PHONE, DESK = 360, 1280


@dataclass
class Visit:
    """An open page, and what it complained about or tried to load from elsewhere since."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    @property
    def width(self) -> int:
        return self.page.evaluate("document.scrollingElement.scrollWidth")

    def violations(self) -> list[str]:
        """What axe finds serious or critical, in words; of long tables, whose rows are alike, in the first ones."""
        alike = {"exclude": [["tbody tr:nth-child(n+12)"]]}
        # Without preload, which asks for the style sheets once more; a browser denies that to a file.
        options = {"resultTypes": ["violations"], "preload": False}
        found = Axe().run(self.page, alike, options).response["violations"]
        return [
            f"{each['id']}: {each['help']}: {node['target']} {node['failureSummary']}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]


# Not for the whole session: while Playwright runs, no other test of this process could use asyncio, or start it anew.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(HOW)
    with sync_playwright() as playwright:
        # As root Chromium starts only without its sandbox; the pages are our own.
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()


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

    return check
