"""Killed without a word in the middle of everything: nothing acknowledged is lost, nothing half done is shown."""

import http.client
import json
import random
import re
import sqlite3
import threading
import time
import urllib.request
from contextlib import closing, contextmanager
from dataclasses import replace
from http.cookiejar import CookieJar

import psycopg
import pytest
from playwright.sync_api import expect

from tests.web.processes import LONG, free_port, healthy, kill_all, until

SCENE = "from tests.web.whole.scene import *\n"
EACH = 5


@pytest.fixture
def app(app):
    """One that is soon sure that a worker is dead, and hands out in small steps, so that there is a long middle."""
    hasty = replace(app.migrate(), more={"TESTS_SILENCE": "6", "TESTS_TICK": "1", "TESTS_BATCH": "25"})
    hasty.command("-c", "from peerorder.cli.web_extra import web; web('operations.serving', makes_site=True).prepare()")
    return hasty


class Saver(threading.Thread):
    """A student who saves as fast as she can, and remembers what she was told is saved."""

    def __init__(self, site, assignment, member, link, tokens, before=None):
        super().__init__(daemon=True)
        self.member = member
        self.acknowledged = dict(before.acknowledged) if before else {}
        """By number: the revision and the content."""
        self.unanswered = before.unanswered if before else None
        self.client = before.client if before else f"page{member}"
        self.stopped = threading.Event()
        self._url, self._tokens = f"{site.url}/assignments/{assignment}/ranking/", list(tokens)
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar())).open
        page = self._open(link, timeout=60).read().decode()
        csrf = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
        self._open(link, f"csrfmiddlewaretoken={csrf}".encode(), timeout=60).read()
        page = self._open(self._url, timeout=60).read().decode()
        self._csrf = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]

    def run(self):
        try:
            while not self.stopped.is_set():
                self.save()
        except (OSError, http.client.HTTPException):
            # The server is gone.
            return

    def save(self):
        """The next one; first once more what was not answered."""
        if self.unanswered is None:
            # Another order each time: what is sent again is not kept again.
            last = self.acknowledged[max(self.acknowledged)][1] if self.acknowledged else None
            while (content := self._ranking()) == last:
                continue
            self.unanswered = (max(self.acknowledged, default=0) + 1, content)
        number, content = self.unanswered
        revision = max((revision for revision, _ in self.acknowledged.values()), default=0)
        body = {"revision": revision, "client": self.client, "number": number, "content": content}
        headers = {"Content-Type": "application/json", "X-CSRFToken": self._csrf}
        asked = urllib.request.Request(f"{self._url}save/", json.dumps(body).encode(), headers)
        with self._open(asked, timeout=60) as answer:
            found = json.load(answer)
        self.acknowledged[number] = (found["revision"], content)
        self.unanswered = None

    def _ranking(self):
        order = random.sample(self._tokens, len(self._tokens))
        return {"orders": {"0": [[token] for token in order]}, "unjudged": [], "comments": {}}

    def check(self, found):
        """What is there is what was acknowledged, and at most the one on its way."""
        kept = {number: (revision, content) for revision, number, content in found["saves"]}
        assert len(kept) == len(found["saves"])
        for number, told in self.acknowledged.items():
            assert kept[number] == told
        assert set(kept) - set(self.acknowledged) <= ({self.unanswered[0]} if self.unanswered else set())
        assert [revision for revision, _, _ in found["saves"]] == list(range(1, found["revision"] + 1))
        assert found["content"] == found["saves"][-1][2]


def savers_of(site, made, before=()):
    older = {saver.member: saver for saver in before}
    links = [{**each, "link": re.sub(r"http://[^/]+", site.url, each["link"])} for each in made["graders"]]
    return [Saver(site, made["assignment"], **each, before=older.get(each["member"])) for each in links]


def check_all(app, made, savers):
    found = app.ask(f"{SCENE}tell(ballots({made['assignment']}))")
    for saver in savers:
        saver.check(found[str(saver.member)])


def test_the_server_killed_in_the_middle_of_many_saves(app):
    made = app.ask(f"{SCENE}tell(small_round(6, {EACH}))")
    port = free_port()
    with app.serve(port, "--only", "web") as site:
        savers = savers_of(site, made)
        for saver in savers:
            saver.start()
        until(lambda: all(len(saver.acknowledged) >= 10 for saver in savers))
        kill_all(site.process)
        for saver in savers:
            saver.join(60)
    assert any(saver.unanswered for saver in savers)
    check_all(app, made, savers)
    with app.serve(port, "--only", "web") as site:
        again = savers_of(site, made, savers)
        many = {saver.member: len(saver.acknowledged) for saver in again}
        for saver in again:
            for _ in range(3):
                saver.save()
        assert all(len(saver.acknowledged) == many[saver.member] + 3 for saver in again)
    check_all(app, made, again)


