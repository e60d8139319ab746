"""Saving as people go, whatever happens meanwhile."""

import re
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import OperationalError
from django.utils import timezone
from playwright.sync_api import expect

from peerorder.web.assignments.models import Assignment
from peerorder.web.budgets import BUCKETS
from peerorder.web.courses.models import Course
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Ballot, UncountedSave
from tests.web.factories import submit_ranking
from tests.web.processes import until
from tests.web.ranking.conftest import do
from tests.web.ranking.in_the_browser.conftest import by_name, order, place_all, press, saved


def has_arrived(content):
    try:
        return Ballot.objects.filter(content=content).exists()
    except OperationalError:
        # The app is just writing, by the same connection.
        return False


def test_a_closed_tab(person, tokens):
    page = person()
    place_all(page)
    # At once, before the page has saved by itself.
    page.close(run_before_unload=True)
    until(lambda: has_arrived(by_name(tokens, *"ABC")))
    assert Ballot.objects.count() == 1


def test_the_time_of_saving_is_the_courses(person, course):
    course.time_zone = "Asia/Kathmandu"
    course.save()
    page = person(timezone_id="America/New_York")
    place_all(page)
    saved(page)
    at = clock(Ballot.objects.get().updated_at, "Asia/Kathmandu")
    expect(page.locator("#save-state")).to_have_text(f"Saved {at}")
    page.reload()
    expect(page.locator("#save-state")).to_have_text(f"Saved {at}")


def clock(moment, zone):
    return moment.astimezone(ZoneInfo(zone)).strftime("%H:%M %Z")


def test_a_lost_connection(person, tokens):
    page = person()
    place_all(page)
    saved(page)
    page.context.set_offline(True)
    press(page, "C", "up")
    expect(page.locator("#save-state")).to_have_text("Offline \u2013 saved on this device")
    expect(page.locator("#news")).to_have_text(re.compile("We keep your changes on this device"))
    page.get_by_role("button", name="Hand in").click()
    expect(page.locator("#news")).to_be_focused()
    expect(page.locator("#news")).to_have_text(re.compile("not handed in yet. It is kept on this device"))
    expect(page.locator("#save-state")).to_have_text("Not handed in: offline")
    page.context.unroute(re.compile("/papers/"))
    page.get_by_text("Read Paper B").click()
    expect(page.get_by_text("Paper B cannot be opened now")).to_be_visible()
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")
    page.context.set_offline(False)
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"ACB")
    expect(page.get_by_text("A text by nobody in particular")).to_be_visible()
    expect(page.locator("#news")).to_have_text(re.compile("online again, but your ranking is not handed in yet"))
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('unsaved')).length") == 0


def test_what_was_not_saved_is_found_again(person, tokens):
    page = person()
    context = page.context
    context.route(re.compile("/save/"), lambda route: route.abort())
    place_all(page)
    expect(page.locator("#save-state")).to_have_text("Offline \u2013 saved on this device")
    page.close()
    context.unroute(re.compile("/save/"))
    page = person(context=context)
    assert order(page) == ["A", "B", "C"]
    expect(page.locator("#news")).to_have_text(re.compile("restored them|^$"))
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")


def test_logging_out_leaves_nothing_on_the_device(person, tokens):
    page = person()
    context = page.context
    context.route(re.compile("/save/"), lambda route: route.abort())
    place_all(page)
    page.locator(".who summary").click()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert page.evaluate("Object.keys(localStorage).length") > 0
    # A click elsewhere closed the menu.
    page.locator(".who summary").click()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("dialog", name="not saved yet").get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_two_tabs(person, tokens):
    one = person()
    two = person(context=one.context)
    place_all(one)
    saved(one)
    press(two, "C", "up")
    dialog = two.get_by_role("dialog", name="Which version do you want to keep?")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("1. Paper A")
    assert UncountedSave.objects.filter(why="conflict").count() == 1
    dialog.get_by_role("button", name="Keep the other version").click()
    assert order(two) == ["A", "B", "C"]
    press(two, "C", "up")
    saved(two)
    press(one, "A", "down")
    dialog = one.get_by_role("dialog", name="Which version do you want to keep?")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Keep this version").click()
    saved(one)
    assert Ballot.objects.get().content == by_name(tokens, *"BAC")


