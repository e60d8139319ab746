"""How the page looks, what it counts, and the example."""

import pytest
from playwright.sync_api import expect

from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.models import Ballot
from tests.chromium import DESK, PHONE, Visit
from tests.web.ranking.in_the_browser.conftest import menu, place_all, press, row, saved, told


def test_reading_counts_and_the_bar_shows_it(person):
    page = person()
    page.get_by_text("Read Paper B").click()
    expect(page.get_by_text("What the paper says.")).to_be_visible()
    expect(page.locator(".far")).to_have_text("0 of 3 placed · 1 opened")
    press(page, "B", "up")
    assert page.locator("#progress").evaluate("bar => bar.value / bar.max") == pytest.approx(1 / 3)


def test_the_example(person):
    page = person(what="example/")
    for name in "BCA":
        press(page, name, "up")
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
        press(page, "A", "up")
        press(page, "B", "up")
        if what == "":
            menu(page, "B").get_by_role("button", name="Tie with the one above").click()
            # Before the next page logs in: the tests' database takes one at a time.
            saved(page)
        seen = Visit(page)
        assert seen.width <= width
        assert seen.violations() == []
        page.locator(".row .name").first.click()
        assert page.locator("[data-show=read]").get_attribute("aria-current") == "true"
        page.get_by_role("button", name="Compare", exact=True).click()
        assert seen.width <= width
        assert seen.violations() == []
        assert page.complaints == []


def test_two_papers_side_by_side(person, tokens):
    """The order stays in sight, and the keyboard leads to what is shown."""
    page = person()
    cards = [page.locator(f"#paper-{token}") for token in tokens]
    cards[2].get_by_role("link", name="Compare Paper C with").click()
    first, second = page.get_by_label("First paper"), page.get_by_label("Second paper")
    expect(first).to_have_value(tokens[2])
    expect(second).to_be_focused()
    second.select_option("Paper A")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(cards[2]).to_be_focused()
    expect(page.get_by_text("What the paper says.").locator("visible=true")).to_have_count(2)
    expect(cards[1]).to_be_hidden()
    left, right = cards[2].bounding_box(), cards[0].bounding_box()
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] < right["x"]
    expect(row(page, "B")).to_be_in_viewport()
    # What is chosen in the order comes beside it.
    row(page, "B").locator(".name").click()
    expect(cards[1]).to_be_visible()
    expect(cards[0]).to_be_hidden()
    expect(page.locator(".far")).to_have_text("0 of 3 placed · 3 opened")
    page.get_by_role("button", name="Show all papers").click()
    for card in cards:
        expect(card).to_be_visible()
    assert page.locator(".paper").evaluate_all("cards => cards.map((card) => card.dataset.token)") == tokens
    place_all(page)
    menu(page, "B").get_by_role("button", name="Compare with the one above").click()
    expect(cards[0]).to_be_focused()
    expect(cards[2]).to_be_hidden()


def test_a_phone_shows_papers_or_their_order(person, tokens):
    page = person(PHONE, is_mobile=True, has_touch=True)
    read, order = page.locator("[data-show=read]"), page.locator("[data-show=order]")
    papers, rows = page.locator("#read"), page.locator("#order")
    expect(papers).to_be_visible()
    expect(rows).to_be_hidden()
    page.get_by_role("link", name="Give Paper B a place").tap()
    expect(papers).to_be_hidden()
    expect(page.locator(f"#place-{tokens[1]}")).to_be_focused()
    assert order.get_attribute("aria-current") == "true"
    assert read.get_attribute("aria-current") is None
    assert page.evaluate("document.scrollingElement.scrollHeight") < 1000
    row(page, "C").locator(".name").tap()
    expect(rows).to_be_hidden()
    expect(page.locator(f"#paper-{tokens[2]}").get_by_text("What the paper says.")).to_be_in_viewport()
    page.locator(".skip[href='#order']").press("Enter")
    expect(rows).to_be_focused()
    expect(papers).to_be_hidden()
    read.tap()
    expect(rows).to_be_hidden()
    order.tap()
    expect(rows).to_be_visible()
    for each in (read, order, row(page, "A").locator(".more"), menu(page, "A").locator("button").first):
        assert each.bounding_box()["height"] >= 44


def test_help_is_folded_after_the_first_use(person):
    page = person()
    help_ = page.locator("#how-to")
    expect(help_).to_have_attribute("open", "")
    press(page, "A", "up")
    saved(page)
    # In another assignment, too: the example has no ranking of its own.
    page = person(context=page.context, what="example/")
    expect(page.locator("#how-to")).not_to_have_attribute("open", "")


def test_a_note_is_shown_in_its_row_and_follows_to_another_device(person, tokens):
    page = person()
    menu(page, "B").get_by_label("Private note").fill("Fine proof")
    page.keyboard.press("Enter")
    expect(row(page, "B").locator(".more")).to_be_focused()
    expect(row(page, "B").locator(".row-actions")).to_be_hidden()
    saved(page)
    page = person(PHONE)
    expect(row(page, "B").locator(".note")).to_have_text("Fine proof")
    assert Ballot.objects.get().notes == {tokens[1]: "Fine proof"}


@pytest.mark.parametrize("scripts", [True, False])
def test_the_bar_stays_low_on_a_phone(person, tokens, read, scripts):
    page = person(PHONE, height=640, is_mobile=True, has_touch=True, java_script_enabled=scripts)
    assert page.locator(".rank-bar").bounding_box()["height"] <= 88
    if not scripts:
        return
    place_all(page)
    saved(page)
    page.get_by_role("button", name="Hand in").click()
    page.get_by_role("link", name="See or change ranking").click()
    expect(page.get_by_role("button", name="Hand in again")).to_be_visible()
    # Without its scripts the page could not say anything.
    page.wait_for_load_state()
    page.context.set_offline(True)
    press(page, "C", "up")
    expect(page.locator("#save-state")).to_have_text("Offline \u2013 saved on this device")
    assert page.locator(".rank-bar").bounding_box()["height"] <= 88
    # All of it can be read.
    assert page.locator("#save-state").evaluate("text => text.scrollWidth <= text.clientWidth")
    assert page.locator(".far").evaluate("text => text.scrollWidth <= text.clientWidth")
