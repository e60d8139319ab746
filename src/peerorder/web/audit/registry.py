"""What apps above tell the audit log: how events of their verbs read, what ids in the details mean, what is sealed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.utils.functional import Promise

from peerorder.web.audit.models import Event

Text = str | Promise

MESSAGES: dict[str, tuple[Text, Text]] = {}
"""By verb: what follows the name of the person who did it, with details by name; and what many such events are called.

A verb that is not here is shown as it is, with its details.
"""

ALONE: set[str] = set()
"""Verbs of events that are never put together with others of their kind."""

ACCOUNT_VERBS: set[str] = set()
"""Verbs about accounts and the ways into them, which people read about their own."""

STRANGERS: set[str] = set()
"""Verbs of people who were not logged in, where nobody knows who it was."""

NAMES: dict[str, Callable[[set[int]], Mapping[int, Any]]] = {}
"""By what is named (``person``, ``assignment``, or a detail such as ``member``): the names of many ids at once."""

REPLAYS: dict[str, Callable[[Any], bool]] = {}
"""By verb of an erasure or a revocation: do again what a line of the ledger says, after a restore; return whether there
was something to do. Events with these verbs are written to the ledger."""

WORDS: dict[str, Callable[[Any], str]] = {}
"""By detail: how a value that is no id reads."""

SUBJECTS: dict[str, Callable[[int], int | None]] = {"person": lambda pk: pk}
"""By detail: the person whom such an id stands for, so that what was done to somebody is found by their id."""


@dataclass(frozen=True)
class SealedTable:
    """An append-only table whose rows are sealed."""

    model: type[Model]
    versions: Mapping[int, tuple[str, ...]]
    """The columns that are sealed, the id first, by version of the seal. A seal remembers its version, so a new column
    comes with a new version, and old seals stay what they are. A column that was ever sealed can never be dropped."""

    @property
    def version(self) -> int:
        """The version of new seals."""
        return max(self.versions)


SEALED: dict[str, SealedTable] = {
    "log_event": SealedTable(
        Event, {1: ("id", "at", "person_id", "about_id", "course_id", "assignment_id", "verb", "details")}
    )
}
"""By name of the table."""
