"""Make a course, change what it is called and when it ends, archive it and bring it back."""

from datetime import date

from django.db import transaction
from django.utils import timezone

from peerorder.web.audit.services import record
from peerorder.web.courses.models import RETENTION_MONTHS, Course, Member, Role, default_end
from peerorder.web.database import advisory_locks
from peerorder.web.people.models import Person


def make_course(
    by: Person,
    name: str,
    time_zone: str,
    ends_on: date | None = None,
    retention_months: int | None = RETENTION_MONTHS,
) -> Course:
    """Make a course, with the person who makes it as its instructor; it ends after 12 months by default."""
    with transaction.atomic():
        course = Course.objects.create(
            name=name, time_zone=time_zone, ends_on=ends_on or default_end(), retention_months=retention_months
        )
        Member.objects.create(course=course, person=by, role=Role.INSTRUCTOR)
        record("course made", by, course=course)
    return course


def change_course(
    course: Course, by: Person, name: str, time_zone: str, ends_on: date, retention_months: int | None
) -> None:
    """Change name, time zone, end or retention. Deadlines are moments and stay; they are shown in the other zone."""
    with transaction.atomic():
        course.name, course.time_zone, course.ends_on = name, time_zone, ends_on
        course.retention_months = retention_months
        course.save(update_fields=["name", "time_zone", "ends_on", "retention_months"])
        record(
            "course changed",
            by,
            course=course,
            time_zone=time_zone,
            ends_on=ends_on.isoformat(),
            retention_months=retention_months,
        )


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
