"""What apps above tell this one: how links are made, and what kinds of messages there are."""

from collections.abc import Callable
from typing import Any, Protocol

from django.utils.functional import Promise

from peerorder.web.hooks import Hook

Text = str | Promise


class Recipient(Protocol):
    """Somebody who gets messages."""

    pk: Any
    name: str
    email: str
    is_active: bool


make_link: Hook[Callable[[Any, bool], str]] = Hook()
"""A new personal link for somebody, as an address; and whether the message with it is only printed."""

forget_link: Hook[Callable[[str], None]] = Hook()
"""Forget a link that never reached anybody."""

KINDS: dict[str, tuple[Text, Text]] = {}
"""Subject and text of every kind of message."""
