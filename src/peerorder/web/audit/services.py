"""Write to the audit log."""

from typing import Any, Protocol

from django.db import transaction

from peerorder.web.audit import ledger
from peerorder.web.audit.models import Event
from peerorder.web.audit.registry import REPLAYS, SUBJECTS
from peerorder.web.database.sql import insert


class Row(Protocol):
    """Anything with an id."""

    pk: Any


class InCourse(Row, Protocol):
    """An assignment, of which the audit log knows no more than its course."""

    @property
    def course_id(self) -> int:
        """The id of the course."""


def record(
    verb: str, by: Row | None, *, course: Row | None = None, assignment: InCourse | None = None, **details: Any
) -> None:
    """Record that somebody did something. Call it in the transaction that does it; details hold ids, never names.

    A detail ``person`` or ``member`` is whom it was done to, who finds it by that.
    """
    person = by.pk if by is not None else None
    about = _subject(details)
    insert(
        Event(
            verb=verb,
            person_id=person,
            about_id=None if about == person else about,
            course_id=assignment.course_id if assignment is not None else course.pk if course is not None else None,
            assignment_id=assignment.pk if assignment is not None else None,
            details=details,
        )
    )
    if verb in REPLAYS:
        # What cannot be written now is written by the worker.
        transaction.on_commit(ledger.write, robust=True)


def _subject(details: dict[str, Any]) -> int | None:
    for name, find in SUBJECTS.items():
        if isinstance(pk := details.get(name), int):
            return find(pk)
    return None