def test_a_server_that_wants_us_to_wait(person, tokens):
    """Nothing is lost: it is kept on the device, and saved when the server takes it again."""
    page = person()
    asked = []

    def wait(route):
        asked.append(1)
        if len(asked) < 3:
            route.fulfill(status=429, headers={"Retry-After": "1"}, json={"error": "Wait."})
        else:
            route.continue_()

    page.context.route(re.compile("/save/"), wait)
    place_all(page)
    expect(page.locator("#save-state")).to_have_text("Not saved yet")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('unsaved')).length") == 1
    page.get_by_role("button", name="Hand in").click()
    expect(page.locator("#news")).to_have_text(re.compile("in a moment"))
    saved(page)
    assert len(asked) >= 3
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('unsaved')).length") == 0


def test_the_real_limit(person, tokens, grader, settings):
    """The page that used up its budget saves once there is some again."""
    page = person()
    BUCKETS.take("saves", f"person {grader.person_id}", settings.BUDGETS["saves"][0], owe=True)
    settings.BUDGETS = settings.BUDGETS | {"saves": (120, 0.5)}
    place_all(page)
    expect(page.locator("#save-state")).to_have_text("Not saved yet")
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")


def test_handing_in_when_logged_out_elsewhere(person, tokens):
    """Nobody is told that there is no connection, and to press the button again."""
    page = person()
    place_all(page)
    saved(page)
    page.context.clear_cookies(name="peerorder")
    press(page, "C", "up")
    expect(page.locator("#save-state")).to_have_text("Not saved: logged out")
    page.get_by_role("button", name="Hand in").click()
    expect(page.locator("#news")).to_be_focused()
    expect(page.locator("#news")).to_have_text(re.compile("logged out.* log in again.* not handed in yet"))
    assert "offline" not in page.locator("#save-state").text_content()
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('unsaved')).length") == 1


def test_the_course_is_archived_and_brought_back_while_the_page_is_open(person, tokens):
    page = person()
    place_all(page)
    saved(page)
    Course.objects.update(archived_at="2026-01-01T00:00Z")
    press(page, "C", "up")
    expect(page.locator("#news")).to_have_text(re.compile("course is archived.* keep your changes on this device"))
    expect(page.locator("#save-state")).to_have_text("Not saved: see top of page")
    page.get_by_role("button", name="Hand in").click()
    expect(page.locator("#news")).to_have_text(re.compile("course is archived.* not handed in yet"))
    expect(page.locator("#save-state")).to_have_text("Not handed in: see top of page")
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")
    Course.objects.update(archived_at=None)
    saved(page)
    expect(page.locator("#news")).to_have_text(re.compile("saved now, but your ranking is not handed in yet"))
    assert Ballot.objects.get().content == by_name(tokens, *"ACB")


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ({"rank_by": "2020-01-01T00:00Z"}, "The deadline was Wed, 1 Jan 2020"),
        (
            {"stage": "review", "rank_ended_at": "2020-01-01T00:00Z"},
            "closed ranking on Wed, 1 Jan 2020",
        ),
    ],
)
def test_ranking_ends_while_the_page_is_open(person, tokens, end, why):
    Assignment.objects.update(rank_by=timezone.now() + timedelta(days=3))
    page = person()
    expect(page.get_by_text("You have time until")).to_be_visible()
    place_all(page)
    saved(page)
    Assignment.objects.update(**end)
    press(page, "C", "up")
    expect(page.locator("#news")).to_have_text(re.compile(f"{why}.* not count"))
    expect(page.get_by_text("You have time until")).to_be_hidden()
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("heading", name="Ranking is over")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_text(re.compile(f"{why}.* not count"))


def test_new_papers_while_the_page_is_open(person, tokens, round_, students):
    page = person()
    place_all(page)
    saved(page)
    for student in students:
        submit_ranking(round_, student)
    do(handouts.enqueue_top_up(round_, 6))
    press(page, "C", "up")
    expect(page.locator("#news")).to_have_text(re.compile("You have new papers to rank"))
    page.reload()
    more = page.locator("[data-part='1'] .row")
    assert more.count() >= 2
    assert order(page) == ["A", "C", "B"]
    more.first.locator(".more").click()
    more.first.locator("[data-move=up]").click()
    saved(page)
    assert set(Ballot.objects.get(grader=students[0]).content["orders"]) == {"0", "1"}
