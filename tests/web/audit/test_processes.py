"""Sealing and verifying with processes of their own, on either database."""

import json
import sqlite3
from contextlib import closing

import psycopg
import pytest

from tests.web.processes import App, free_port, until

pytestmark = pytest.mark.processes

FILL = """
from peerorder.web.audit.models import Event
Event.objects.bulk_create([Event(verb="counted", details={"number": number}) for number in range(2500)])
"""
SEAL = """
from peerorder.web.audit.seals import seal_new_rows
tell(seal_new_rows(at_once=True))
"""
COUNT = """
from peerorder.web.audit.models import Seal
tell(Seal.objects.count())
"""


def execute(app: App, statement: str) -> None:
    """Run a statement as the owner of the database, without triggers."""
    if app.database:
        with psycopg.connect(app.database) as other:
            other.execute("ALTER TABLE log_event DISABLE TRIGGER USER")
            other.execute("ALTER TABLE log_seal DISABLE TRIGGER USER")
            other.execute(statement)
    else:
        with closing(sqlite3.connect(app.home / "peerorder.sqlite3", isolation_level=None)) as other:
            for table in ("log_event", "log_seal"):
                for action in ("update", "delete", "replace"):
                    other.execute(f"DROP TRIGGER IF EXISTS {table}_no_{action}")
            other.execute(statement.replace("TRUNCATE", "DELETE FROM"))


def verify(app: App, *options: str):
    return app.command("-m", "peerorder", "verify-log", *options, check=False)


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_it_says_whether_everything_fits(app, tmp_path):
    app.migrate()
    app.ask(FILL)
    assert app.ask(SEAL) == 3
    seen = verify(app)
    assert (seen.returncode, seen.stderr) == (0, "")
    assert "2,500 rows under 3 seals" in seen.stdout
    head = seen.stdout.split()[-1]
    assert verify(app, "--head", head[:20]).returncode == 0
    manifest = tmp_path / "peerorder.json"
    manifest.write_text(json.dumps({"seal": {"number": 3, "digest": head}}))
    assert verify(app, "--manifest", str(manifest)).returncode == 0
    seen = verify(app, "--head", "0" * 64)
    assert seen.returncode == 2
    assert len(seen.stderr.splitlines()) == 1
    for wrong in (("--head", "xyz"), ("--manifest", str(tmp_path / "nothing"))):
        seen = verify(app, *wrong)
        assert (seen.returncode, len(seen.stderr.splitlines()), seen.stdout) == (2, 1, "")


def test_it_tells_each_difference_in_a_line(app):
    """One attack after the other."""
    app.migrate()
    app.ask(FILL)
    app.ask(SEAL)
    for statement, count in (
        ("UPDATE log_event SET verb = 'nothing' WHERE id = 1700", 1),
        # In two batches.
        ("DELETE FROM log_event WHERE id > 1990", 2),
        # One of these has no seal any more.
        ("DELETE FROM log_seal WHERE id = 2", 2),
        ("TRUNCATE log_event", 3),
        # The seal that the folder remembers.
        ("TRUNCATE log_seal", 1),
    ):
        execute(app, statement)
        seen = verify(app)
        assert (seen.returncode, len(seen.stderr.splitlines())) == (2, count), seen.stderr
    assert len(json.loads(verify(app, "--json").stdout)["findings"]) == 1


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_another_site_has_another_key(app, tmp_path):
    app.migrate()
    app.ask(FILL)
    app.ask(SEAL)
    (app.home / "seal-key").write_text("of another site")
    seen = verify(app)
    assert (seen.returncode, len(seen.stderr.splitlines())) == (2, 1)
    (app.home / "seal-key").unlink()
    seen = verify(app)
    assert (seen.returncode, len(seen.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_where_there_is_no_log_it_says_so(app):
    seen = verify(app)
    assert (seen.returncode, len(seen.stderr.splitlines())) == (2, 1)


def test_rows_that_are_committed_out_of_order_are_sealed_once_all_are_there(postgresql, tmp_path):
    """On PostgreSQL a transaction may draw an id and commit after others that drew larger ones."""
    app = App(tmp_path / "home", postgresql.database()).migrate()
    add = "INSERT INTO log_event (at, verb, details) VALUES (now(), 'counted', '{}')"
    with psycopg.connect(app.database) as slow, psycopg.connect(app.database, autocommit=True) as quick:
        slow.execute(add)
        quick.execute(add)
        assert app.ask(SEAL) == 0
        slow.commit()
        assert app.ask(SEAL) == 1
        # Nor does a transaction that only reads hold it up, and what was rolled back leaves a gap.
        slow.execute("SELECT count(*) FROM log_event")
        quick.execute(add)
        assert app.ask(SEAL) == 1
        slow.execute(add)
        slow.rollback()
        quick.execute(add)
        assert app.ask(SEAL) == 1
    seen = verify(app)
    assert (seen.returncode, seen.stdout.partition(":")[0]) == (0, "4 rows under 3 seals")


@pytest.mark.parametrize("app", ["sqlite"], indirect=True)
def test_the_worker_seals(app):
    with app.serve(free_port()):
        # The first account is in the log.
        until(lambda: app.ask(COUNT))
    assert verify(app).returncode == 0


def test_a_backup_names_the_newest_seal(app, tmp_path):
    app.migrate()
    app.ask(FILL)
    app.ask(SEAL)
    backup = str(tmp_path / "peers.tar.gz")
    assert app.command("-m", "peerorder", "backup", backup).returncode == 0
    assert verify(app, "--manifest", backup).returncode == 0
    # Whoever has the key as well can seal a forged log anew, but the backup knows the old one.
    execute(app, "UPDATE log_event SET verb = 'nothing' WHERE id = 1700")
    execute(app, "TRUNCATE log_seal")
    (app.home / "seal-head").unlink()
    assert app.ask(SEAL) == 3
    assert verify(app).returncode == 0
    seen = verify(app, "--manifest", backup)
    assert (seen.returncode, len(seen.stderr.splitlines())) == (2, 1)
    # A restore goes on from the seal of the backup.
    assert app.command("-m", "peerorder", "restore", backup, "--force").returncode == 0
    assert verify(app, "--manifest", backup).returncode == 0
    assert (app.home / "seal-head").read_text().startswith("3 ")
    (newest,) = json.loads(app.command("-m", "peerorder", "audit-log", "-n", "1", "--json").stdout)
    assert newest["verb"] == "backup restored"
    app.ask(FILL)
    assert app.ask(SEAL) == 3
    assert verify(app, "--manifest", backup).returncode == 0
