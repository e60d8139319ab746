"""What e-mails say.

All have the same shape: a greeting, what happened and what to do, until when, and the personal link.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, tzinfo

from django.conf import settings
from django.utils import formats, timezone
from django.utils.translation import gettext as _, override

from peerorder.web.mail.registry import KINDS, Recipient

LINK = "{link}"
"""Stands in a body where the personal link goes, which is made when the message is sent."""


@contextmanager
def site_language() -> Iterator[None]:
    """Speak the language of the site: somebody who causes an e-mail may read another one than who gets it."""
    with override(settings.LANGUAGE_CODE):
        yield


@dataclass(frozen=True)
class Message:
    """A subject and a body."""

    subject: str
    body: str

    @property
    def shown(self) -> str:
        """The body as staff preview it."""
        return self.body.replace(LINK, _("(the personal link)"))


def greeting(name: str) -> str:
    """Return the first line of a message; a name in the order of class lists, "Eriksen, Else", is turned round."""
    last, comma, first = name.replace(LINK, "").partition(",")
    called = f"{first.strip()} {last.strip()}" if comma and first.strip() and "," not in first else last + comma + first
    return _("Hello %(name)s,") % {"name": called} if called else _("Hello,")


def written_time(moment: datetime, zone: tzinfo | None = None) -> str:
    """Return a time as all e-mails write it, with its time zone: the current one, if none is given."""
    zone = zone or timezone.get_current_timezone()
    return f"{formats.date_format(timezone.localtime(moment, zone), 'l, j M Y, H:i')} ({zone})"


@site_language()
def compose(kind: str, person: Recipient, lines: Iterable[str] = (), **words: str | int) -> Message:
    """Write a message to one person; ``lines`` follow what it is about, as until when there is time."""
    # The link must stand where we put it, and nowhere else.
    words = {key: value.replace(LINK, "") if isinstance(value, str) else value for key, value in words.items()}
    subject, what = KINDS[kind]
    body = [greeting(person.name), "", str(what) % words, *lines]
    body += ["", _("Your personal link (please keep it to yourself):"), LINK, ""]
    return Message(str(subject) % words, "\n".join(body))
