"""Delete a course in which nothing has happened, or a sample course.

What was ever ranked is kept in an append-only table, because marks rest on it: the app never deletes from it. So a
course in which somebody has handed in can be archived, and its people can be erased one by one; it cannot be deleted.
Of a sample course everybody is erased: nobody sees it any more, and all that is left is rankings of made-up people.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.queries import is_sample
from peerorder.web.database import advisory_locks
from peerorder.web.database.batches import batches
from peerorder.web.errors import Refused
from peerorder.web.home.retention import erase_course
from peerorder.web.jobs import services as jobs
from peerorder.web.mail import services as mail
from peerorder.web.papers.models import Paper, PendingSubmission
from peerorder.web.papers.services import discard_pending
from peerorder.web.people.models import Person


def must_stay(course: Course) -> bool:
    """Return whether somebody real has handed in; nobody ranks where nobody has."""
    return Paper.objects.filter(assignment__course=course).exists() and not is_sample(course)


def delete_course(course: Course, by: Person | None) -> None:
    """Delete a course with its drafts, people, rosters and messages; refused where somebody has handed in.

    Accounts go with it that are in no other course, but for that of the person who does it.
    """
    if is_sample(course):
        erase_course(course, by=by)
        return
    with transaction.atomic():
        advisory_locks.lock(course=course.pk)
        there = Course.objects.select_for_update().get(pk=course.pk)
        if must_stay(there):
            raise Refused(_("Papers were handed in here, so the course cannot be deleted. Archive it instead."))
        elsewhere = Member.objects.filter(person=OuterRef("pk")).exclude(course=there)
        alone = Person.objects.filter(memberships__course=there, makes_courses=False)
        alone = alone.exclude(pk=by.pk) if by is not None else alone
        people = list(alone.exclude(Exists(elsewhere)).values_list("pk", flat=True))
        assignments = list(Assignment.objects.filter(course=there).values_list("pk", flat=True))
        since = there.created_at.isoformat()
        record("course deleted", by, course=there, assignments=len(assignments), people=len(people), since=since)
        for pending in PendingSubmission.objects.filter(assignment__course=there):
            discard_pending(pending)
        there.delete()
        jobs.forget(assignments)
        mail.forget(course_id=[course.pk], person_id=people)
        for some in batches(people):
            Person.objects.filter(pk__in=some).delete()
