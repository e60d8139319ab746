"""The pictures of the web app in the documentation: its sample course as a browser shows it.

python docs/web_pictures.py         # needs Chromium, and the extra `dev` for playwright
"""

import csv
import io
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pictures import browser_path
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from peerorder.web.sample.texts import NAMES

PICTURES = Path(__file__).parent / "pictures" / "web"
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
LONGEST_START = 120
COLOURS = 128
PAPER = """# Merge sort

Split the numbers into two halves, sort each in the same way, and **merge** them: take the smaller of the two
first numbers, again and again.

Merging n numbers needs at most n - 1 comparisons, and there are about log n levels of halves."""


@dataclass(frozen=True)
class Site:
    """The app, and two ways in."""

    address: str
    staff: str
    student: str


@contextmanager
def sample() -> Iterator[Site]:
    """`peerorder serve --sample` in a folder of its own, on a port that is free."""
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        port = there.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PEERORDER_")}
    with tempfile.TemporaryDirectory(prefix="peerorder-") as folder:
        out = Path(folder, "out")
        with out.open("w") as stream:
            server = subprocess.Popen(
                [sys.executable, "-u", "-m", "peerorder", "serve", "--sample", "--port", str(port)],
                env=kept | {"PEERORDER_HOME": str(Path(folder, "home"))},
                stdout=stream,
            )
        try:
            yield _told(out, server)
        finally:
            server.terminate()
            server.wait()


def _told(out: Path, server: "subprocess.Popen[bytes]") -> Site:
    """What it prints once it runs."""
    end = time.monotonic() + LONGEST_START
    while "Ctrl-C" not in (said := out.read_text()):
        if server.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"the app did not start:\n{said}")
        time.sleep(0.2)
    staff, student = re.findall(r"http://\S+/in/\S+", said)
    return Site(staff.partition("/in/")[0], staff, student)


def take(page: Page, name: str, *, top: str | None = None) -> None:
    """A small picture of what the window shows, from an element on if one is given."""
    page.wait_for_load_state("networkidle")
    if top is not None:
        page.locator(top).first.evaluate("part => scrollTo(0, part.getBoundingClientRect().top + scrollY - 16)")
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    PICTURES.mkdir(parents=True, exist_ok=True)
    # Few colours make a file of a third of the size, and nobody sees the difference.
    picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def enter(page: Page, link: str) -> None:
    """Log in by a personal link."""
    page.goto(link)
    page.get_by_role("button", name="Continue as").click()


def students_pictures(browser: Browser, site: Site) -> None:
    """What a student sees: handing in, ranking on a wide screen and on a phone, and the result."""
    page = browser.new_page(viewport=WIDE, color_scheme="light")
    enter(page, site.student)
    page.locator(".card", has_text="Exercise 4").get_by_role("link", name="Hand in").click()
    page.locator("#id_text").fill(PAPER)
    page.get_by_role("tab", name="Preview").click()
    page.locator("#id_text-preview .paper-text").wait_for()
    take(page, "handing-in", top="fieldset")
    page.goto(site.address)
    page.locator(".card", has_text="Exercise 3").get_by_role("link", name="Rank papers").click()
    address = page.url
    _rank(page)
    take(page, "ranking-wide")
    page.goto(site.address)
    _wait_for(page, "See your result").click()
    take(page, "my-result")
    page.close()
    page = browser.new_page(viewport=PHONE, color_scheme="light", is_mobile=True, has_touch=True)
    enter(page, site.student)
    page.goto(f"{address}#order")
    # As it looks to somebody who comes back.
    take(page, "ranking-phone", top="#order-heading")
    page.close()


def _rank(page: Page) -> None:
    """Read the first paper, and put three in order."""
    page.locator(".paper summary").first.click()
    page.locator(".paper .paper-text").first.wait_for()
    for at in (1, 3, 0):
        row = page.locator(f".row[data-name='Paper {'ABCDE'[at]}']")
        row.locator(".more").click()
        row.locator("[data-move=up]").dispatch_event("click")
        row.locator(".more").click()
    page.locator("#save-state", has_text="Saved").wait_for()
    page.locator("h1").click()
    page.evaluate("scrollTo(0, 0)")


def staffs_pictures(browser: Browser, site: Site) -> None:
    """What an instructor sees: the course, the roster, the planner, an assignment, the monitor, and results."""
    page = browser.new_page(viewport=WIDE, color_scheme="light")
    enter(page, site.staff)
    page.get_by_role("link", name="Sample course").click()
    course = page.url
    page.goto(f"{course}people/roster/")
    roster = {"name": "roster.csv", "mimeType": "text/csv", "buffer": _roster()}
    page.get_by_label("File").set_input_files(roster)
    page.get_by_role("button", name="Preview changes").click()
    take(page, "roster")
    page.goto(course)
    page.get_by_role("link", name="New assignment").click()
    page.get_by_label("Title").fill("Exercise 6: Shortest paths")
    page.locator("#plan-table .recommended").wait_for()
    take(page, "planner", top="fieldset:has(#id_papers_each)")
    page.goto(course)
    page.get_by_role("link", name="Exercise 3").click()
    take(page, "dashboard")
    page.get_by_role("link", name="Progress", exact=True).click()
    take(page, "monitor")
    _results_pictures(page, course)
    page.close()


def _results_pictures(page: Page, course: str) -> None:
    """The result, the marks and the release of the exercise that is ready for it."""
    page.goto(course)
    page.get_by_role("link", name="Exercise 2").click()
    page.goto(f"{page.url}results/")
    _wait_for(page, "See order").click()
    take(page, "order")
    assignment = page.url.partition("results/")[0]
    page.goto(f"{assignment}marks/")
    take(page, "marks")
    page.goto(f"{assignment}release/")
    take(page, "release")


def _wait_for(page: Page, link: str) -> Locator:
    """Load the page until it has this link: results of the sample are computed after the start."""
    end = time.monotonic() + LONGEST_START
    while not page.get_by_role("link", name=link).count() and time.monotonic() < end:
        time.sleep(1)
        page.reload()
    return page.get_by_role("link", name=link).first


def _roster() -> bytes:
    """The roster of next week: one has left, one changed the section, two are new."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(("student", "name", "email", "section"))
    for at, name in enumerate(NAMES[:-1], start=1):
        section = "Thursday" if at == 1 else ("Monday", "Thursday")[(at - 1) % 2]
        table.writerow((f"s{at:03}", name, f"student{at:02}@sample.invalid", section))
    for at, name in enumerate(("Noor Haddad", "Piet de Vries"), start=len(NAMES) + 1):
        table.writerow((f"s{at:03}", name, f"student{at:02}@sample.invalid", "Monday"))
    return out.getvalue().encode()


def main() -> None:
    """Start the sample, and take all pictures."""
    with sample() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        # Results are computed meanwhile, and papers rendered.
        staffs_pictures(browser, site)
        students_pictures(browser, site)
        browser.close()


if __name__ == "__main__":
    main()
