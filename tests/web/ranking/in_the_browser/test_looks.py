"""How the page looks, what it counts, and the example."""

import pytest
from playwright.sync_api import expect

from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.models import Ballot
from tests.chromium import DESK, PHONE, Visit
from tests.web.ranking.in_the_browser.conftest import place_all, row, saved, told


def test_reading_counts_and_the_bar_shows_it(person):
    page = person()
    page.get_by_text("Read Paper B").click()
    expect(page.get_by_text("What the paper says.")).to_be_visible()
    expect(page.locator(".far")).to_have_text("0 of 3 placed · 1 opened")
    row(page, "B").locator("[data-move=up]").click()
    assert page.locator("#progress").evaluate("bar => bar.value / bar.max") == pytest.approx(1 / 3)


def test_the_example(person):
    page = person(what="example/")
    for name in "BCA":
        row(page, name).locator("[data-move=up]").click()
    told(page, "Paper A, now 3 of 3, below Paper C")
    page.wait_for_timeout(1200)
    assert not Ballot.objects.exists()
    assert page.complaints == []


@pytest.mark.parametrize(("width", "scheme"), [(PHONE, "light"), (PHONE, "dark"), (DESK, "dark"), (1440, "light")])
def test_fit_to_be_seen(person, width, scheme):
    Assignment.objects.update(
        comments=True,
        least_comment=20,
        task="Say what `f` does.",
        instructions="Look for\n\n- a **clear** claim\n- good reasons\n\n| points | for |\n|--|--|\n| 3 | clarity |",
        solution="Something like `f(x) = x`.",
    )
    for what in ("", "example/"):
        page = person(width, what=what, color_scheme=scheme)
        row(page, "A").locator("[data-move=up]").click()
        row(page, "B").locator("[data-move=up]").click()
        row(page, "B").locator("summary").click()
        if what == "":
            row(page, "B").get_by_role("button", name="Tie with the one above").click()
            # Before the next page logs in: the tests' database takes one at a time.
            saved(page)
        seen = Visit(page)
        assert seen.width <= width
        assert seen.violations() == []
        assert page.complaints == []


@pytest.mark.parametrize("scripts", [True, False])
def test_the_bar_stays_one_line_on_a_phone(person, tokens, read, scripts):
    page = person(PHONE, height=640, is_mobile=True, has_touch=True, java_script_enabled=scripts)
    assert page.locator(".rank-bar").bounding_box()["height"] <= 64
    if not scripts:
        return
    place_all(page)
    saved(page)
    page.get_by_role("button", name="Hand in").click()
    page.get_by_role("link", name="See or change ranking").click()
    expect(page.get_by_role("button", name="Hand in again")).to_be_visible()
    page.context.set_offline(True)
    row(page, "C").locator("[data-move=up]").click()
    expect(page.locator("#save-state")).to_have_text("Offline \u2013 saved on this device")
    assert page.locator(".rank-bar").bounding_box()["height"] <= 64
    # All of it can be read.
    assert page.locator("#save-state").evaluate("text => text.scrollWidth <= text.clientWidth")
    assert page.locator(".far").evaluate("text => text.scrollWidth <= text.clientWidth")
