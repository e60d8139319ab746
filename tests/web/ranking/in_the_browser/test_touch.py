"""By a finger."""

from peerorder.web.ranking.models import Ballot
from tests.chromium import PHONE
from tests.web.ranking.in_the_browser.conftest import by_name, order, place_all, row, saved, told


def test_touch(person, tokens):
    page = person(PHONE, has_touch=True, is_mobile=True)
    page.cdp = page.context.new_cdp_session(page)
    place_all(page)
    row(page, "C").scroll_into_view_if_needed()
    page.wait_for_timeout(100)
    handle, target = row(page, "C").locator(".handle").bounding_box(), row(page, "A").bounding_box()
    x, y = handle["x"] + 20, handle["y"] + 20
    before = page.evaluate("scrollY")
    touch(page, "touchStart", x, y)
    for at in range(1, 9):
        touch(page, "touchMove", x, y + (target["y"] + 8 - y) * at / 8)
        page.wait_for_timeout(20)
    # The page stands still under the finger.
    assert abs(page.evaluate("scrollY") - before) < 20
    touch(page, "touchEnd", 0, 0)
    assert order(page) == ["C", "A", "B"]
    told(page, "Paper C, now 1 of 3, above Paper A")
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"CAB")


def test_a_finger_beside_the_handle_scrolls(person):
    page = person(PHONE, has_touch=True, is_mobile=True)
    page.cdp = page.context.new_cdp_session(page)
    place_all(page)
    row(page, "C").locator(".name").scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    box = row(page, "C").locator(".name").bounding_box()
    touch(page, "touchStart", box["x"] + 5, box["y"] + 10)
    for at in range(1, 12):
        touch(page, "touchMove", box["x"] + 5, box["y"] + 10 + 20 * at)
        page.wait_for_timeout(20)
    touch(page, "touchEnd", 0, 0)
    assert order(page) == ["A", "B", "C"]
    assert page.evaluate("scrollY") < before


def touch(page, kind, x, y):
    points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
    page.cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
