"""By the mouse."""

from peerorder.web.ranking.models import Ballot
from tests.chromium import DESK
from tests.web.ranking.in_the_browser.conftest import by_name, order, place_all, row, saved, told


def test_mouse(person, tokens):
    page = person()
    for name in "ABC":
        drop = page.locator(".drop-here") if name == "A" else page.locator("[data-list=order]")
        drag(page, row(page, name).locator(".handle"), drop, 0.1)
    assert order(page) == ["C", "B", "A"]
    told(page, "Paper C, now 1 of 3, above Paper B")
    drag(page, row(page, "A").locator(".handle"), row(page, "C"), 0.2)
    assert order(page) == ["A", "C", "B"]
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"ACB")
    # Back out of the order.
    drag(page, row(page, "A").locator(".handle"), page.locator("[data-list=order]"), 1.6)
    assert order(page) == ["C", "B"]
    assert page.complaints == []


def test_dragging_at_the_edge_scrolls(person):
    page = person(DESK, height=420)
    place_all(page)
    row(page, "C").locator(".handle").scroll_into_view_if_needed()
    box = row(page, "C").locator(".handle").bounding_box()
    scrolled = "document.querySelector('.rank-order').scrollTop + scrollY"
    before = page.evaluate(scrolled)
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, 30)
    page.mouse.move(box["x"] + 20, 5)
    page.wait_for_timeout(600)
    assert page.evaluate(scrolled) < before
    page.keyboard.press("Escape")
    page.mouse.up()
    assert order(page) == ["A", "B", "C"]


def drag(page, handle, where, part):
    """By the mouse, in small steps, to a part of the height of something."""
    handle.scroll_into_view_if_needed()
    start = handle.bounding_box()
    x, y = start["x"] + start["width"] / 2, start["y"] + start["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 6)
    page.wait_for_timeout(50)
    end = where.bounding_box()
    to = end["y"] + end["height"] * part
    for at in range(1, 9):
        page.mouse.move(x, y + (to - y) * at / 8)
    page.wait_for_timeout(60)
    page.mouse.up()
