"""The database itself refuses to change the record."""

import sqlite3
from contextlib import closing

import pytest
from django.db import DatabaseError, connection, transaction

from peerorder.web.audit.models import Event, Seal
from peerorder.web.audit.services import record

TABLES = ("log_event", "log_seal", "ranking_save")


@pytest.fixture
def event(course, instructor):
    record("course made", instructor.person, course=course)
    return Event.objects.get()


def test_an_event_is_added(event, course, instructor):
    assert (event.verb, event.person_id, event.course_id) == ("course made", instructor.person_id, course.pk)


REPLACE = "REPLACE INTO log_event (id, at, verb, details) SELECT id, at, 'nothing', details FROM log_event"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log_event SET verb = 'nothing'",
        "DELETE FROM log_event",
        "UPDATE log_event SET person_id = 0",
        REPLACE,
        REPLACE.replace("REPLACE", "INSERT OR REPLACE"),
        "UPDATE OR REPLACE log_event SET verb = 'nothing'",
        REPLACE.replace("REPLACE", "INSERT") + " WHERE true ON CONFLICT (id) DO UPDATE SET verb = 'nothing'",
    ],
)
def test_the_database_refuses(statement, event):
    refused = pytest.raises(DatabaseError, match="log_event is only added to")
    with refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Event.objects.get().verb == "course made"


def test_so_do_the_models(event):
    event.verb = "something else"
    with pytest.raises(DatabaseError, match="only added to"), transaction.atomic():
        event.save()
    with pytest.raises(DatabaseError, match="only added to"), transaction.atomic():
        event.delete()
    assert Event.objects.get().verb == "course made"


def test_our_connections_call_the_triggers_of_deletes_when_a_row_is_replaced(db):
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA recursive_triggers").fetchone() == (1,)


@pytest.mark.processes
@pytest.mark.parametrize("table", TABLES)
def test_it_withstands_replace_and_truncate_from_any_connection(table, app):
    """Also from one that has none of our settings, such as ``sqlite3`` or ``psql``."""
    app.migrate()
    app.ask(FILL)
    if app.database:
        import psycopg

        with psycopg.connect(app.database) as other, pytest.raises(psycopg.Error, match=f"{table} is only added to"):
            other.execute(f"TRUNCATE {table} CASCADE")
        with psycopg.connect(app.database) as other:
            assert other.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)
    else:
        with closing(sqlite3.connect(app.home / "peerorder.sqlite3")) as other:
            assert other.execute("PRAGMA recursive_triggers").fetchone() == (0,)
            with pytest.raises(sqlite3.Error, match=f"{table} is only added to"):
                other.execute(f"REPLACE INTO {table} SELECT * FROM {table}")


# A row in each of the tables.
FILL = """
from peerorder.web.audit.models import Seal
from peerorder.web.audit.services import record
from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Course, Role
from peerorder.web.ranking.models import Ballot, Save
from tests.web.factories import enrol
course = Course.objects.create(name="Algorithms")
ballot = Ballot.objects.create(
    assignment=Assignment.objects.create(course=course, title="Essay"), grader=enrol(course, "Bo")
)
Save.objects.create(ballot=ballot, revision=1, content={})
record("course made", None, course=course)
Seal.objects.create(id=1, table="log_event", version=1, first_id=1, last_id=1, count=1, rows="", key="", digest="")
tell(True)
"""


def test_seals_are_only_added_to(db):
    Seal.objects.create(id=1, table="log_event", version=1, first_id=1, last_id=1, count=1, rows="", key="", digest="")
    with pytest.raises(DatabaseError, match="log_seal is only added to"), transaction.atomic():
        Seal.objects.all().delete()
    with pytest.raises(DatabaseError, match="log_seal is only added to"), transaction.atomic():
        Seal.objects.update(digest="0")
