"""A site as `peerorder serve` starts it, seen by the account next door, by a thief of its backup, and by gunicorn."""

import os
import re
import sqlite3
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from http.cookiejar import Cookie, CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

import psycopg
import pytest

from tests.web.postgresql import programs
from tests.web.processes import LONG, ROOT, App, children, command_of, family, free_port, healthy, until

pytestmark = pytest.mark.processes

COOKIE = "peerorder"


@dataclass
class Site:
    """A running site, and the cookie of its administrator."""

    app: App
    process: subprocess.Popen
    url: str
    cookie: str = ""

    def is_logged_in(self, cookie: str) -> bool:
        """Return whether a cookie opens the page of the account."""
        request = Request(f"{self.url}/account/", headers={"Cookie": f"{COOKIE}={cookie}"})
        try:
            with build_opener(Stay).open(request) as answer:
                return answer.status == 200
        except HTTPError as error:
            if error.code != 302:
                raise
            return False


class Stay(HTTPRedirectHandler):
    """Do not go where one is sent."""

    def redirect_request(self, *_arguments) -> None:
        return None


def log_in(url: str, printed: str) -> str:
    """Log in with what the first start prints; return the cookie."""
    jar = CookieJar()
    browser = build_opener(HTTPCookieProcessor(jar))
    form = browser.open(f"{url}/login/").read().decode()
    given = {
        "csrfmiddlewaretoken": re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)[1],
        "login": re.search(r"username +(\S+)", printed)[1],
        "password": re.search(r"password +(\S+)", printed)[1],
        "next": "",
    }
    browser.open(Request(f"{url}/login/", urlencode(given).encode(), {"Referer": f"{url}/login/"})).read()
    found: list[Cookie] = [cookie for cookie in jar if cookie.name == COOKIE]
    return found[0].value


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def site(request, tmp_path_factory) -> Iterator[Site]:
    """A site of two processes, started by somebody whose files anybody may read."""
    folder = tmp_path_factory.mktemp("site")
    database = ""
    if request.param == "postgresql":
        database = request.getfixturevalue("postgresql").database(f"site{os.getpid()}")
    app, port = App(folder / "home", database), free_port()
    serve = ("-m", "peerorder", "serve", "--port", str(port), "--processes", "2")
    with (folder / "out").open("w") as out, app.process(*serve, stdout=out, umask=0o022) as process:
        until(lambda: (healthy(port) and "Ctrl-C" in (folder / "out").read_text()) or process.poll() is not None)
        assert process.poll() is None
        found = Site(app, process, f"http://127.0.0.1:{port}")
        found.cookie = log_in(found.url, (folder / "out").read_text())
        yield found


def test_no_other_account_reads_anything(site):
    for path in [site.app.home, *site.app.home.rglob("*")]:
        # The database removes files of its own at any time.
        with suppress(FileNotFoundError):
            assert not path.lstat().st_mode & 0o077, path
    # And what the web server and the worker write from now on.
    for number in family(site.process.pid):
        # What prepares in the background may have come to its end.
        with suppress(FileNotFoundError, ProcessLookupError):
            status = Path(f"/proc/{number}/status").read_text()
            assert re.search(r"^(Umask:\s+0077|State:\s+Z .*)$", status, re.MULTILINE), command_of(number)


def test_gunicorn_has_the_threads_that_were_measured(site):
    master = next(child for child in children(site.process.pid) if "gunicorn" in command_of(child))
    command = Path(f"/proc/{master}/cmdline").read_bytes().decode().rstrip("\0").split("\0")
    until(lambda: len(children(master)) == 2)
    # What it makes of its command and its settings, by its own word.
    seen = subprocess.run(
        [*command, "--print-config"],
        env=site.app.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=LONG,
    )
    settings = dict(re.findall(r"^(\w+) += (.*)$", seen.stdout, re.MULTILINE))
    assert (settings["workers"], settings["threads"]) == ("2", "4")
    assert settings["worker_class"] == "<Worker()>"


def test_what_the_database_says_lets_nobody_in(site):
    assert site.is_logged_in(site.cookie)
    keys = rows_of_sessions(site.app)
    assert keys
    assert site.cookie not in keys
    assert not any(site.is_logged_in(key) for key in keys)


def test_a_stolen_backup_lets_nobody_in(site, tmp_path):
    if not site.app.database:
        leave_in_a_free_page(site.app, "left" * 8)
    file = tmp_path / "backup.tar.gz"
    seen = site.app.command("-m", "peerorder", "backup", str(file), check=False)
    assert seen.returncode == 0, seen.stderr
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path / "stolen", filter="data")
    copy = tmp_path / "stolen" / "database"
    values = values_of_postgresql(copy) if site.app.database else values_of_sqlite(copy)
    assert "admin" in values
    # A key is at least eight of these; anything else is no cookie.
    keys = [value for value in values if re.fullmatch(r"[\w.:=+/-]{8,}", value)]
    assert len(keys) > 50
    assert [key for key in keys if site.is_logged_in(key)] == []
    # Not even digests are there, nor anything in parts of the file that no query shows.
    digests = rows_of_sessions(site.app)
    assert values.isdisjoint(digests)
    everything = b"".join(path.read_bytes() for path in (tmp_path / "stolen").rglob("*") if path.is_file())
    assert [key for key in (site.cookie, *digests, "left" * 8) if key.encode() in everything] == []
    assert site.is_logged_in(site.cookie)


def rows_of_sessions(app: App) -> list[str]:
    question = "SELECT session_key FROM people_session"
    if app.database:
        with psycopg.connect(app.database) as connection:
            return [key for (key,) in connection.execute(question).fetchall()]
    with closing(sqlite3.connect(app.home / "peerorder.sqlite3")) as connection:
        return [key for (key,) in connection.execute(question).fetchall()]


def leave_in_a_free_page(app: App, key: str) -> None:
    """As a session that is over leaves its key where SQLite does not wipe what it deletes."""
    with closing(sqlite3.connect(app.home / "peerorder.sqlite3", isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        columns = "session_key, session_data, expire_date, made_at, last_seen_at, device"
        values = [key, key * 1000, *["2000-01-01"] * 3, ""]
        connection.execute(f"INSERT INTO people_session ({columns}) VALUES (?, ?, ?, ?, ?, ?)", values)
        connection.execute("DELETE FROM people_session WHERE session_key = ?", [key])
        connection.execute("PRAGMA wal_checkpoint")
    assert key.encode() in (app.home / "peerorder.sqlite3").read_bytes()


def values_of_sqlite(copy: Path) -> set[str]:
    with closing(sqlite3.connect(copy)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {str(value) for name in tables for row in connection.execute(f'SELECT * FROM "{name}"') for value in row}


def values_of_postgresql(copy: Path) -> set[str]:
    seen = subprocess.run(
        [programs() / "pg_restore", "--data-only", "--file=-", copy], capture_output=True, text=True, check=True
    )
    return set(re.split(r"[\t\n]", seen.stdout))
