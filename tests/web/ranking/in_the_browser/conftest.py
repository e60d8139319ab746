"""The ranking page in the browser, and words to speak of it."""

import re
import time

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.utils import timezone
from playwright.sync_api import expect

from peerorder.web.database.append_only import append_only
from peerorder.web.ranking.models import Slot
from tests.chromium import DESK
from tests.web.ranking.conftest import content


@pytest.fixture(scope="module")
def cleanable(django_db_setup, django_db_blocker):
    """A database that lets tests delete what is only ever added to; they could not clean up otherwise."""
    for step in ("reverse_code", "code"):
        with django_db_blocker.unblock(), connection.schema_editor() as editor:
            for table in ("ranking_save", "log_event"):
                getattr(append_only(table), step)(apps, editor)
        if step == "reverse_code":
            yield


@pytest.fixture
def site(cleanable, live_server):
    """The app on a port of its own."""
    return live_server


@pytest.fixture
def person(browser, site, round_, grader):
    """Open the ranking page as the grader: ``person(width=360, has_touch=True)``; gives the page."""
    contexts = []

    def opened(width=DESK, what="", context=None, height=800, **options):
        if context is None:
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            contexts.append(context)
            client = Client()
            client.force_login(grader.person)
            context.add_cookies([{"name": "peerorder", "value": client.cookies["peerorder"].value, "url": site.url}])
            # The reader is not what is tried here.
            text = "<p>What the paper says.</p>"
            context.route(re.compile("/papers/"), lambda route: route.fulfill(body=text, content_type="text/html"))
        page = context.new_page()
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(f"{site.url}/assignments/{round_.pk}/ranking/{what}")
        return page

    yield opened
    for context in contexts:
        context.close()
    # What a closing page sends should arrive before the next test begins.
    time.sleep(0.2)


@pytest.fixture
def read(round_):
    """Everybody has opened all papers, so that nobody is asked when handing in."""
    Slot.written.update(opened_at=timezone.now())


def row(page, name):
    # What is clicked before the scripts of a page have run does nothing.
    page.wait_for_load_state()
    tab = page.locator(".live [data-show=order]:not([aria-current])")
    if tab.is_visible():
        tab.click()
    return page.locator(f".row[data-name='Paper {name}']")


def menu(page, name):
    """The open menu of a row."""
    button = row(page, name).locator(".more")
    if button.get_attribute("aria-expanded") == "false":
        button.click()
    return row(page, name).locator(".row-actions")


def press(page, name, move):
    """Press a button in the menu of a row."""
    menu(page, name).locator(f"[data-move={move}]").click()


def order(page):
    """The names in the order, tied ones together: ``["B", "AC"]``."""
    found = page.evaluate(
        "document.getElementById('rank').ranking.content().orders[0]?.map((group) => group.map((token) => "
        "document.querySelector(`.row[data-token='${token}']`).dataset.name.slice(-1)).join('')) || []"
    )
    shown = page.locator("[data-list=order] .row").evaluate_all("rows => rows.map((row) => row.dataset.name.slice(-1))")
    assert "".join(found) == "".join(shown)
    return found


def saved(page):
    expect(page.locator("#save-state")).to_have_text(re.compile(r"^Saved \d"))


def led_to(locator):
    """The page came back and leads to something; not before its scripts have run, which set the focus once more."""
    expect(locator).to_be_focused()
    locator.page.wait_for_load_state()
    expect(locator).to_be_focused()


def told(page, text):
    expect(page.locator("#moves")).to_have_text(text)


def place_all(page):
    for name in "ABC":
        press(page, name, "up")


def by_name(tokens, *groups):
    letters = dict(zip("ABC", tokens, strict=True))
    return content([[letters[name] for name in group] for group in groups])


def type_place(page, name, place, leave_by="Enter"):
    box = row(page, name).locator("input[type=number]")
    box.fill(str(place))
    box.press(leave_by)


def places(page):
    """What stands in the boxes, by name: ``{"A": "1", "B": ""}``."""
    return dict(
        page.locator(".row").evaluate_all(
            "rows => rows.map((row) => [row.dataset.name.slice(-1), row.querySelector('input[type=number]').value])"
        )
    )
