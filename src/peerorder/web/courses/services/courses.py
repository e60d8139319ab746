"""Make a course, and change what it is called."""

from django.db import transaction

from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Person


def make_course(by: Person, name: str, time_zone: str) -> Course:
    """A new course, with whoever makes it as its instructor."""
    with transaction.atomic():
        course = Course.objects.create(name=name, time_zone=time_zone)
        Member.objects.create(course=course, person=by, role=Role.INSTRUCTOR)
        record("course made", by, course=course)
    return course


def change_course(course: Course, by: Person, name: str, time_zone: str) -> None:
    """Another name or time zone. Deadlines are moments and stay; they are only shown in the other zone."""
    with transaction.atomic():
        course.name, course.time_zone = name, time_zone
        course.save(update_fields=["name", "time_zone"])
        record("course changed", by, course=course, time_zone=time_zone)
