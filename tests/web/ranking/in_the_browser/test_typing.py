"""By typing places."""

import pytest
from playwright.sync_api import expect

from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.models import Ballot
from tests.web.ranking.in_the_browser.conftest import (
    by_name,
    menu,
    order,
    place_all,
    places,
    row,
    saved,
    told,
    type_place,
)


def test_typing_places(person, tokens):
    page = person()
    # One after the other, as they come: a gap waits for the papers that are left.
    for name, place in (("A", "3"), ("B", "1"), ("C", "2")):
        type_place(page, name, place)
    assert order(page) == ["B", "C", "A"]
    assert places(page) == {"A": "3", "B": "1", "C": "2"}
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"BCA")


def test_from_the_last_to_the_first(person):
    page = person()
    for name, place in (("A", 3), ("B", 2), ("C", 1)):
        type_place(page, name, place, "Tab")
    assert order(page) == ["C", "B", "A"]


@pytest.mark.parametrize("ties", [True, False])
def test_a_place_that_is_taken(person, tokens, ties):
    Assignment.objects.update(ties=ties)
    page = person()
    place_all(page)
    type_place(page, "C", 1, "Tab")
    told(page, "Paper C, now 1 of 3, above Paper A. Paper A and Paper B moved down.")
    expect(page.locator("#moves")).to_be_in_viewport()
    assert order(page) == ["C", "A", "B"]
    assert places(page) == {"C": "1", "A": "2", "B": "3"}
    type_place(page, "C", 2)
    told(page, "Paper C, now 2 of 3, above Paper B. Paper A moved up.")
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"ACB")
    assert page.get_by_text("Tie with the one above").count() == (3 if ties else 0)


def test_a_taken_place_while_papers_are_left(person):
    page = person()
    type_place(page, "A", 1)
    type_place(page, "B", 1)
    told(page, "Paper B, now 1 of 2, above Paper A. Paper A moved down.")
    assert places(page) == {"A": "2", "B": "1", "C": ""}


def test_beyond_the_end_is_the_last_place(person):
    page = person()
    place_all(page)
    type_place(page, "A", 77)
    told(page, "Paper A, now 3 of 3, below Paper C. Paper B and Paper C moved up.")
    assert places(page) == {"B": "1", "C": "2", "A": "3"}


def test_gaps_close_when_nothing_can_fill_them(person):
    page = person()
    type_place(page, "A", 3)
    type_place(page, "B", 1)
    assert places(page) == {"A": "3", "B": "1", "C": ""}
    menu(page, "C").get_by_label("Cannot judge Paper C").check()
    assert places(page) == {"A": "2", "B": "1", "C": ""}


def test_a_typed_place_makes_no_tie_and_breaks_none(person):
    page = person()
    place_all(page)
    menu(page, "B").get_by_role("button", name="Tie with the one above").click()
    assert order(page) == ["AB", "C"]
    # The place it has already.
    type_place(page, "B", 1)
    assert order(page) == ["AB", "C"]
    type_place(page, "C", 1)
    assert order(page) == ["C", "AB"]
    assert places(page) == {"C": "1", "A": "2", "B": "2"}
    type_place(page, "B", 3)
    assert order(page) == ["C", "A", "B"]


def test_an_emptied_box_takes_a_paper_out(person):
    page = person()
    place_all(page)
    type_place(page, "A", "")
    told(page, "Paper A no longer has a place")
    assert places(page) == {"B": "1", "C": "2", "A": ""}


def test_enter_keeps_the_focus_where_a_place_is_typed(person, tokens):
    page = person()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    for name in "CAB":
        row(page, name).locator("input[type=number]").focus()
        page.keyboard.type(str("CAB".index(name) + 1))
        page.keyboard.press("Enter")
        expect(row(page, name).locator("input[type=number]")).to_be_focused()
    assert order(page) == ["C", "A", "B"]
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, "C", "A", "B")
    assert wrong == []
