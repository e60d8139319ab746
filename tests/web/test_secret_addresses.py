"""Tokens of links are in no log line, ours or Django's, and no text links to them."""

import http.client
import io
import json
import logging
import logging.config
import os
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.test.utils import override_settings

from peerorder.web.json_logging import JsonFormatter, TextFormatter
from peerorder.web.markdown import as_html
from peerorder.web.operations.gunicorn_settings import gunicorn_command
from peerorder.web.papers.submissions import Rejected, check_link
from peerorder.web.people.links import make_link, new_token
from peerorder.web.secret_addresses import PREFIXES, leads_to_secret, redact
from tests.web.processes import free_port, until
from tests.web.test_access import SECRETS, every_address

TOKEN = "aB3_" + "xYz-9" * 5 + "Qq7"


# Logs.


@pytest.fixture
def lines():
    """Everything that goes to the log from now on, as text and as JSON, whatever writes it and however grave it is."""
    streams = {"text": io.StringIO(), "json": io.StringIO()}
    handlers = []
    for name, stream in streams.items():
        config = django_settings.LOGGING["formatters"][name]
        formatter = logging.config.DictConfigurator({"version": 1}).configure_formatter(dict(config))
        handler = logging.StreamHandler(stream)
        handler.setFormatter(formatter)
        handlers.append(handler)
    root = logging.getLogger()
    loggers = [
        root,
        *(logging.getLogger(name) for name in ("django", "django.request", "django.security", "peerorder")),
    ]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.DEBUG)
    for handler in handlers:
        root.addHandler(handler)
    yield lambda: [stream.getvalue() for stream in streams.values()]
    for handler in handlers:
        root.removeHandler(handler)
    for logger, level in zip(loggers, levels, strict=True):
        logger.setLevel(level)


def paths(token):
    """Addresses with a token, right and wrong ones."""
    return [
        *(f"/{prefix}/{token}/" for prefix in PREFIXES),
        f"/in/{token}",
        f"/in/{token[:-1]}/",
        f"/in/{token}/more/",
        f"/IN/{token}/",
        f"/inn/{token}/",
        f"/{token}/",
        f"/in//{token}/",
        f"/in/%20{token}/",
        f"/login/?next=/in/{token}/",
        f"/login/?next=%2Fin%2F{token}%2F",
    ]


@pytest.mark.parametrize("status", [200, 403, 404, 405, 500, "host"])
def test_no_token_reaches_a_line_of_the_log(students, lines, status, monkeypatch):
    """L1: a POST to a link logged the whole working token."""
    token = make_link(students[0].person).rstrip("/").rpartition("/")[2]
    client = Client(enforce_csrf_checks=status == 403, raise_request_exception=False)
    if status == 500:

        def breaks(*_):
            raise RuntimeError(f"looking for {token} at /in/{token}/")

        monkeypatch.setattr("peerorder.web.people.views.entering.look_up", breaks)
        monkeypatch.setattr("peerorder.web.people.confirmations.find", breaks)
    seen = set()
    for path in paths(token):
        if status == 405:
            answer = client.put(path)
        elif status == 403:
            answer = client.post(path)
        elif status == "host":
            answer = client.get(path, headers={"Host": "elsewhere.example"})
        else:
            answer = client.get(path, headers={"Referer": f"http://testserver/in/{token}/"})
        seen.add(answer.status_code)
    assert (400 if status == "host" else status) in seen
    for text in lines():
        assert text, "something was logged"
        for part in (token, token[:-1], token[1:]):
            assert part not in text


def test_every_token_is_recognised_wherever_it_stands():
    """One in 200 random ones has no digit, and looks like a word."""
    for _ in range(5000):
        token = new_token()
        assert token not in redact(f"GET '/inn/{token}/'")


@pytest.mark.parametrize("kind", [TextFormatter, JsonFormatter])
def test_tracebacks_arguments_and_extras_hold_none(kind):
    try:
        raise ValueError({"path": f"in/{TOKEN}/"})
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "at %s", (f"/reset/{TOKEN}/",), sys.exc_info())
    record.more = f"<WSGIRequest: GET '/confirm/{TOKEN}/'>"
    line = kind().format(record)
    assert TOKEN not in line
    assert "Traceback" in line
    if kind is JsonFormatter:
        assert json.loads(line)["level"] == "ERROR"


def test_every_handler_redacts():
    formatters = django_settings.LOGGING["formatters"]
    assert {each["()"].rpartition(".")[2] for each in formatters.values()} == {"TextFormatter", "JsonFormatter"}
    assert all(handler["formatter"] in formatters for handler in django_settings.LOGGING["handlers"].values())


def test_new_tokens_are_seen_for_what_they_are():
    for _ in range(300):
        token = new_token()
        assert token not in redact(f"GET /in/{token}/ HTTP/1.1")
        assert token not in redact(f"next=%2Fin%2F{token}%2F")


