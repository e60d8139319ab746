"""What e-mails say, in plain words.

All have the same shape: whom it is for, what happened and what is to do, until when, and the personal link.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from peerorder.web.mail.registry import KINDS, Recipient

LINK = "{link}"
"""Stands in a body where the personal link goes, which is made when the message is sent."""


@dataclass(frozen=True)
class Message:
    """A subject and a body."""

    subject: str
    body: str

    @property
    def shown(self) -> str:
        """The body for staff to look at before anything is sent."""
        return self.body.replace(LINK, _("(here is the personal link)"))


def greeting(name: str) -> str:
    """Return the first line of a message; a name in the order of class lists, "Eriksen, Else", is turned round."""
    last, comma, first = name.replace(LINK, "").partition(",")
    called = f"{first.strip()} {last.strip()}" if comma and first.strip() and "," not in first else last + comma + first
    return _("Hello %(name)s,") % {"name": called} if called else _("Hello,")


def compose(kind: str, person: Recipient, lines: Iterable[str] = (), **words: str | int) -> Message:
    """Write a message to one person; ``lines`` follow what it is about, as until when there is time."""
    # The link must stand where we put it, and nowhere else.
    words = {key: value.replace(LINK, "") if isinstance(value, str) else value for key, value in words.items()}
    subject, what = KINDS[kind]
    body = [greeting(person.name), "", str(what) % words, *lines]
    body += ["", _("This is your personal link; please do not pass it on:"), LINK, ""]
    return Message(str(subject) % words, "\n".join(body))
