"""Requests that no browser sends: control characters, hosts of others."""

import io
import json
import logging

import pytest
from django.test import Client, RequestFactory
from django.urls import URLPattern, get_resolver
from whitenoise.middleware import WhiteNoiseMiddleware

from peerorder.web.logging_filters import Occasional
from tests.web.processes import App

# Style sheets are collected by the first start, which is not for here.
PLAIN = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
CLIENT = f"""
from django.conf import settings
from django.test import Client, override_settings
from peerorder.web.people.models import Person
from tests.web.test_strange_requests import addresses_with_text
client = Client(raise_request_exception=False, headers={{'host': settings.ENVIRONMENT.url.netloc}})
client.force_login(Person.objects.create(name='Ida', makes_courses=True))
override_settings(STORAGES={PLAIN!r}).enable()
nul = 'a' + chr(0)
# Else everything below would be refused for another reason.
assert client.get('/').status_code == 200
"""


def addresses_with_text(characters="\0\x01\x1f\x7f"):
    """Every address that takes a text, with a control character in it, as it travels."""
    found = []
    for pattern in patterns(get_resolver()):
        names = {name: type(each).__name__ for name, each in pattern.pattern.converters.items()}
        for name, kind in names.items():
            if kind in ("StringConverter", "PathConverter"):
                for character in characters:
                    given = dict.fromkeys(names, 1) | {name: "%" + f"{ord(character):02x}"}
                    route = str(pattern.pattern)
                    for each, value in given.items():
                        converter = {"StringConverter": "str", "PathConverter": "path"}.get(names[each], "")
                        for written in (f"<{converter}:{each}>", f"<int:{each}>", f"<slug:{each}>", f"<{each}>"):
                            route = route.replace(written, str(value))
                    found.append(f"/{route}")
    return found


def patterns(resolver):
    for each in resolver.url_patterns:
        yield from [each] if isinstance(each, URLPattern) else patterns(each)


def test_no_address_with_a_control_character_breaks(app: App):
    told = app.migrate().ask(
        f"{CLIENT}\n"
        "tell([[where, method, getattr(client, method)(where).status_code]"
        " for where in addresses_with_text() for method in ('get', 'post')])"
    )
    assert len(told) > 20
    assert {each[2] for each in told} == {404}


def test_no_form_and_no_query_with_nul_breaks(app: App):
    told = app.migrate().ask(
        f"{CLIENT}\n"
        "asked = [client.get('/', {'next': nul}), client.get('/login/', {nul: '1'}), "
        "client.post('/login/', {'login': nul, 'password': nul, 'next': nul}), client.post('/login/', {nul: 'x'}), "
        "client.post('/login/?next=%00', {'login': 'x', 'password': 'x'}), "
        "client.post('/courses/new/', {'name': nul, 'time_zone': 'UTC'})]\n"
        "tell([each.status_code for each in asked])"
    )
    assert set(told) == {400}


@pytest.mark.django_db
def test_what_people_paste_is_no_control_character(client):
    """A form feed or a tab comes out of PDFs and slides."""
    assert client.post("/login/", {"login": "a\tb\x0c", "password": "x", "next": ""}).status_code != 400


@pytest.mark.django_db
def test_a_foreign_host_writes_one_short_line_in_a_while(settings, monkeypatch):
    settings.ALLOWED_HOSTS = ["peers.example.edu"]
    logger = logging.getLogger("django.security.DisallowedHost")
    assert {type(each) for each in logger.filters} == {Occasional}
    # One of our own: what other tests did does not count.
    occasional = Occasional()
    monkeypatch.setattr(logger, "filters", [occasional])
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger().addHandler(handler)
    try:
        client = Client(raise_request_exception=False)
        for number in range(20):
            host = f"evil{number}.example.org" + "x" * 300
            assert client.get("/login/", headers={"host": host}).status_code == 400
        occasional._passed = float("-inf")
        assert client.get("/login/", headers={"host": "late.example.org"}).status_code == 400
    finally:
        logging.getLogger().removeHandler(handler)
    lines = [line for line in stream.getvalue().splitlines() if "HTTP_HOST" in line or "Traceback" in line]
    assert len(lines) == 2
    assert "19 more" in lines[1]
    assert all(len(line) < 300 for line in lines)
    assert "Traceback" not in stream.getvalue()


@pytest.mark.django_db
def test_health_tells_the_version_to_nobody_but_those_who_make_courses(client, enter, instructor, students):
    assert "version" not in client.get("/health/").json()
    assert "version" not in enter(students[0]).get("/health/").json()
    assert "version" in enter(instructor).get("/health/").json()
    assert json.dumps(client.get("/login/").headers.get("Server")) == "null"


def test_static_names_without_a_digest_are_asked_for_once_an_hour(settings, tmp_path):
    (tmp_path / "some.css").write_text("main {}")
    settings.STATIC_ROOT, settings.WHITENOISE_AUTOREFRESH, settings.WHITENOISE_USE_FINDERS = tmp_path, False, False
    serves = WhiteNoiseMiddleware(lambda _request: None)
    answer = serves(RequestFactory().head(f"{settings.STATIC_URL}some.css"))
    assert answer.status_code == 200
    assert "max-age=3600" in answer["Cache-Control"]
