"""What holds for every page: its parts, its headers, its weight, and that it can be translated."""

import copy
import gzip
import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

import peerorder.web
from peerorder.rules import RULES
from peerorder.web.assignments.models import Assignment, Extension
from peerorder.web.courses.models import Course, Invitation, Member, Role, Section
from peerorder.web.home.views.style_guide import STUDENTS
from peerorder.web.jobs.models import Job
from peerorder.web.mail.models import Mail
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Problem
from peerorder.web.results.models import Decision
from tests import pseudo_locale
from tests.web.crawling import Answer, ask, crawl
from tests.web.test_access import address_of, every_address
from tests.web.world import World, entered, kept

WEB = Path(peerorder.web.__file__).parent
ROLES = ("anonymous", "outsider", "student", "assistant", "instructor")
HEAVIEST = 150_000
TEMPLATES = sorted(path for path in WEB.rglob("*.html") if "templates" in path.parts)


@pytest.fixture(scope="module")
def one_world(django_db_setup, django_db_blocker) -> Iterator[World]:
    with kept(django_db_blocker) as made:
        # A full page of every list.
        people = [Person(name=f"Somebody {at}", email=f"body{at}@example.edu") for at in range(120)]
        people = Person.objects.bulk_create(people)
        Member.objects.bulk_create(
            Member(course=made.course, person=person, role=Role.STUDENT, student=f"body{at}")
            for at, person in enumerate(people)
        )
        yield made


@pytest.fixture(scope="module")
def answers(one_world) -> dict[str, list[Answer]]:
    """Everything that everybody sees: all links and forms, and all addresses."""
    world, found = one_world, {}
    addresses = [address_of(world, name) for name in every_address() if name != "people:enter"]
    for role in ROLES:
        client = Client() if role == "anonymous" else entered(getattr(world, role))
        found[role] = list(crawl(client, *addresses, "/nothing/", "/", most=4))
    return found


@pytest.fixture
def pages(answers, db) -> list[Answer]:
    """Whole pages, each once for everybody."""
    return [
        each for some in answers.values() for each in some if each.is_page and not each.part and b"<html" in each.body
    ]