@pytest.mark.parametrize(
    "text",
    [
        "GET courses/<int:course_id>/ 200",
        "in production; in/out",
        'File "/usr/lib/python3.11/site-packages/django/core/handlers/base.py", line 197, in _get_response',
        "sealed up to 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "job 6a1e1c63-6f8c-4b9e-8d5a-0d4c64b1f5a0 failed",
    ],
)
def test_other_lines_stay_as_they_are(text):
    assert redact(text).replace("in/[secret]", "in/out") == text


@pytest.mark.processes
def test_gunicorn_redacts_its_own_lines(tmp_path):
    """It writes whole addresses where a request goes wrong outside of Django."""
    code = "def application(environ, start):\n    raise RuntimeError(environ['PATH_INFO'])\n"
    (tmp_path / "broken.py").write_text(code)
    port = free_port()
    command = gunicorn_command("127.0.0.1", port, 1, "broken:application")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path(__file__).parents[2] / 'src'}"}
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stderr=log, stdout=log, cwd=tmp_path)
        try:
            assert until(lambda: answer_of(port, f"/in/{TOKEN}/")) == 500
        finally:
            server.terminate()
            server.wait(30)
    text = (tmp_path / "log").read_text()
    assert "RuntimeError" in text
    assert TOKEN not in text


def answer_of(port: int, path: str) -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with suppress(ConnectionRefusedError), closing(connection):
        connection.request("GET", path)
        return connection.getresponse().status
    return None


# Texts.

LINKS = [
    f"/in/{TOKEN}/",
    f"/in/{TOKEN}",
    f"in/{TOKEN}/",
    f"./in/{TOKEN}/",
    f"../../in/{TOKEN}/",
    f"/x/../in/{TOKEN}/",
    f"/./in/{TOKEN}/",
    f"//peerorder.example.edu/in/{TOKEN}/",
    f"https://peerorder.example.edu/in/{TOKEN}/",
    f"HTTPS://PEERORDER.EXAMPLE.EDU/in/{TOKEN}/",
    f"http://127.0.0.1:8000/in/{TOKEN}/",
    f"http://2130706433/in/{TOKEN}/",
    f"https://user@peerorder.example.edu.:443/in/{TOKEN}/",
    f"https:in/{TOKEN}/",
    f"https:/in/{TOKEN}/",
    f"/%69%6e/{TOKEN}/",
    f"/%69n%2F{TOKEN}/",
    f"/%2569n/{TOKEN}/",
    f"/IN/{TOKEN}/",
    f"\\in\\{TOKEN}\\",
    f"/\\peerorder.example.edu/in/{TOKEN}/",
    f"/in/{TOKEN}/?x=1#y",
    f"/login/?next=/in/{TOKEN}/",
    f"/login/?next=%2Fin%2F{TOKEN}%2F",
    f"/i&#110;/{TOKEN}/",
    f"/i\tn/{TOKEN}/",
    f"/reset/{TOKEN}/",
    f"/confirm/{TOKEN}/",
    f"/invitations/{TOKEN}/",
]


@pytest.mark.parametrize("address", LINKS)
@pytest.mark.parametrize("form", ["[see the appendix]({})", "[see the appendix](<{}>)", "[x]\n\n[x]: {}", "<{}>"])
def test_no_text_links_to_a_personal_link(address, form):
    """M8: a paper said [see the appendix](/in/...), and the grader went on as its author."""
    page = as_html(form.format(address))
    assert "href" not in page


@pytest.mark.parametrize(
    "address",
    [
        "https://www.linkedin.com/in/ida-berg/",
        "https://example.edu/in/2026/appendix.pdf",
        "/courses/1/",
        "https://example.edu/reset/",
        "mailto:ida@example.edu",
        "https://example.edu/login/",
        "https://doi.org/10.1000/in.182",
    ],
)
def test_other_links_stay(address):
    assert f'href="{address}"' in as_html(f"[x]({address})")
    assert not leads_to_secret(address)


def test_a_paper_that_is_a_link_is_none_to_a_personal_link():
    assert check_link("https://example.edu/essay.pdf").text == "https://example.edu/essay.pdf"
    with pytest.raises(Rejected):
        check_link(f"https://peerorder.example.edu/in/{TOKEN}/")


def test_every_address_with_a_secret_is_listed():
    """A new one must be added to the prefixes, or logs and texts would hold its tokens."""
    first = {str(every_address()[name].pattern).partition("/")[0] for name in SECRETS}
    assert first <= set(PREFIXES)


def test_it_holds_with_other_settings_too():
    with override_settings(PUBLIC_URL="https://elsewhere.example"):
        assert "href" not in as_html(f"[x](https://elsewhere.example/in/{TOKEN}/)")
