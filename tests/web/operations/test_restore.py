"""A restore changes everything or nothing, whatever is in the archive and whatever fails on the way."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.web.operations.failing import EVER, KILLED, ONCE
from tests.web.operations.test_backup import members, peerorder, written
from tests.web.processes import ROOT, App, alive, until

pytestmark = pytest.mark.processes

REFUSED = (
    "from peerorder.web.audit.models import Event\nfrom django.db import Error\n"
    "Event.objects.create(verb='x')\n"
    "try:\n    Event.objects.update(verb='y'); tell('changed')\nexcept Error: tell('refused')"
)


OLD = (["Jo"], {"ab/1.pdf": b"old", "cd/2.pdf": b"old"})
NEW = (["Ida"], {"ab/1.pdf": b"new", "ef/3.pdf": b"new"})


def fill(app, name, uploads):
    app.ask(f"from peerorder.web.people.models import Person; Person.objects.create(name={name!r})")
    for path, content in uploads.items():
        (app.home / "uploads" / path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        (app.home / "uploads" / path).write_bytes(content)
        (app.home / "uploads" / path).chmod(0o600)


def state(app):
    """What is in a site: names of people, and uploads. Files of a restore are none of it."""
    question = "SELECT name FROM people_person ORDER BY name"
    if app.database:
        with psycopg.connect(app.database) as connection:
            names = connection.execute(question).fetchall()
            schemas = "SELECT 1 FROM pg_namespace WHERE nspname LIKE 'before%'"
            assert connection.execute(schemas).fetchone() is None
    else:
        with closing(sqlite3.connect(app.home / "peerorder.sqlite3")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            names = connection.execute(question).fetchall()
    return [name for (name,) in names], files(app.home / "uploads")


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def leftovers(app):
    return [
        path.name for path in [*app.home.glob("*estore*"), *app.home.glob("uploads/.*"), *app.home.glob("before-*")]
    ]


@pytest.fixture(scope="module")
def backups(request, tmp_path_factory):
    """Backups of another site, on either database; each is made once."""
    made: dict[str, Path] = {}

    def backup_on(database: str) -> Path:
        if database not in made:
            folder = tmp_path_factory.mktemp(database)
            address = request.getfixturevalue("postgresql").database() if database == "postgresql" else ""
            other = App(folder / "home", address).migrate()
            fill(other, "Ida", NEW[1])
            made[database] = folder / "backup.tar.gz"
            peerorder(other, "backup", str(made[database]))
        return made[database]

    return backup_on


@pytest.fixture
def two(app, backups, tmp_path):
    """A site with something in it, and a backup of another one."""
    fill(app.migrate(), "Jo", OLD[1])
    backup = backups("postgresql" if app.database else "sqlite")
    return app, shutil.copyfile(backup, tmp_path / "backup.tar.gz")


def test_what_was_there_is_kept_aside(two):
    app, file = two
    seen = peerorder(app, "restore", str(file), "--force")
    assert state(app) == NEW
    (before,) = app.home.glob("before-*")
    assert str(before) in seen
    assert files(before / "uploads") == OLD[1]
    assert [path for path in [before, *before.rglob("*")] if path.stat().st_mode & 0o077] == []
    if app.database:
        seen = subprocess.run(["pg_restore", "--file=-", before / "database"], capture_output=True, check=True)
        assert b"\tJo\t" in seen.stdout
    else:
        with closing(sqlite3.connect(before / "peerorder.sqlite3")) as connection:
            assert connection.execute("SELECT name FROM people_person").fetchall() == [("Jo",)]
    # It is not in the next backup.
    peerorder(app, "backup", str(file), "--force")
    assert {name for name in members(file) if name.startswith("uploads")} == {"uploads/ab/1.pdf", "uploads/ef/3.pdf"}


@pytest.mark.slow
@pytest.mark.parametrize("ways", [(KILLED,), (ONCE, EVER)], ids=" and ".join)
def test_a_failure_at_any_step_changes_nothing(two, ways):
    app, file = two
    ended, step = [], 0
    while not ended or ended[-1] != 0:
        how = ways[step % len(ways)]
        step += 1
        assert step < 200
        code, settled = app.ask(
            "from tests.web.operations.failing import settle, try_restore\n"
            f"tell([try_restore({str(file)!r}, {step}, {how!r}), settle()])"
        )
        assert settled == 0, step
        # Nothing but one line for people, or its death; not a bug of ours.
        assert code in ((-signal.SIGKILL,) if how == KILLED else (2, 3)) or code == 0, step
        ended.append(code)
        found = state(app)
        assert found in (OLD, NEW), step
        if found == NEW:
            # Only its last steps, after everything was in place, or none at all, may have failed.
            assert code != 2, step
            for path in app.home.glob("before-*"):
                shutil.rmtree(path)
            assert leftovers(app) == [], step
            reset(app)
        assert leftovers(app) == [], step
    assert ended.count(0) == 1
    # Files, programs and queries of each part.
    assert len(ended) > 30
    assert app.ask(REFUSED) == "refused"


def reset(app):
    """Put in what was there before."""
    app.ask("from peerorder.web.people.models import Person; Person.objects.all().delete()")
    shutil.rmtree(app.home / "uploads")
    fill(app, "Jo", OLD[1])


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_the_next_command_says_what_became_of_it(two):
    app, file = two
    app.ask(
        "from tests.web.operations.failing import KILLED, Steps, in_a_fork\n"
        "from peerorder.web.operations import restore, swap\nfrom pathlib import Path\nimport os\n"
        "def killed(*given): os.kill(os.getpid(), 9)\n"
        "restore._bring_up_to_date = killed\n"
        f"in_a_fork(lambda: restore.restore(Path({str(file)!r}), force=True))"
    )
    assert (app.home / "restore.json").exists()
    seen = peerorder(app, "staff", "list")
    assert len([line for line in seen.splitlines() if line.startswith("peerorder:")]) == 1
    assert "undone" in seen
    assert state(app) == OLD
    assert leftovers(app) == []


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_a_journal_that_is_damaged_stops_every_command(two):
    app, file = two
    (app.home / "restore.json").write_text('{"phase": "replacing"')
    for words in (("staff", "list"), ("restore", str(file), "--force"), ("backup", str(file), "--force")):
        assert len(peerorder(app, *words, code=2).strip().splitlines()) == 1
    assert state(app) == OLD


def test_what_apps_do_afterwards_belongs_to_it(two):
    """An app may put something right before anybody can log in; if it cannot, there is no restore."""
    app, file = two
    restoring = (
        "from peerorder.web.database.registry import after_restore\n"
        "from peerorder.web.operations.restore import restore\nfrom peerorder.web.people.models import Person\n"
        "from peerorder.core.errors import InputError\nfrom pathlib import Path\n"
        "def put_right(manifest):\n    Person.objects.update(name=manifest['database'])\n"
        "    if FAILS: raise OSError('no')\n"
        "after_restore.append(put_right)\n"
        f"try:\n    restore(Path({str(file)!r}), force=True)\nexcept InputError as error: tell('undone')\n"
        "after_restore.remove(put_right)"
    )
    assert app.ask(f"FAILS = True\n{restoring}") == "undone"
    assert state(app) == OLD
    assert app.ask(f"FAILS = False\n{restoring}") is None
    assert state(app)[0] == ["postgresql" if app.database else "sqlite"]


@pytest.mark.parametrize("app", ["postgresql"], indirect=True)
def test_psql_dies_with_the_restore(two, tmp_path, monkeypatch):
    """Else it would overwrite the database after the restore was undone."""
    app, file = two
    # A psql that takes its time to begin.
    slow, begun, goes_on = tmp_path / "bin" / "psql", tmp_path / "begun", tmp_path / "goes-on"
    slow.parent.mkdir()
    waits = f"echo $$ > {begun}.new; mv {begun}.new {begun}; while [ ! -e {goes_on} ]; do sleep 0.05; done"
    slow.write_text(f'#!/bin/sh\n{waits}\nexec {shutil.which("psql")} "$@"\n')
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    with app.process("-m", "peerorder", "restore", str(file), "--force") as process:
        until(begun.exists)
        process.kill()
        process.wait()
    try:
        until(lambda: not alive(int(begun.read_text())), 30)
    finally:
        goes_on.touch()
    assert app.ask("from tests.web.operations.failing import settle; tell(settle())") == 0
    assert state(app) == OLD


@pytest.mark.parametrize("app", ["postgresql"], indirect=True)
def test_what_psql_has_begun_is_waited_for(two):
    """What the server does for it goes on for a while after it was killed, and is undone."""
    app, file = two
    waits = "SELECT pid FROM pg_stat_activity WHERE application_name = 'psql' AND wait_event_type = 'Lock'"
    with (
        psycopg.connect(app.database) as blocking,
        psycopg.connect(app.database, autocommit=True) as looking,
        app.process("-m", "peerorder", "restore", str(file), "--force") as process,
    ):
        # The copy of what is there may be made, but no table may be moved.
        blocking.execute("LOCK TABLE people_person IN ACCESS SHARE MODE")
        until(lambda: looking.execute(waits).fetchone())
        process.kill()
        process.wait()
        blocking.rollback()
        until(lambda: not looking.execute("SELECT 1 FROM pg_stat_activity WHERE application_name = 'psql'").fetchone())
    assert app.ask("from tests.web.operations.failing import settle; tell(settle())") == 0
    assert state(app) == OLD


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_a_server_that_still_runs_elsewhere_is_named(two):
    app, file = two
    with app.process("-m", "peerorder", "serve", "--only", "worker") as worker:
        until(lambda: app.ask("from peerorder.web.jobs.models import Heartbeat; tell(Heartbeat.objects.exists())"))
        assert len(peerorder(app, "restore", str(file), "--force", code=2).strip().splitlines()) == 1
        assert worker.poll() is None
    assert state(app) == OLD


@pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not on this machine: apt-get install bubblewrap"
)
def test_uploads_may_be_a_mount(two, tmp_path):
    """As where several machines share them: the folder itself cannot be renamed, nor can files be moved out of it."""
    app, file = two
    shared = tmp_path / "shared"
    (app.home / "uploads").rename(shared)
    (shared / "lost+found").mkdir(mode=0o700)
    (app.home / "uploads").mkdir()
    command = [
        "bwrap",
        "--dev-bind",
        "/",
        "/",
        "--bind",
        shared,
        app.home / "uploads",
        sys.executable,
        "-m",
        "peerorder",
    ]
    seen = subprocess.run(
        [*command, "restore", file, "--force"],
        env=app.environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert seen.returncode == 0, seen.stderr
    (before,) = shared.glob(".before-*")
    assert str(app.home / "uploads" / before.name) in seen.stdout
    assert files(before) == OLD[1]
    shutil.rmtree(before)
    assert files(shared) == NEW[1]
    assert (shared / "lost+found").is_dir()
    assert state(app)[0] == NEW[0]


# Archives.


@pytest.fixture(scope="module")
def good(backups):
    return backups("sqlite")


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """A site that every spoilt backup leaves as it is."""
    app = App(tmp_path_factory.mktemp("empty") / "home").migrate()
    (app.home / "uploads").mkdir(mode=0o700)
    return app


def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def no_archive(file):
    file.write_text("hello")


def bits(file):
    content = bytearray(file.read_bytes())
    for at in range(len(content) // 2, len(content) // 2 + 50):
        content[at] ^= 0x55
    file.write_bytes(content)


def named(name):
    def spoil(file):
        written(file, {**members(file), name: b"x"})

    spoil.__name__ = f"named {name!r}"
    return spoil


def kind_of(kind):
    def spoil(file):
        content = members(file)
        with tarfile.open(file, "w:gz") as archive:
            for name in ("uploads/link", ".", ""):
                member = tarfile.TarInfo(name)
                member.type, member.linkname = kind, "/etc/passwd"
                archive.addfile(member)
        assert content

    spoil.__name__ = f"kind {kind!r}"
    return spoil


def twice(file):
    content = members(file)
    with tarfile.open(file, "w:gz") as archive:
        for name in ("uploads/ab/1.pdf", "uploads/./ab/1.pdf", *content):
            member = tarfile.TarInfo(name)
            archive.addfile(member)


def changed_upload(file):
    written(file, {**members(file), "uploads/ab/1.pdf": b"other"})


def missing_upload(file):
    written(file, {name: data for name, data in members(file).items() if name != "uploads/ab/1.pdf"})


def no_database(file):
    written(file, {"peerorder.json": members(file)["peerorder.json"]})


def no_manifest(file):
    written(file, {name: data for name, data in members(file).items() if name != "peerorder.json"})


def said(**changes):
    def spoil(file):
        found = members(file)
        manifest = json.loads(found["peerorder.json"]) | {"format": 1} | changes
        written(file, {**without_digests(found), "peerorder.json": json.dumps(manifest).encode()})

    spoil.__name__ = f"said {changes}"
    return spoil


def without_digests(found):
    """What an older version would have written."""
    manifest = json.loads(found["peerorder.json"]) | {"format": 1}
    kept = {name: data for name, data in found.items() if name != "digests.json"}
    return {**kept, "peerorder.json": json.dumps(manifest).encode()}


def no_digests(file):
    written(file, {name: data for name, data in members(file).items() if name != "digests.json"})


def odd_digests(file):
    written(file, {**members(file), "digests.json": b"[1]"})


def changed_manifest(file):
    found = members(file)
    manifest = json.loads(found["peerorder.json"]) | {"made_at": "2000-01-01T00:00:00+00:00"}
    written(file, {**found, "peerorder.json": json.dumps(manifest).encode()})


def newer(file):
    found = members(file)
    manifest = json.loads(found["peerorder.json"])
    manifest["migrations"].append("rounds.0999_from_the_future")
    written(file, {**without_digests(found), "peerorder.json": json.dumps(manifest).encode()})


def newer_inside(file):
    """The manifest says nothing of it; the database does."""
    inside(
        file,
        "INSERT INTO django_migrations (app, name, applied) VALUES ('rounds', '0999_from_the_future', '2030-01-01')",
    )


def no_tables(file):
    inside(file, "DROP TABLE django_session")


def inside(file, statement):
    found = members(file)
    copy = file.with_name("copy")
    copy.write_bytes(found["database"])
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute(statement)
    written(file, {**without_digests(found), "database": copy.read_bytes()})
    copy.unlink()


def damaged(file):
    found = members(file)
    data = bytearray(found["database"])
    data[100:4000] = os.urandom(3900)
    written(file, {**without_digests(found), "database": bytes(data)})


NAMES = (
    "../escaped",
    "/escaped",
    "",
    ".",
    "uploads",
    "uploads/ab/../../../escaped",
    "uploads/.hidden",
    "else",
    "database/x",
)


@pytest.mark.parametrize(
    "spoil",
    [
        *(cut, no_archive, bits, Path.unlink, twice, changed_upload, missing_upload, no_database, no_manifest),
        *(newer, newer_inside, no_tables, damaged, no_digests, odd_digests, changed_manifest),
        *map(named, NAMES),
        *map(kind_of, (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)),
        *(said(database="postgresql"), said(format=99), said(migrations=[1]), said(migrations=None), said(format=[])),
    ],
    ids=lambda spoil: spoil.__name__,
)
def test_a_spoilt_backup_changes_nothing(spoil, good, empty, tmp_path):
    file = tmp_path / "spoilt.tar.gz"
    file.write_bytes(good.read_bytes())
    spoil(file)
    before = contents(empty.home)
    told = empty.ask(
        "from pathlib import Path\nfrom peerorder.core.errors import InputError\n"
        "from peerorder.web.operations.restore import restore\n"
        f"try:\n    restore(Path({str(file)!r}), force=True)\nexcept InputError as error: tell(str(error))"
    )
    assert told is not None
    assert len(told.splitlines()) == 1
    assert not list(tmp_path.rglob("escaped"))
    assert not list(empty.home.parent.rglob("escaped"))
    assert contents(empty.home) == before
    assert state(empty) == ([], {})


def contents(home):
    """All there is, but for what is made by the first command."""
    made = {home / "running.lock", home / "secret-key", home / "ledger.jsonl"}
    return sorted(set(home.rglob("*")) - made)


def test_a_spoilt_backup_is_told_in_one_line(good, tmp_path):
    file = tmp_path / "spoilt.tar.gz"
    file.write_bytes(good.read_bytes())
    cut(file)
    app = App(tmp_path / "home").migrate()
    assert len(peerorder(app, "restore", str(file), "--force", code=2).strip().splitlines()) == 1
    assert state(app) == ([], {})


def test_a_backup_without_digests_is_taken_with_a_note(good, tmp_path):
    written(tmp_path / "old.tar.gz", without_digests(members(good)))
    app = App(tmp_path / "home")
    assert "note:" in peerorder(app, "restore", str(tmp_path / "old.tar.gz"), "--without-ledger")
    assert state(app) == NEW
    assert "note:" not in peerorder(app, "restore", str(good), "--force")


def test_a_disk_that_is_too_small_is_named_first(good, empty):
    """Before anything is written, however large it says it is."""
    told = empty.ask(
        "import shutil\nfrom pathlib import Path\nfrom peerorder.core.errors import InputError\n"
        "from peerorder.web.operations.restore import restore\n"
        "whole = shutil.disk_usage\n"
        "shutil.disk_usage = lambda path: whole(path)._replace(free=2**20)\n"
        f"try:\n    restore(Path({str(good)!r}), force=True)\nexcept InputError as error: tell(str(error))\n"
        "finally: shutil.disk_usage = whole"
    )
    assert "disk space" in told
    assert state(empty) == ([], {})
    assert leftovers(empty) == []