class Seen(HTMLParser):
    """What the tests ask of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.title = ""
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        if self._inside == "title":
            self.title += data
        elif self._inside in ("script", "style") and data.strip():
            self.tags.append(("inline", {self._inside: data}))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def all(self, *names: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.tags if tag in names]


def look(answer: Answer) -> Seen:
    return _parsed(answer.body)


@cache
def _parsed(body: bytes) -> Seen:
    seen = Seen()
    seen.feed(body.decode())
    return seen


def test_everything_was_seen(answers, pages):
    assert len(pages) > 100
    statuses = {each.status for some in answers.values() for each in some}
    assert {200, 302, 403, 404, 405, 422} <= statuses
    assert not any(status >= 500 for status in statuses)


def test_every_page_has_a_title_a_heading_and_a_language(pages):
    for page in pages:
        seen, where = look(page), (page.method, page.address, page.status)
        assert seen.title.partition("·")[0].strip(), where
        assert len(seen.all("h1")) == 1, where
        assert seen.all("html")[0].get("lang") == "en", where
        assert len(seen.all("main")) == 1, where
        names = [each["id"] for _tag, each in seen.tags if "id" in each]
        assert len(names) == len(set(names)), (where, sorted(name for name in names if names.count(name) > 1))


def test_headings_go_down_one_step_at_a_time(pages):
    for page in pages:
        levels = [int(tag[1]) for tag, _attributes in look(page).tags if re.fullmatch("h[1-6]", tag)]
        # What somebody wrote in Markdown has headings of its own.
        assert levels[0] == 1, page.address
        assert all(below <= above + 1 for above, below in zip(levels, levels[1:], strict=False)), (page.address, levels)


def test_every_field_has_a_label(pages):
    for page in pages:
        seen = look(page)
        labelled = {each.get("for") for each in seen.all("label")}
        for tag, each in seen.tags:
            if tag in ("input", "select", "textarea") and each.get("type") not in ("hidden", "submit"):
                known = each.get("id") in labelled or "aria-label" in each or "aria-labelledby" in each
                # A label may stand around its field.
                around = re.search(
                    rb"<label[^>]*>(?:(?!</label>).)*name=\"" + re.escape(each.get("name", "").encode()),
                    page.body,
                    re.DOTALL,
                )
                assert known or around, (page.address, each)


def test_every_answer_has_a_strict_policy(answers, db):
    for some in answers.values():
        for answer in some:
            policy = answer.headers.get("Content-Security-Policy", "")
            assert policy.startswith("default-src 'none'"), answer.address
            assert "unsafe" not in policy, answer.address
            assert "http" not in policy, answer.address
            assert answer.headers.get("X-Content-Type-Options") == "nosniff", answer.address
            assert answer.headers.get("X-Frame-Options") == "DENY", answer.address
            assert "private" in answer.headers["Cache-Control"], answer.address


def test_nothing_is_inline(answers, db):
    for some in answers.values():
        for answer in some:
            if not answer.is_page:
                continue
            for tag, each in look(answer).tags:
                where = (answer.method, answer.address, tag, each)
                assert tag not in ("inline", "style", "iframe", "object", "embed", "base"), where
                assert not [name for name in each if name.startswith("on") or name == "style"], where
                values = [value.strip().lower() for value in each.values()]
                assert not any(value.startswith(("javascript:", "data:")) for value in values), where
                assert tag != "script" or each.get("src", "").startswith("/static/"), where
                assert not any(name.startswith("hx-on") or name in ("hx-vals", "hx-vars") for name in each), where


def test_no_page_asks_anybody_else(answers, db):
    for some in answers.values():
        for answer in some:
            for tag, each in look(answer).tags if answer.is_page else ():
                if tag in ("script", "link", "img", "source", "form"):
                    asked = [each.get(name, "") for name in ("src", "href", "srcset", "action")]
                    assert not [to for to in asked if "//" in to], (answer.address, tag, each)


def weight_of(page: Answer) -> int:
    """The HTML as it is, and styles, scripts and icons as they are served: compressed."""
    seen = look(page)
    files = {each.get("src", "") or each.get("href", "") for each in seen.all("script", "link")}
    return len(page.body) + sum(map(_weight_of_file, files))


@cache
def _weight_of_file(file: str) -> int:
    found = finders.find(file.removeprefix("/static/"))
    assert found, file
    return len(gzip.compress(Path(found).read_bytes(), 9))


def test_no_page_is_heavy(pages):
    heavy = {(page.address, weight_of(page)) for page in pages}
    assert not [each for each in heavy if each[1] > HEAVIEST], sorted(heavy, key=lambda each: -each[1])[:5]


def test_a_page_for_what_broke(world_at_home, monkeypatch):
    client = Client(raise_request_exception=False)
    monkeypatch.setattr("peerorder.web.people.views.entering.LoginForm", None)
    answer = ask(client, "GET", "/login/")
    assert answer.status == 500
    seen = look(answer)
    assert seen.all("html")[0]["lang"] == "en"
    assert (len(seen.all("h1")), bool(seen.title)) == (1, True)
    assert "unsafe" not in answer.headers["Content-Security-Policy"]


@pytest.fixture
def world_at_home(one_world, db) -> World:
    return copy.deepcopy(one_world)


# Cookies where it counts.

ASKS = """
import json, django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Problem
from peerorder.web.results.models import Decision
Person.objects.create_user("ida", "a very long password", name="Ida")
client = Client(headers={"host": "peers.example.edu", "x-forwarded-proto": "https"})
client.get("/login/")
response = client.post("/login/", {"login": "ida", "password": "a very long password"})
cookies = {name: {key: each[key] for key in ("secure", "httponly", "samesite", "domain")}
           for name, each in client.cookies.items()}
plain = Client(headers={"host": "peers.example.edu"}).get("/login/")
wrong = Client(headers={"host": "elsewhere.example.edu", "x-forwarded-proto": "https"}).get("/login/")
print("TOLD", json.dumps({"cookies": cookies, "status": response.status_code, "debug": settings.DEBUG,
      "hsts": response.headers.get("Strict-Transport-Security", ""), "wrong": wrong.status_code}))
