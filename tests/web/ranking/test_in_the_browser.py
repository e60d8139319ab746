"""Ranking as people do it: with a mouse, a finger, the keyboard, buttons, typing, without scripts, and offline."""

import os
import re
import shutil
import time

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from playwright.sync_api import expect, sync_playwright

from peerorder.web.append_only import append_only
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Ballot, Save
from peerorder.web.rounds.models import Assignment
from tests.browser.conftest import DESK, HOW, NAMES, PHONE, Visit
from tests.web.ranking.conftest import content, do


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(HOW)
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    with sync_playwright() as playwright:
        # Playwright's loop runs in this thread, and Django would refuse to touch the database beside it.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        # As root Chromium starts only without its sandbox; the pages are our own.
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="module")
def cleanable(django_db_setup, django_db_blocker):
    """A database that lets tests delete what is only ever added to; they could not clean up otherwise."""
    for step in ("reverse_code", "code"):
        with django_db_blocker.unblock(), connection.schema_editor() as editor:
            for table in ("ranking_save", "log_event"):
                getattr(append_only(table), step)(apps, editor)
        if step == "reverse_code":
            yield


@pytest.fixture
def site(cleanable, live_server):
    """The app on a port of its own."""
    return live_server


@pytest.fixture
def person(browser, site, round_, grader):
    """Open the ranking page as the grader: ``person(width=360, has_touch=True)``; gives the page."""
    contexts = []

    def opened(width=DESK, what="", context=None, height=800, **options):
        if context is None:
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            contexts.append(context)
            client = Client()
            client.force_login(grader.person)
            context.add_cookies([{"name": "peerorder", "value": client.cookies["peerorder"].value, "url": site.url}])
            # The reader is not what is tried here.
            text = "<p>What the paper says.</p>"
            context.route(re.compile("/papers/"), lambda route: route.fulfill(body=text, content_type="text/html"))
        page = context.new_page()
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(f"{site.url}/assignments/{round_.pk}/ranking/{what}")
        return page

    yield opened
    for context in contexts:
        context.close()
    # What a closing page sends should arrive before the next test begins.
    time.sleep(0.2)


def row(page, name):
    return page.locator(f".row[data-name='Paper {name}']")


def order(page):
    """The names in the order, tied ones together: ``["B", "AC"]``."""
    found = page.evaluate(
        "document.getElementById('rank').ranking.content().orders[0]?.map((group) => group.map((token) => "
        "document.querySelector(`.row[data-token='${token}']`).dataset.name.slice(-1)).join('')) || []"
    )
    shown = page.locator("[data-list=order] .row").evaluate_all("rows => rows.map((row) => row.dataset.name.slice(-1))")
    assert "".join(found) == "".join(shown)
    return found


def saved(page):
    expect(page.locator("#save-state")).to_have_text(re.compile(r"^Saved \d"))


def told(page, text):
    expect(page.locator("#moves")).to_have_text(text)


def place_all(page):
    for name in "ABC":
        row(page, name).locator("[data-move=up]").click()


def by_name(tokens, *groups):
    letters = dict(zip("ABC", tokens, strict=True))
    return content([[letters[name] for name in group] for group in groups])


def test_buttons(person, tokens):
    page = person()
    expect(page.get_by_text("0 of 3 papers placed")).to_be_visible()
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
    row(page, "A").locator("summary").click()
    row(page, "A").get_by_label("I cannot judge Paper A").check()
    told(page, "Paper A: you cannot judge it")
    saved(page)
    assert Ballot.objects.get().content == {**by_name(tokens, "B", "C"), "unjudged": [tokens[0]]}
    assert page.complaints == []


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


def touch(page, kind, x, y):
    points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
    page.cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


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


def test_keyboard_alone(person, tokens):
    page = person()
    press = page.keyboard.press
    # By Tab from the beginning to the first handle.
    for _ in range(60):
        press("Tab")
        if page.evaluate("document.activeElement.matches('.handle')"):
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
        if page.evaluate("document.activeElement.id === 'hand-in'"):
            break
    press("Enter")
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().handed_in == by_name(tokens, *"ACB")


def test_typing_places(person, tokens):
    page = person()
    for name, place in (("A", "3"), ("B", "1"), ("C", "2")):
        row(page, name).locator("input[type=number]").fill(place)
        row(page, name).locator("input[type=number]").press("Enter")
    assert order(page) == ["B", "C", "A"]
    row(page, "A").locator("input[type=number]").fill("2")
    page.keyboard.press("Tab")
    told(page, "Paper A, now 2 of 3, tied with Paper C")
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, "B", "CA")


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


def test_typing_a_taken_place_where_ties_are_not_allowed(person, tokens):
    Assignment.objects.update(ties=False)
    page = person()
    place_all(page)
    row(page, "C").locator("input[type=number]").fill("1")
    page.keyboard.press("Tab")
    assert order(page) == ["C", "A", "B"]
    assert page.get_by_text("Tie with the one above").count() == 0


def test_without_scripts(person, tokens):
    page = person(java_script_enabled=False)
    assert page.get_by_role("button", name="Move Paper A").count() == 0
    for name, place in (("A", "2"), ("B", "1")):
        row(page, name).locator("input[type=number]").fill(place)
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_text("Paper C has no place yet")).to_be_visible()
    row(page, "C").locator("summary").click()
    row(page, "C").get_by_label("I cannot judge Paper C").check()
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().handed_in == {**by_name(tokens, "B", "A"), "unjudged": [tokens[2]]}


