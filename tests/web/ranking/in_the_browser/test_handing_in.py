"""Handing in, with scripts and without."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.models import Ballot, Slot
from tests.chromium import PHONE
from tests.web.ranking.in_the_browser.conftest import by_name, led_to, menu, place_all, press, row


def test_without_scripts(person, tokens, read):
    page = person(java_script_enabled=False)
    assert page.get_by_role("button", name="Move Paper A").count() == 0
    for name, place in (("A", "2"), ("B", "1")):
        row(page, name).locator("input[type=number]").fill(place)
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("link", name="Paper C has no place yet")).to_be_visible()
    led_to(page.locator("#problems"))
    row(page, "C").get_by_label("Cannot judge Paper C").check()
    row(page, "B").get_by_label("Private note").fill("Short and clear.")
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().submitted == {**by_name(tokens, "B", "A"), "unjudged": [tokens[2]]}
    assert Ballot.objects.get().notes == {tokens[1]: "Short and clear."}


def test_handing_in_and_what_is_missing(person, tokens, read):
    Assignment.objects.update(comments=True, least_comment=5)
    page = person()
    place_all(page)
    page.get_by_label("Your comment on Paper A").fill("Well done.")
    page.get_by_role("button", name="Hand in").click()
    led_to(page.locator("#problems"))
    expect(page.locator(".paper .errorlist")).to_have_count(2)
    page.get_by_role("link", name="Your comment on Paper B needs 5 more characters").click()
    assert page.evaluate("document.activeElement.id") == f"comment-{tokens[1]}"
    page.keyboard.type("Fair")
    expect(page.get_by_text("4 of 5 characters")).to_be_visible()
    page.keyboard.type(".")
    expect(page.locator(".paper .errorlist")).to_have_count(1)
    page.get_by_label("Your comment on Paper C").fill("Could be clearer.")
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().submitted["comments"] == dict(
        zip(tokens, ("Well done.", "Fair.", "Could be clearer."), strict=True)
    )
    # Changes count when it is handed in again, and the page says so; or they can be undone.
    page.get_by_role("link", name="See or change ranking").click()
    expect(page.get_by_role("button", name="Undo my changes")).to_be_hidden()
    press(page, "B", "up")
    page.get_by_role("button", name="Undo my changes").click()
    page.get_by_role("dialog").get_by_role("button", name="Undo my changes").click()
    expect(page.get_by_text("Your changes are undone")).to_be_visible()
    assert Ballot.objects.get().content["orders"] == by_name(tokens, *"ABC")["orders"]
    press(page, "C", "up")
    expect(page.locator("#news")).to_have_text(re.compile("Hand in again"))
    page.get_by_role("button", name="Hand in again").click()
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().submitted["orders"] == by_name(tokens, *"ACB")["orders"]


def test_a_paper_that_cannot_be_judged_needs_no_comment(person, tokens, read):
    Assignment.objects.update(comments=True, least_comment=5)
    page = person()
    place_all(page)
    page.get_by_label("Your comment on Paper A").fill("Well done.")
    expect(page.locator(".far")).to_have_text("3 of 3 placed · 1 of 3 comments · 3 opened")
    menu(page, "C").get_by_label("Cannot judge Paper C").check()
    expect(page.locator(".far")).to_have_text("2 of 3 placed · 1 not judged · 1 of 2 comments · 3 opened")
    card = page.locator(f"#paper-{tokens[2]}")
    expect(card.get_by_text("No comment is needed")).to_be_visible()
    expect(card.get_by_text("At least 5 characters")).to_be_hidden()
    # What was unfolded is so when the page comes back.
    page.get_by_text("Read Paper B").click()
    page.get_by_role("button", name="Hand in").click()
    led_to(page.locator("#problems"))
    expect(page.locator(f"#paper-{tokens[1]} details.read")).to_have_attribute("open", "")
    expect(page.locator(f"#paper-{tokens[1]}").get_by_text("What the paper says.")).to_be_visible()
    expect(page.locator(f"#paper-{tokens[0]} details.read")).not_to_have_attribute("open", "")


def test_a_paper_without_a_place_is_led_to(person, tokens, read):
    page = person(PHONE)
    press(page, "B", "up")
    page.get_by_role("button", name="Hand in").click()
    led_to(page.locator("#problems"))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(f"#place-{tokens[2]}")).to_be_focused()
    expect(row(page, "C").locator(".errorlist")).to_have_text(re.compile("Paper C has no place yet"))
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    expect(row(page, "C").locator(".errorlist")).to_have_count(0)
    expect(row(page, "A").locator(".errorlist")).to_have_count(1)


@pytest.mark.parametrize("scripts", [True, False])
def test_papers_that_were_never_opened(person, tokens, scripts):
    Slot.objects.filter(token=tokens[0]).update(opened_at=timezone.now())
    page = person(java_script_enabled=scripts)
    for name, place in zip("ABC", "123", strict=True):
        row(page, name).locator("input[type=number]").fill(place)
    page.get_by_role("button", name="Hand in").click()
    question = page.locator("#unopened")
    led_to(question)
    expect(question).to_contain_text("You have not opened Paper B and Paper C. Hand in anyway?")
    assert Ballot.objects.get().submission is None
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")
    question.get_by_role("button", name="Hand in anyway").click()
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().submitted == by_name(tokens, *"ABC")
