"""By the keyboard alone."""

import re

from playwright.sync_api import expect

from peerorder.web.ranking.models import Ballot
from tests.chromium import PHONE
from tests.web.ranking.in_the_browser.conftest import by_name, order, place_all, row, saved, told


def test_keyboard_alone(person, tokens, read):
    page = person()
    press = page.keyboard.press
    # From the beginning by the second skip link, and by Tab to the first handle.
    press("Tab")
    press("Tab")
    expect(page.get_by_role("link", name="Skip to your order")).to_be_in_viewport()
    press("Enter")
    expect(page.locator("#order")).to_be_focused()
    for _ in range(4):
        press("Tab")
        if page.evaluate("document.activeElement?.matches('.handle')"):
            break
    assert page.evaluate("document.activeElement.closest('.row').dataset.name") == "Paper A"
    press("Space")
    expect(page.locator("#moves")).to_have_text(re.compile("Picked up"))
    press("ArrowUp")
    told(page, "Paper A, now 1 of 1")
    press("Space")
    expect(page.locator("#moves")).to_have_text(re.compile("^Dropped"))
    for name in "BC":
        row(page, name).locator(".handle").focus()
        press("Alt+ArrowUp")
    assert order(page) == ["A", "B", "C"]
    press("Space")
    press("ArrowUp")
    press("ArrowUp")
    told(page, "Paper C, now 1 of 3, above Paper A")
    assert page.evaluate("document.activeElement.closest('.row').dataset.name") == "Paper C"
    press("Escape")
    assert order(page) == ["A", "B", "C"]
    expect(page.locator("#moves")).to_have_text(re.compile("^Put back. Paper C, now 3 of 3"))
    press("Space")
    press("Home")
    press("Enter")
    assert order(page) == ["C", "A", "B"]
    press("Alt+ArrowDown")
    assert order(page) == ["A", "C", "B"]
    saved(page)
    for _ in range(60):
        press("Tab")
        if page.evaluate("document.activeElement?.id === 'hand-in'"):
            break
    press("Enter")
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().submitted == by_name(tokens, *"ACB")


def test_arrows_place_a_paper_that_has_no_place(person):
    page = person()
    for name, key in (("A", "ArrowDown"), ("B", "ArrowUp")):
        row(page, name).locator(".handle").focus()
        page.keyboard.press("Space")
        page.keyboard.press(key)
        page.keyboard.press("Space")
    expect(page.locator("#moves")).to_have_text("Dropped. Paper B, now 2 of 2, below Paper A")
    row(page, "C").locator(".handle").focus()
    page.keyboard.press("Alt+ArrowDown")
    told(page, "Paper C, now 3 of 3, below Paper B")
    assert order(page) == ["A", "B", "C"]


def test_a_tie_by_a_key(person, tokens):
    page = person()
    place_all(page)
    row(page, "B").locator(".handle").focus()
    page.keyboard.press("Space")
    page.keyboard.press("=")
    told(page, "Paper B, now 1 of 3, tied with Paper A")
    page.keyboard.press("Space")
    assert order(page) == ["AB", "C"]
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, "AB", "C")


def test_the_keys_are_in_sight_where_there_is_a_keyboard(person):
    page = person()
    hint = page.get_by_text("On the dots:")
    expect(hint).to_be_visible()
    assert row(page, "A").locator(".handle").get_attribute("aria-describedby") == hint.get_attribute("id")
    page.get_by_text("All keys").click()
    expect(page.get_by_text("puts it back where it was")).to_be_visible()
    phone = person(PHONE, has_touch=True, is_mobile=True)
    expect(phone.get_by_text("On the dots:")).to_be_hidden()