def test_handing_in_and_what_is_missing(person, tokens):
    Assignment.objects.update(comments=True, least_comment=5)
    page = person()
    place_all(page)
    page.get_by_label("Your comment on Paper A").fill("Well done.")
    page.get_by_role("button", name="Hand in").click()
    link = page.get_by_role("link", name="The comment on Paper B needs 5 letters more")
    link.click()
    assert page.evaluate("document.activeElement.id") == f"comment-{tokens[1]}"
    page.keyboard.type("Fair")
    expect(page.get_by_text("4 letters; at least 5 are needed")).to_be_visible()
    page.keyboard.type(".")
    page.get_by_label("Your comment on Paper C").fill("Could be clearer.")
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().handed_in["comments"] == dict(
        zip(tokens, ("Well done.", "Fair.", "Could be clearer."), strict=True)
    )
    # Changes count when it is handed in again, and the page says so.
    row(page, "C").locator("[data-move=up]").click()
    expect(page.locator("#news")).to_have_text(re.compile("Hand in again"))
    page.get_by_role("button", name="Hand in again").click()
    expect(page.get_by_text("Your ranking is handed in")).to_be_visible()
    assert Ballot.objects.get().handed_in["orders"] == by_name(tokens, *"ACB")["orders"]


def test_a_closed_tab(person, tokens):
    page = person()
    place_all(page)
    # At once, before the page has saved by itself.
    page.close(run_before_unload=True)
    for _ in range(50):
        if Ballot.objects.filter(content=by_name(tokens, *"ABC")).exists():
            break
        time.sleep(0.1)
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")


def test_a_lost_connection(person, tokens):
    page = person()
    place_all(page)
    saved(page)
    page.context.set_offline(True)
    row(page, "C").locator("[data-move=up]").click()
    expect(page.locator("#save-state")).to_have_text(re.compile("no connection"))
    page.get_by_role("button", name="Hand in").click()
    expect(page.locator("#news")).to_have_text(re.compile("cannot be handed in now"))
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")
    page.context.set_offline(False)
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"ACB")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('unsaved')).length") == 0


def test_what_was_not_saved_is_found_again(person, tokens):
    page = person()
    context = page.context
    context.route(re.compile("/save/"), lambda route: route.abort())
    place_all(page)
    expect(page.locator("#save-state")).to_have_text(re.compile("no connection"))
    page.close()
    context.unroute(re.compile("/save/"))
    page = person(context=context)
    assert order(page) == ["A", "B", "C"]
    expect(page.locator("#news")).to_have_text(re.compile("took them up again|^$"))
    saved(page)
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")


def test_logging_out_leaves_nothing_on_the_device(person, tokens):
    page = person()
    context = page.context
    context.route(re.compile("/save/"), lambda route: route.abort())
    place_all(page)
    questions = []
    page.on("dialog", lambda dialog: (questions.append(dialog.message), dialog.accept()))
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out")).to_be_visible()
    assert "not saved yet" in questions[0]
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_two_tabs(person, tokens):
    one = person()
    two = person(context=one.context)
    place_all(one)
    saved(one)
    row(two, "C").locator("[data-move=up]").click()
    dialog = two.get_by_role("dialog", name="Which one do you want to keep?")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("1. Paper A")
    assert Save.objects.filter(conflict=True).count() == 1
    dialog.get_by_role("button", name="Keep the other one").click()
    assert order(two) == ["A", "B", "C"]
    row(two, "C").locator("[data-move=up]").click()
    saved(two)
    row(one, "A").locator("[data-move=down]").click()
    dialog = one.get_by_role("dialog", name="Which one do you want to keep?")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Keep this one").click()
    saved(one)
    assert Ballot.objects.get().content == by_name(tokens, *"BAC")


def test_the_deadline_passes_while_the_page_is_open(person, tokens):
    page = person()
    place_all(page)
    saved(page)
    Assignment.objects.update(rank_by="2020-01-01T00:00Z")
    row(page, "C").locator("[data-move=up]").click()
    expect(page.locator("#news")).to_have_text(re.compile("does not count"))
    assert Ballot.objects.get().content == by_name(tokens, *"ABC")
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("heading", name="Ranking is over")).to_be_visible()


def test_new_papers_while_the_page_is_open(person, tokens, round_, students):
    page = person()
    place_all(page)
    saved(page)
    for student in students[1:]:
        Ballot.objects.create(
            assignment=round_,
            grader=student,
            handed_in=content([slot.token for slot in student.slots.all()]),
            handed_in_at=round_.created_at,
        )
    Ballot.objects.filter(content=by_name(tokens, *"ABC")).update(handed_in=by_name(tokens, *"ABC"))
    do(handouts.ask_for_top_up(round_, 6))
    row(page, "C").locator("[data-move=up]").click()
    expect(page.locator("#news")).to_have_text(re.compile("There are new papers for you"))
    page.reload()
    more = page.locator("[data-part='1'] .row")
    assert more.count() >= 2
    assert order(page) == ["A", "C", "B"]
    more.first.locator("[data-move=up]").click()
    saved(page)
    assert set(Ballot.objects.get(client__gt="").content["orders"]) == {"0", "1"}


def test_reading_counts_and_the_bar_shows_it(person):
    page = person()
    page.get_by_text("Read Paper B").click()
    expect(page.get_by_text("What the paper says.")).to_be_visible()
    expect(page.locator(".far")).to_have_text("0 of 3 papers placed · 1 read")
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
        seen = Visit(page)
        assert seen.width <= width
        assert seen.violations() == []
        assert page.complaints == []
