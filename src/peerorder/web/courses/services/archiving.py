"""Archive a course, and bring it back."""

from django.db import transaction
from django.utils import timezone

from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course
from peerorder.web.database import advisory_locks
from peerorder.web.people.models import Person


def archive(course: Course, by: Person) -> None:
    """Put a course away: it is on nobody's first page, and can be read but not changed."""
    with transaction.atomic():
        advisory_locks.lock(course=course.pk)
        if Course.objects.filter(pk=course.pk, archived_at=None).update(archived_at=timezone.now()):
            record("course archived", by, course=course)


def bring_back(course: Course, by: Person) -> None:
    """Undo it. Deadlines that have passed meanwhile are over; steps that are due are made."""
    with transaction.atomic():
        if Course.objects.filter(pk=course.pk).exclude(archived_at=None).update(archived_at=None):
            record("course brought back", by, course=course)
