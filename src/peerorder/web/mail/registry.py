"""What apps above tell this one: what kinds of links and of messages there are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from django.utils.functional import Promise

from peerorder.web.mail.models import Mail

Text = str | Promise


class Recipient(Protocol):
    """Somebody who gets messages."""

    pk: Any
    name: str
    email: str
    is_active: bool


@dataclass
class Addressee:
    """Somebody who is written to at an address, whatever that of their account is when the message is sent."""

    email: str
    name: str = ""
    pk: int | None = None
    """The account, if they have one."""
    is_active: bool = True


@dataclass(frozen=True)
class LinkKind:
    """How the link in a message is made. Its token is in the message alone: the queue is in the database too."""

    make: Callable[[Mail, Any, bool], str]
    """Return the address, for a message, the person it goes to, and whether it is only printed; "" to send nothing."""
    forget: Callable[[str], None]
    """Forget a link that never reached anybody."""
    sent: Callable[[str], None] = lambda _address: None
    """Called once the mail server has taken the message."""


LINKS: dict[str, LinkKind] = {}
"""The kinds of links, by the name that a message gives."""

KINDS: dict[str, tuple[Text, Text]] = {}
"""Subject and text of every kind of message."""
