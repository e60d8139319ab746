"""What apps above tell the audit log: the messages of their verbs, and what the ids in the details are called."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

__all__ = ["MESSAGES", "NAMES", "WORDS", "AuditMessage", "name_ids", "put_into_words", "register_messages"]

Text = str | Promise


@dataclass(frozen=True)
class AuditMessage:
    """How events of one verb read."""

    sentence: Text
    """What follows the name of the person who did it, with details by name."""
    plural: Text
    """What many such events are called together."""


MESSAGES: dict[str, AuditMessage] = {}
"""By verb. A verb that is not here is shown as it is, with its details."""

NAMES: dict[str, Callable[[set[int]], Mapping[int, Any]]] = {}
"""By what is named (``person``, ``assignment``, or a detail such as ``member``): names of many ids at once."""

WORDS: dict[str, Callable[[Any], str]] = {}
"""By detail: what a value that is no id is called."""


def register_messages(messages: Mapping[str, tuple[Text, Text]]) -> None:
    """Register verbs, each with its sentence and its plural."""
    MESSAGES.update({verb: AuditMessage(*texts) for verb, texts in messages.items()})


def name_ids(what: str, names: Callable[[set[int]], Mapping[int, Any]]) -> None:
    """Register what ids of a kind are called."""
    NAMES[what] = names


def put_into_words(detail: str, words: Callable[[Any], str]) -> None:
    """Register how the value of a detail reads."""
    WORDS[detail] = words