"""


@pytest.mark.processes
def test_cookies_are_safe_in_production(tmp_path):
    kept_ = {name: value for name, value in os.environ.items() if not name.startswith("PEERORDER_")}
    given = {
        "PEERORDER_HOME": str(tmp_path),
        "PEERORDER_PRODUCTION": "yes",
        "PEERORDER_SECRET_KEY": secrets.token_urlsafe(64),
        "PEERORDER_MAIL": "none",
        "PEERORDER_URL": "https://peers.example.edu",
        "DJANGO_SETTINGS_MODULE": "peerorder.web.settings",
    }
    (tmp_path / "static").mkdir()
    # The files of the style are collected at the first start.
    command = [sys.executable, "-m", "peerorder.web", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(command, env=kept_ | given, check=True, capture_output=True)
    done = subprocess.run([sys.executable, "-c", ASKS], env=kept_ | given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("TOLD "))[5:])
    assert (told["status"], told["debug"], told["wrong"]) == (302, False, 400)
    assert "max-age=" in told["hsts"]
    assert set(told["cookies"]) >= {"sessionid", "csrftoken"} or len(told["cookies"]) >= 2
    for name, each in told["cookies"].items():
        assert each == {"secure": True, "httponly": True, "samesite": "Lax", "domain": ""}, name


# Translation.

NOT_WORDS = {"peerorder", "SHA-256", "CSV", "XLSX", "UTC", "k"}
SPOKEN = ("alt", "title", "placeholder", "aria-label", "data-confirm", "data-logout", "data-unsaved", "data-copied")


def untranslated(template: str) -> list[str]:
    """Words of a template that no translator would see."""
    text = re.sub(r"{#.*?#}|{% comment.*?endcomment %}", "", template, flags=re.DOTALL)
    text = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", "", text, flags=re.DOTALL)
    text = re.sub(r"{%.*?%}|{{.*?}}", "", text, flags=re.DOTALL)
    said = re.findall(rf"\b(?:{'|'.join(pseudo_locale.SPOKEN)})=\"([^\"]*)\"", text)
    # Code is the same in all languages.
    text = re.sub(r"<code>.*?</code>|<!--.*?-->|<[^>]*>|&\w+;", " ", text, flags=re.DOTALL)
    words = [word.strip(".,:;()…·") for each in [*said, text] for word in each.split()]
    return [word for word in words if re.search(r"[^\W\d_]", word) and word not in NOT_WORDS]


def test_the_lint_finds_words():
    assert untranslated('<p>{% translate "Good" %} Bad</p>') == ["Bad"]
    assert untranslated('<img alt="A dog">{# fine #}{% blocktranslate %}Good{% endblocktranslate %}') == ["A", "dog"]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(WEB)))
def test_every_text_of_a_template_can_be_translated(path):
    assert untranslated(path.read_text()) == []


def test_pages_are_compressed_and_their_length_tells_little(one_world, db):
    """m24: 34 kB for a list; decision 26 says why this is safe."""
    client = entered(one_world.instructor)
    path = f"/courses/{one_world.course.pk}/people/"
    answers = [client.get(path, headers={"accept-encoding": "gzip"}) for _ in range(8)]
    page = gzip.decompress(answers[0].content)
    assert all(answer["Content-Encoding"] == "gzip" for answer in answers)
    assert len(answers[0].content) < len(page) / 4
    assert len({len(answer.content) for answer in answers}) > 1
    tokens = [
        re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', gzip.decompress(each.content)) for each in answers
    ]
    assert len({token[1] for token in tokens}) == len(answers)
    assert "Content-Encoding" not in client.get(path).headers
    archive = client.get(address_of(one_world, "lifecycle:export-file"), headers={"accept-encoding": "gzip"})
    assert "Content-Encoding" not in archive.headers
    archive.close()


# In a language that nobody speaks.


# The same in every language: names of things, of time zones and files, addresses, digests, initials, names of rules.
SAME = (
    *("peerorder", "SHA-256", "CSV", "XLSX", "PDF", "ZIP", "JSON", "UTC", "EET", "JPEG", "PNG", "MB", "kB", "https"),
    *(name for rule in RULES for name in (rule, rule.title())),
    "percentile",
)
SAME_KINDS = (
    *(
        r"[A-Z][a-z]+/[A-Z][\w/ -]+",
        r"[\w-]+\.[a-z]{3,4}",
        r"[\w.-]+@[\w.-]+",
        "[0-9a-f]{16,}",
        "[A-Z]{2}",
        r"\{\w+\}",
        r"\w+=\d+",
    ),
    *("A remark on paper [0-9]", r"Thesis\w+", "Newt", "new1"),  # by people of the world
)
# What the world says where it is not the text of a paper.
OWN = {
    Assignment: ("title", "task", "instructions", "solution"),
    Course: ("name",),
    Decision: ("reason",),
    Extension: ("note",),
    Invitation: ("name",),
    Job: ("message",),  # written in the language of the site
    Mail: ("subject",),  # likewise
    Member: ("student", "team"),
    Person: ("name", "login"),
    Problem: ("text", "answer"),
    Section: ("name",),
}


@pytest.fixture(scope="module")
def pseudo_pages(one_world, pseudo_catalogues) -> list[Answer]:
    """Every page and part of a page that somebody sees, in the pseudo-locale."""
    world, found = one_world, {}
    addresses = [address_of(world, name) for name in every_address() if name != "people:enter"]
    with pseudo_locale.spoken_by_django(pseudo_catalogues):
        for role in ROLES:
            options = {"headers": {"accept-language": pseudo_locale.LANGUAGE}}
            client = Client(**options) if role == "anonymous" else entered(getattr(world, role), **options)
            pages = (each for each in crawl(client, *addresses, "/nothing/", "/", most=1) if each.is_page)
            found |= {each.body: each for each in pages}
    return list(found.values())


def words_of_people() -> re.Pattern[str]:
    """Match what people gave, and what is the same in every language."""
    rows = (row for model, fields in OWN.items() for row in model.objects.values_list(*fields))
    given = {*SAME, *(each["name"] for each in STUDENTS), *(word for row in rows for word in row if word)}
    exact = (re.escape(word) for word in sorted(given, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{'|'.join((*exact, *SAME_KINDS))})(?!\w)")


def test_every_word_of_every_page_can_be_translated(pseudo_pages, db):
    of_people, missed = words_of_people(), {}
    for page in pseudo_pages:
        for line in pseudo_locale.untranslated_lines(page.body.decode()):
            if re.search(r"[^\W\d_]{2}", of_people.sub(" ", line)):
                missed.setdefault(line, page.address)
    assert not missed
