"""What apps above tell this one: whom an id stands for, how links are made, and what kinds of messages there are."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from django.utils.functional import Promise

__all__ = ["KINDS", "Directory", "Recipient", "directory", "register_directory", "register_kinds"]

Text = str | Promise


class Recipient(Protocol):
    """Somebody who gets messages."""

    pk: Any
    name: str
    email: str
    is_active: bool


class Directory(Protocol):
    """The people whom messages go to."""

    def find(self, ids: Iterable[int]) -> Mapping[int, Recipient]:
        """Return people by their ids."""

    def make_link(self, person: Any, *, printed: bool) -> str:
        """Make a new personal link, as an address; ``printed`` where the message reaches nobody."""

    def forget_link(self, link: str) -> None:
        """Forget a link that never reached anybody."""


_directories: list[Directory] = []


def register_directory(people: Directory) -> None:
    """Register where people are looked up."""
    _directories[:] = [people]


def directory() -> Directory:
    """Return where people are looked up."""
    return _directories[0]


KINDS: dict[str, tuple[Text, Text]] = {}
"""Subject and text of every kind of message."""


def register_kinds(kinds: Mapping[str, tuple[Text, Text]]) -> None:
    """Register kinds of messages, each with its subject and its text."""
    KINDS.update(kinds)
