"""Write to the record."""

from typing import Any

from peerorder.web.courses.models import Course
from peerorder.web.log.models import Event
from peerorder.web.people.models import Person
from peerorder.web.rounds.models import Assignment
from peerorder.web.sql import add

__all__ = ["record"]


def record(
    verb: str, by: Person | None, *, course: Course | None = None, assignment: Assignment | None = None, **details: Any
) -> None:
    """Somebody did something. Call it in the transaction that does it; give numbers in the details, never names."""
    add(
        Event(
            verb=verb,
            person_id=by.pk if by is not None else None,
            course_id=assignment.course_id if assignment is not None else course.pk if course is not None else None,
            assignment_id=assignment.pk if assignment is not None else None,
            details=details,
        )
    )
