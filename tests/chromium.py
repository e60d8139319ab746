"""The system's Chromium: one for all tests of a process, and what holds for every page that it shows."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

__all__ = ["DESK", "PHONE", "Chromium", "Visit", "settle"]

# The first has no windows to open, and takes a fifth of the time to start a page.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
HOW = "Chromium is not on this machine; on Debian: apt-get install chromium-headless-shell, elsewhere chromium"
PHONE, DESK = 360, 1280
# Milliseconds until something is given up that should have happened: a machine may have much else to do.
PATIENCE = 60_000
# A rule gives its impact to everything it finds: those of less need not run. Without preload, which asks for the style
# sheets once more; a browser denies that to a file.
FIND_VIOLATIONS = """async () => {
    const alike = { exclude: [["tbody tr:nth-child(n+12)"]] };
    const isLess = (rule) => !["serious", "critical"].includes(rule.impact);
    const rules = Object.fromEntries(axe._audit.rules.filter(isLess).map((rule) => [rule.id, { enabled: false }]));
    const found = await axe.run(alike, { resultTypes: ["violations"], preload: false, rules });
    return found.violations.flatMap((each) =>
        each.nodes.map((node) => `${each.id}: ${each.help}: ${node.target} ${node.failureSummary}`));
}"""


class Chromium:
    """A browser that is started for the first test that needs it, and serves all later ones of this process.

    While Playwright works, a loop of asyncio counts as running in this thread; other tests could not start one of their
    own, and Django would not let them use the database. So the loop is hidden between the tests of pages.
    """

    def __init__(self) -> None:
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        if program is None:
            pytest.skip(HOW)
        self._program = program
        expect.set_options(timeout=PATIENCE)
        self._manager = sync_playwright()
        self._playwright: Playwright = self._manager.start()
        self._browser: Browser | None = None
        self._loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)

    @contextmanager
    def in_use(self) -> Iterator[Browser]:
        """Give the browser for a test, started anew if it broke."""
        before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        asyncio._set_running_loop(self._loop)
        try:
            if self._browser is None or not self._browser.is_connected():
                # As root Chromium starts only without its sandbox; the pages are our own.
                self._browser = self._playwright.chromium.launch(executable_path=self._program, args=["--no-sandbox"])
            yield self._browser
            for context in self._browser.contexts:
                context.close()
        finally:
            asyncio._set_running_loop(None)
            if before is None:
                del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]

    def stop(self) -> None:
        asyncio._set_running_loop(self._loop)
        if self._browser is not None:
            self._browser.close()
        self._playwright.stop()


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
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE_SCRIPT)
        return self.page.evaluate(FIND_VIOLATIONS)


def settle(page: Page) -> None:
    """Wait until nothing moves or changes its colour any more, but for what never stops."""
    page.evaluate(
        """async () => {
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const ends = (each) => each.effect.getComputedTiming().endTime < Infinity;
            await Promise.allSettled(document.getAnimations().filter(ends).map((each) => each.finished));
        }"""
    )
