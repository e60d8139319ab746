"""What e-mails to students say about an assignment."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.mail.messages import Message, compose, site_language, written_time
from peerorder.web.mail.services import queue_messages
from peerorder.web.people.models import Person


def compose_about(
    kind: str, assignment: Assignment, person: Person, lines: Iterable[str] = (), **words: str | int
) -> Message:
    """Write a message to one person about an assignment."""
    return compose(kind, person, lines, title=assignment.title, course=assignment.course.name, **words)


def queue_about(assignment: Assignment, messages: Mapping[str, tuple[Person, Message]]) -> int:
    """Queue messages about an assignment, each under a key; return how many are new."""
    return queue_messages(messages, course_id=assignment.course_id, assignment_id=assignment.pk)


@site_language()
def time_until(assignment: Assignment, moment: datetime | None, said: str = "") -> list[str]:
    """Return the line that says until when there is time, on the clocks of the course; none where there is no end."""
    if moment is None:
        return []
    when = written_time(moment, ZoneInfo(assignment.course.time_zone))
    return [(said or _("The deadline is %(when)s.")) % {"when": when}]