@contextmanager
def peeking(app):
    """Look at the slots of an assignment behind the app's back: how many are written, how many can be seen."""
    sql = (
        "SELECT count(*), count(ranking_handout.ready_at) FROM ranking_slot JOIN ranking_handout "
        "ON ranking_handout.id = ranking_slot.handout_id "
        "WHERE ranking_slot.assignment_id = "
    )
    if app.database:
        opened = psycopg.connect(app.database, autocommit=True)
    else:
        opened = sqlite3.connect(app.home / "peerorder.sqlite3", isolation_level=None)
    with closing(opened) as connection:
        yield lambda assignment: tuple(connection.execute(f"{sql}{assignment:d}").fetchone())


def wait_for_the_middle(look, assignment):
    """Until some slots are written; more often than others wait, for it is soon over."""
    end = time.monotonic() + LONG
    while look(assignment)[0] == 0:
        assert time.monotonic() < end
        time.sleep(0.002)


def test_a_worker_killed_in_the_middle_of_a_hand_out(app):
    many = 500
    first, second = app.ask(
        f"{SCENE}course = make_class({many}); found = [make_round(course, {EACH}) for _ in range(2)]\n"
        "ask_for_papers(found[0]); tell(found)"
    )
    work = ("-m", "peerorder.web", "work", "--name")
    with app.process(*work, "alpha") as worker, peeking(app) as look:
        until(lambda: look(first) == (many * EACH, many * EACH))
        app.ask(f"{SCENE}ask_for_papers({second})")
        wait_for_the_middle(look, second)
        worker.kill()
        worker.wait()
        written, visible = look(second)
        assert 0 < written < many * EACH
        assert visible == 0
        shown, page = app.ask(f"{SCENE}tell([handed_out({second}), page_of({second})])")
        assert shown["rows"] == []
        assert shown["written"] == written
        assert "on their way" in page
        assert 'class="row' not in page
        with app.process(*work, "beta"):
            until(lambda: look(second) == (many * EACH, many * EACH))
    undisturbed, disturbed = app.ask(f"{SCENE}tell([handed_out({first}), handed_out({second})])")
    assert len(disturbed["rows"]) == disturbed["written"] == many * EACH
    assert disturbed["handouts"] == 1
    assert disturbed["rows"] == undisturbed["rows"]


def test_all_killed_at_once_and_started_again(app):
    many = 500
    made, large = app.ask(f"{SCENE}tell([small_round(6, {EACH}), make_round(make_class({many}), {EACH})])")
    port = free_port()
    with app.serve(port) as site, peeking(app) as look:
        until(lambda: healthy(port))
        savers = savers_of(site, made)
        for saver in savers:
            saver.start()
        until(lambda: all(saver.acknowledged for saver in savers))
        app.ask(f"{SCENE}ask_for_papers({large})")
        wait_for_the_middle(look, large)
        kill_all(site.process)
        for saver in savers:
            saver.join(60)
        written, visible = look(large)
    assert 0 < written < many * EACH
    assert visible == 0
    check_all(app, made, savers)
    with app.serve(port) as site, peeking(app) as look:
        until(lambda: healthy(port))
        again = savers_of(site, made, savers)
        for saver in again:
            saver.save()
        until(lambda: look(large) == (many * EACH, many * EACH))
    check_all(app, made, again)
    assert app.ask(f"{SCENE}tell(handed_out({large})['handouts'])") == 1


CONTENT = "(({ notes, ...ranked }) => ranked)(document.getElementById('rank').ranking.content())"


def test_a_tab_closed_right_after_a_move(app, browser):
    made = app.ask(f"{SCENE}tell(small_round(6, {EACH}))")
    grader = made["graders"][0]
    port = free_port()
    ranking = f"http://127.0.0.1:{port}/assignments/{made['assignment']}/ranking/"
    link = re.sub(r"http://[^/]+", f"http://127.0.0.1:{port}", grader["link"])
    context = browser.new_context()
    with app.serve(port, "--only", "web") as site:
        page = context.new_page()
        page.goto(link)
        page.get_by_role("button", name="Continue as").click()
        page.goto(ranking)
        for name in "ABCD":
            page.locator(f".row[data-name='Paper {name}'] .more").click()
            page.locator(f".row[data-name='Paper {name}'] [data-move=up]").click()
        expect(page.locator("#save-state")).to_have_text(re.compile(r"^Saved \d"))
        told = page.evaluate(CONTENT)
        page.locator(".row[data-name='Paper D'] [data-move=up]").click()
        moved = page.evaluate(CONTENT)
        assert moved != told
        page.close()
        kill_all(site.process)
    found = app.ask(f"{SCENE}tell(ballots({made['assignment']}))")[str(grader["member"])]
    assert told in [content for _, _, content in found["saves"]]
    assert found["content"] in (told, moved)
    with app.serve(port, "--only", "web"):
        # On the same device not even the last move is lost.
        page = context.new_page()
        page.goto(ranking)
        expect(page.locator("[data-list=order] .row").nth(2)).to_have_attribute("data-name", "Paper D")
        until(lambda: app.ask(f"{SCENE}tell(ballots({made['assignment']}))")[str(grader["member"])]["content"] == moved)
        assert page.evaluate(CONTENT) == moved
        context.close()
