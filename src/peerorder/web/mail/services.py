"""Queue a mail with the change that causes it; the worker sends it."""

from peerorder.web.jobs.services import ask
from peerorder.web.mail.models import Mail
from peerorder.web.people.models import Person
from peerorder.web.rounds.models import Assignment

__all__ = ["queue"]


def queue(person: Person, key: str, subject: str, body: str, assignment: Assignment | None = None) -> bool:
    """Put a mail into the queue, once for every key; gives whether it is a new one.

    ``{link}`` in the body becomes the person's own link when it is sent. Whoever has no address gets none.
    """
    if not person.email or not person.is_active:
        return False
    fields = {"person": person, "assignment": assignment, "subject": subject, "body": body}
    _mail, new = Mail.objects.get_or_create(key=key, defaults=fields)
    if new:
        ask("mails", key="mails")
    return new
