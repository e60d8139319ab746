"""Queue an e-mail with the change that causes it; the worker sends it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import ngettext

from peerorder.web.audit.services import Row, record
from peerorder.web.database.batches import batches
from peerorder.web.jobs.services import enqueue
from peerorder.web.mail.messages import Message
from peerorder.web.mail.models import MOST_TRIES, Mail
from peerorder.web.mail.registry import Addressee, Recipient

SUBJECT = 200
# Printed where the app was started, or nowhere.
NOT_SENT = tuple(f"django.core.mail.backends.{name}.EmailBackend" for name in ("console", "dummy"))


def is_set_up() -> bool:
    """Return whether a mail server is set up."""
    return settings.EMAIL_BACKEND not in NOT_SENT


def on_the_way(count: int) -> str:
    """Return what to tell somebody who asked for e-mails: the truth, also where no mail server is set up."""
    if is_set_up():
        text = ngettext("%(count)d e-mail is on its way.", "%(count)d e-mails are on their way.", count)
    else:
        text = ngettext(
            "%(count)d e-mail was created but not sent: no mail server is set up.",
            "%(count)d e-mails were created but not sent: no mail server is set up.",
            count,
        )
    return text % {"count": count}


def queue(person: Recipient, key: str, message: Message, *, course_id: int | None = None, **more: Any) -> bool:
    """Put a message into the queue, once for every key; return whether it is a new one.

    ``{link}`` in the body becomes the person's own link when it is sent, or a link of another kind (``link`` and
    ``link_id``). It goes to the person's address, or to another one (``to``). People without an address get none.
    """
    return queue_messages({key: (person, message)}, course_id=course_id, **more) == 1


def queue_messages(
    messages: Mapping[str, tuple[Recipient, Message]],
    *,
    course_id: int | None = None,
    assignment_id: int | None = None,
    to: str = "",
    **link: Any,
) -> int:
    """Put messages into the queue, each under a key; return how many are new."""
    wanted = {key: pair for key, pair in messages.items() if (to or pair[0].email) and pair[0].is_active}
    with transaction.atomic():
        existing: set[str] = set()
        for keys in batches(list(wanted)):
            existing.update(Mail.objects.filter(key__in=keys).values_list("key", flat=True))
        new = [
            Mail(
                person_id=person.pk,
                course_id=course_id,
                assignment_id=assignment_id,
                to=person.email if isinstance(person, Addressee) else to,
                key=key,
                # A subject is one line, or mail programs would read the rest as something else.
                subject=" ".join(message.subject.split())[:SUBJECT],
                body=message.body,
                **link,
            )
            for key, (person, message) in wanted.items()
            if key not in existing
        ]
        # Somebody else may have put in the same one just now.
        Mail.objects.bulk_create(new, batch_size=1000, ignore_conflicts=True)
        if new:
            enqueue("mails", key="mails")
    return len(new)


def try_again(course: Row, by: Row) -> int:
    """Queue once more what failed in a course; return how many messages that are."""
    with transaction.atomic():
        failed = Mail.objects.filter(course_id=course.pk, sent_at=None, tries__gte=MOST_TRIES)
        now = timezone.now()
        again = failed.update(tries=0, next_try_at=now, queued_at=now, problem="")
        if again:
            record("mails tried again", by, course=course, mails=again)
            enqueue("mails", key="mails")
    return again


def forget(**of: Sequence[int]) -> None:
    """Delete the messages of people, courses or assignments that go: ``forget(person_id=[...])``."""
    for field, ids in of.items():
        for some in batches(ids):
            Mail.objects.filter(**{f"{field}__in": some}).delete()


def drop_unsent(key: str) -> None:
    """Delete the messages whose keys begin like this and that were not sent: they are no longer true."""
    Mail.objects.filter(key__startswith=key, sent_at=None).delete()
