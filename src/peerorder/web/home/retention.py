"""Retention: erase the people of a course some months after its end, after warning its instructors.

Nothing is erased unless instructors were warned of the very date at least a week before, however long the app was not
running and whatever was changed meanwhile.
"""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import formats, timezone
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment, Attachment
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Invitation, Member, Role, RosterUpload
from peerorder.web.courses.queries import is_elsewhere
from peerorder.web.database import advisory_locks
from peerorder.web.home.erasure import erase_member
from peerorder.web.jobs import services as jobs
from peerorder.web.jobs.registry import Progress
from peerorder.web.mail import services as mail
from peerorder.web.mail.messages import Message
from peerorder.web.people.models import Person

FIRST_WARNING, LAST_WARNING = timedelta(days=30), timedelta(days=7)


def today_in(course: Course, now: datetime) -> date:
    """Return the date where the course is."""
    return now.astimezone(ZoneInfo(course.time_zone)).date()


def is_due(course: Course, now: datetime) -> bool:
    """Return whether the people of a course are to be erased now."""
    day = course.erased_on
    return (
        day is not None
        and day <= today_in(course, now)
        and course.erasure_warned_for == day
        and course.erasure_warned_at is not None
        and course.erasure_warned_at + LAST_WARNING <= now
    )


def look_after(course: Course, now: datetime) -> None:
    """Warn the instructors of a course if its erasure is near, or enqueue the erasure if it is due."""
    day = course.erased_on
    if day is None or today_in(course, now) < day - FIRST_WARNING:
        return
    if is_due(course, now):
        jobs.enqueue("retention", key=f"retention {course.pk}", course=course.pk)
    else:
        _warn(course, day, now)


def _warn(course: Course, day: date, now: datetime) -> None:
    """Queue the warning that is due; each instructor gets each of the two once for every date."""
    last = today_in(course, now) >= day - LAST_WARNING
    with transaction.atomic():
        same = Course.objects.select_for_update().get(pk=course.pk)
        if same.erased_on != day:
            return
        if same.erasure_warned_for != day:
            same.erasure_warned_for, same.erasure_warned_at = day, now
            same.save(update_fields=["erasure_warned_for", "erasure_warned_at"])
            record("erasure announced", None, course=same, on=day.isoformat())
        when = max(day, today_in(course, (same.erasure_warned_at or now) + LAST_WARNING))
        instructors = same.members.filter(role=Role.INSTRUCTOR, removed_at=None).select_related("person")
        messages = {
            f"retention {course.pk} {day} {'last' if last else 'first'} {member.pk}": (
                member.person,
                _warning(same, when),
            )
            for member in instructors
        }
        mail.queue_messages(messages, course_id=course.pk)


def _warning(course: Course, when: date) -> Message:
    subject = _("%(course)s will be erased on %(date)s") % {"course": course.name, "date": formats.date_format(when)}
    body = _(
        "Hello,\n\non %(date)s everybody in the course “%(course)s” will be erased: names, IDs, addresses, papers with "
        "their originals, comments, private notes and attachments. Rankings stay, under random codes. Your access to "
        "the course ends, and so do accounts that are in no other course.\n\n"
        "Before that, export the assignments whose marks or rankings you must keep; what was exported earlier is not "
        "affected. To keep the course for longer, or for ever, change its settings (an archived course must be brought "
        "back first):\n\n%(address)s\n"
    ) % {
        "date": formats.date_format(when),
        "course": course.name.replace("{", "("),
        "address": settings.PUBLIC_URL + reverse("courses:settings", args=[course.pk]),
    }
    return Message(subject, body)


def erase_course(course: Course, progress: Progress | None = None, by: Person | None = None) -> int:
    """Erase everybody in a course, one by one in short transactions; return how many there were.

    The person who does it (``by``; None for the rules of retention) keeps the account. It goes on where it was
    interrupted: those who are erased already are skipped.
    """
    with transaction.atomic():
        advisory_locks.lock(course=course.pk)
        Course.objects.filter(pk=course.pk, archived_at=None).update(archived_at=timezone.now())
        # All at once, or each erasure would read every roster again.
        RosterUpload.objects.filter(course=course).update(content=b"", parsed=None, name="")
        Invitation.objects.filter(course=course).delete()
        Attachment.objects.filter(assignment__course=course).delete()
    everybody = course.members.filter(person__erased_at=None)
    left = [*everybody.filter(role=Role.STUDENT), *everybody.exclude(role=Role.STUDENT)]
    for count, member in enumerate(left):
        if progress is not None:
            progress(count, len(left))
        _erase_or_release(member, by)
    with transaction.atomic():
        assignments = list(Assignment.objects.filter(course=course).values_list("pk", flat=True))
        jobs.forget(assignments)
        mail.forget(course_id=[course.pk])
        if Course.objects.filter(pk=course.pk, erased_at=None).update(erased_at=timezone.now()):
            since = course.created_at.isoformat()
            record("course erased", by, course=course, people=len(left), since=since)
    return len(left)


def _erase_or_release(member: Member, by: Person | None) -> None:
    """Erase a member; an account that makes courses or is in others stays, without anything of this course."""
    member = Member.objects.select_related("person", "course").get(pk=member.pk)
    erase_member(member, None, account=not is_elsewhere(member) and member.person != by)
