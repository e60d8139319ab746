"""By the buttons of a row."""

from playwright.sync_api import expect

from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.models import Ballot
from tests.chromium import PHONE
from tests.web.ranking.in_the_browser.conftest import by_name, order, place_all, row, saved, told


def test_buttons(person, tokens):
    page = person()
    expect(page.get_by_text("0 of 3 placed")).to_be_visible()
    place_all(page)
    assert order(page) == ["A", "B", "C"]
    told(page, "Paper C, now 3 of 3, below Paper B")
    row(page, "C").locator("[data-move=up]").click()
    told(page, "Paper C, now 2 of 3, above Paper B")
    # The button that was pressed is still the one in hand.
    assert page.evaluate("document.activeElement.closest('.row').dataset.name") == "Paper C"
    row(page, "B").locator("summary").click()
    row(page, "B").get_by_role("button", name="To the top").click()
    assert order(page) == ["B", "A", "C"]
    row(page, "C").locator("summary").click()
    row(page, "C").get_by_role("button", name="Tie with the one above").click()
    told(page, "Paper C, now 2 of 3, tied with Paper A")
    assert order(page) == ["B", "AC"]
    row(page, "C").get_by_role("button", name="Take out of the tie").click()
    assert order(page) == ["B", "A", "C"]
    row(page, "A").get_by_label("Cannot judge Paper A").check()
    told(page, "Paper A: you cannot judge it")
    saved(page)
    assert Ballot.objects.get().content == {**by_name(tokens, "B", "C"), "unjudged": [tokens[0]]}
    assert page.complaints == []


def test_an_arrow_down_places_a_paper_too(person):
    page = person()
    row(page, "B").locator("[data-move=down]").click()
    told(page, "Paper B, now 1 of 1")
    row(page, "A").locator("[data-move=down]").click()
    told(page, "Paper A, now 2 of 2, below Paper B")
    assert order(page) == ["B", "A"]
    row(page, "A").locator("[data-move=down]").click()
    told(page, "Paper A is last already")


def test_cannot_judge_is_in_sight_and_can_be_taken_back(person, tokens):
    page = person(PHONE)
    place_all(page)
    mark = row(page, "B").get_by_label("Cannot judge Paper B")
    expect(mark).to_be_visible()
    assert row(page, "B").locator(".cannot").bounding_box()["height"] >= 44
    mark.focus()
    page.keyboard.press("Space")
    expect(page.locator("[data-list=unjudged] .row")).to_have_attribute("data-name", "Paper B")
    expect(mark).to_be_focused()
    assert order(page) == ["A", "C"]
    # An empty box and Enter change nothing.
    row(page, "B").locator("input[type=number]").press("Enter")
    expect(mark).to_be_checked()
    mark.uncheck()
    told(page, "Paper B is not placed any more")
    row(page, "B").locator("[data-move=up]").click()
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, "A", "C", "B")


def test_where_every_paper_must_be_judged(person):
    Assignment.objects.update(cannot_judge=False)
    assert person().get_by_label("Cannot judge").count() == 0
