"""By the buttons of a row."""

from playwright.sync_api import expect

from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.models import Ballot
from tests.chromium import PHONE
from tests.web.ranking.in_the_browser.conftest import by_name, menu, order, place_all, press, row, saved, told


def test_buttons(person, tokens):
    page = person()
    expect(page.get_by_text("0 of 3 placed")).to_be_visible()
    place_all(page)
    assert order(page) == ["A", "B", "C"]
    told(page, "Paper C, now 3 of 3, below Paper B")
    press(page, "C", "up")
    told(page, "Paper C, now 2 of 3, above Paper B")
    # The button that was pressed is still the one in hand.
    assert page.evaluate("document.activeElement.closest('.row').dataset.name") == "Paper C"
    press(page, "B", "top")
    assert order(page) == ["B", "A", "C"]
    menu(page, "C").get_by_role("button", name="Tie with the one above").click()
    told(page, "Paper C, now 2 of 3, tied with Paper A")
    assert order(page) == ["B", "AC"]
    menu(page, "C").get_by_role("button", name="Take out of the tie").click()
    assert order(page) == ["B", "A", "C"]
    menu(page, "A").get_by_label("Cannot judge Paper A").check()
    told(page, "Paper A: you cannot judge it")
    saved(page)
    assert Ballot.objects.get().content == {**by_name(tokens, "B", "C"), "unjudged": [tokens[0]]}
    assert page.complaints == []


def test_an_arrow_down_places_a_paper_too(person):
    page = person()
    press(page, "B", "down")
    told(page, "Paper B, now 1 of 1")
    press(page, "A", "down")
    told(page, "Paper A, now 2 of 2, below Paper B")
    assert order(page) == ["B", "A"]
    # Nothing is left for this button to do, and who presses it is told so.
    menu(page, "A").locator("[data-move=down]").click(force=True)
    told(page, "Paper A is already last")


def test_buttons_that_can_do_nothing_are_disabled(person):
    page = person()
    disabled = "buttons => buttons.map((button) => button.dataset.move ?? 'compare')"

    def idle(name):
        return menu(page, name).locator("button[aria-disabled=true]").evaluate_all(disabled)

    assert idle("A") == ["out", "compare"]
    place_all(page)
    assert idle("A") == ["up", "top", "tie", "compare"]
    assert idle("B") == []
    assert idle("C") == ["down", "bottom"]
    # In a tie there is a way out on both sides.
    press(page, "B", "tie")
    assert idle("A") == ["compare"]
    press(page, "C", "top")
    assert idle("C") == ["up", "top", "tie", "compare"]
    expect(menu(page, "C").locator("[data-move=top]")).to_be_focused()


def test_cannot_judge_is_in_sight_and_can_be_taken_back(person, tokens):
    page = person(PHONE)
    place_all(page)
    mark = menu(page, "B").get_by_label("Cannot judge Paper B")
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
    told(page, "Paper B no longer has a place")
    press(page, "B", "up")
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, "A", "C", "B")


def test_where_every_paper_must_be_judged(person):
    Assignment.objects.update(cannot_judge=False)
    assert person().get_by_label("Cannot judge").count() == 0
