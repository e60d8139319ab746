"""Queue a mail with the change that causes it; the worker sends it."""

from collections.abc import Mapping

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import ngettext

from peerorder.web.courses.models import Course
from peerorder.web.jobs.services import ask
from peerorder.web.log.services import record
from peerorder.web.mail.letters import Letter
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.people.models import Person
from peerorder.web.rounds.models import Assignment

__all__ = ["is_set_up", "on_the_way", "queue", "queue_letters", "queue_many", "try_again"]

SUBJECT = 200
PRINTED = "django.core.mail.backends.console.EmailBackend"


def is_set_up() -> bool:
    """Whether mails reach anybody; otherwise they are printed where the app was started."""
    return bool(settings.EMAIL_BACKEND != PRINTED)


def on_the_way(many: int) -> str:
    """What to tell somebody who asked for so many mails: the truth, also where no mail server is set up."""
    if is_set_up():
        said = ngettext("%(many)d mail is on its way.", "%(many)d mails are on their way.", many)
    else:
        said = ngettext(
            "%(many)d mail is printed where the app was started, and reaches nobody: there is no mail server.",
            "%(many)d mails are printed where the app was started, and reach nobody: there is no mail server.",
            many,
        )
    return said % {"many": many}


def queue(
    person: Person,
    key: str,
    subject: str,
    body: str,
    assignment: Assignment | None = None,
    course: Course | None = None,
) -> bool:
    """Put a mail into the queue, once for every key; gives whether it is a new one.

    ``{link}`` in the body becomes the person's own link when it is sent. Whoever has no address gets none.
    """
    return queue_many({key: person}, subject, body, assignment, course) == 1


def queue_many(
    people: Mapping[str, Person],
    subject: str,
    body: str,
    assignment: Assignment | None = None,
    course: Course | None = None,
) -> int:
    """The same mail for many, each with a key; gives how many are new."""
    text = Letter(subject, body)
    return queue_letters({key: (person, text) for key, person in people.items()}, assignment, course)


def queue_letters(
    letters: Mapping[str, tuple[Person, Letter]],
    assignment: Assignment | None = None,
    course: Course | None = None,
) -> int:
    """A mail of their own for many, each with a key; gives how many are new."""
    wanted = {key: pair for key, pair in letters.items() if pair[0].email and pair[0].is_active}
    with transaction.atomic():
        there: set[str] = set()
        keys = list(wanted)
        for at in range(0, len(keys), 1000):
            there.update(Mail.objects.filter(key__in=keys[at : at + 1000]).values_list("key", flat=True))
        course_id = assignment.course_id if assignment is not None else course.pk if course is not None else None
        new = [
            Mail(
                person=person,
                course_id=course_id,
                assignment=assignment,
                key=key,
                # A subject is one line, or mail programs would read the rest as something else.
                subject=" ".join(text.subject.split())[:SUBJECT],
                body=text.body,
            )
            for key, (person, text) in wanted.items()
            if key not in there
        ]
        # Somebody else may have put in the same one just now.
        Mail.objects.bulk_create(new, batch_size=1000, ignore_conflicts=True)
        if new:
            ask("mails", key="mails")
    return len(new)


def try_again(course: Course, by: Person) -> int:
    """Queue once more what failed in a course; gives how many mails that are."""
    with transaction.atomic():
        failed = Mail.objects.filter(course=course, sent_at=None, tries__gte=MOST_TRIES)
        now = timezone.now()
        again = failed.update(tries=0, next_try_at=now, queued_at=now, problem="")
        if again:
            record("mails tried again", by, course=course, mails=again)
            ask("mails", key="mails")
    return again
