"""The database itself refuses to change the record."""

import pytest
from django.db import DatabaseError, connection, transaction

from peerorder.web.audit.models import Event
from peerorder.web.audit.services import record


@pytest.fixture
def event(course, instructor):
    record("course made", instructor.person, course=course)
    return Event.objects.get()


def test_an_event_is_added(event, course, instructor):
    assert (event.verb, event.person_id, event.course_id) == ("course made", instructor.person_id, course.pk)


@pytest.mark.parametrize(
    "statement",
    ["UPDATE log_event SET verb = 'nothing'", "DELETE FROM log_event", "UPDATE log_event SET person_id = 0"],
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
