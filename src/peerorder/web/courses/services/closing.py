"""Archive a course, and delete one in which nothing has happened.

What was ever ranked is kept in tables that the database lets nobody delete from, because marks rest on it. So a course
in which somebody has handed in can be archived, and its people can be erased one by one; it cannot be deleted.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.services.members import Refused
from peerorder.web.log.services import record
from peerorder.web.papers.models import Held, Paper
from peerorder.web.papers.services import let_go
from peerorder.web.people.models import Person

__all__ = ["archive", "bring_back", "delete_course", "has_work"]


def archive(course: Course, by: Person) -> None:
    """Put a course away: it is on nobody's first page, and can be read but not changed."""
    with transaction.atomic():
        if Course.objects.filter(pk=course.pk, archived_at=None).update(archived_at=timezone.now()):
            record("course archived", by, course=course)


def bring_back(course: Course, by: Person) -> None:
    """Undo it. Deadlines that have passed meanwhile are over; steps that are due are made."""
    with transaction.atomic():
        if Course.objects.filter(pk=course.pk).exclude(archived_at=None).update(archived_at=None):
            record("course brought back", by, course=course)


def has_work(course: Course) -> bool:
    """Whether somebody has handed in; nobody ranks where nobody has."""
    return Paper.objects.filter(assignment__course=course).exists()


def delete_course(course: Course, by: Person) -> None:
    """Delete a course with its drafts, people, rosters and mails; refused where somebody has handed in.

    Accounts go with it that are in no other course, but for that of whoever does it.
    """
    with transaction.atomic():
        there = Course.objects.select_for_update().get(pk=course.pk)
        if has_work(there):
            raise Refused(_("Papers were handed in here, so the course cannot be deleted. Archive it instead."))
        elsewhere = Member.objects.filter(person=OuterRef("pk")).exclude(course=there)
        alone = Person.objects.filter(memberships__course=there, makes_courses=False).exclude(pk=by.pk)
        people = list(alone.exclude(Exists(elsewhere)).values_list("pk", flat=True))
        record("course deleted", by, course=there, assignments=there.assignments.count(), people=len(people))
        for held in Held.objects.filter(assignment__course=there):
            let_go(held)
        there.delete()
        for at in range(0, len(people), 1000):
            Person.objects.filter(pk__in=people[at : at + 1000]).delete()
