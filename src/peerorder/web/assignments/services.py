"""Make and change assignments."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from peerorder.web.assignments.locks import is_refused, locked_fields
from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course
from peerorder.web.database import advisory_locks
from peerorder.web.errors import Refused
from peerorder.web.people.models import Person


def make(course: Course, values: Mapping[str, Any], by: Person) -> Assignment:
    """Create an assignment, as a draft."""
    plain = {name: value for name, value in values.items() if name != "sections"}
    with transaction.atomic():
        assignment = Assignment.objects.create(course=course, **plain)
        assignment.sections.set(values.get("sections", ()))
        record("assignment made", by, assignment=assignment)
    return assignment


def change(assignment: Assignment, values: Mapping[str, Any], changed: Iterable[str], by: Person) -> None:
    """Change fields of an assignment; raise Refused if one was locked while the form was open."""
    names = [name for name in changed if name in values]
    if not names:
        return
    with transaction.atomic():
        current = lock_assignment(assignment)
        reasons = locked_fields(current)
        for name in names:
            if name in reasons and is_refused(current, name, values[name]):
                raise Refused(reasons[name])
        for name in names:
            if name == "sections":
                current.sections.set(values[name])
            else:
                setattr(current, name, values[name])
        current.save(update_fields=[name for name in names if name != "sections"])
        record("assignment changed", by, assignment=current, fields=names)


def lock_assignment(assignment: Assignment) -> Assignment:
    """Re-read an assignment that is changed next; what is saved for it meanwhile waits."""
    advisory_locks.lock(assignment=assignment.pk)
    return Assignment.objects.select_for_update().get(pk=assignment.pk)
