"""The audit log in words: who did what, and many events of one kind as one line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import formats, timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from peerorder.web.audit.models import Event
from peerorder.web.audit.registry import ALONE, MESSAGES, NAMES, STRANGERS, WORDS

PEOPLE = ("member", "person")
"""Details that stand for somebody, who may be erased."""
MANY = 4
"""This many events of one kind on one day become one line."""


@dataclass(frozen=True)
class Entry:
    """An event as people read it."""

    at: datetime
    who: str
    what: str
    assignment: Any
    """What the app of assignments calls it."""
    verb: str = ""

    @property
    def kind(self) -> str:
        """What such events are called together."""
        return plural_of(self.verb)


@dataclass(frozen=True)
class Line:
    """One event, or many of the same kind, which say little one by one."""

    events: list[Entry]

    @property
    def first(self) -> Entry:
        """The newest."""
        return self.events[0]

    @property
    def last(self) -> Entry:
        """The oldest."""
        return self.events[-1]

    @property
    def folded(self) -> bool:
        """Whether there are too many to be read."""
        return len(self.events) >= MANY

    @property
    def people(self) -> list[str]:
        """Who they are by, each once."""
        return list(dict.fromkeys(event.who for event in self.events))


def plural_of(verb: str) -> str:
    """Return what events of a verb are called together."""
    return str(MESSAGES[verb][1]) if verb in MESSAGES else verb


def fold(entries: Iterable[Entry]) -> list[Line]:
    """Put events together where a day has many of one kind in one assignment, at the place of the newest."""
    entries = list(entries)
    groups: dict[object, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(_group(entry), []).append(entry)
    lines = []
    for entry in entries:
        same = groups[_group(entry)]
        if len(same) < MANY:
            lines.append(Line([entry]))
        elif entry is same[0]:
            lines.append(Line(same))
    return lines


def _group(entry: Entry) -> object:
    # What says how an assignment came to where it is, is read one by one.
    return id(entry) if entry.verb in ALONE else (timezone.localdate(entry.at), entry.verb, entry.assignment)


class _Details(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return _("somebody") if key in PEOPLE else "?"


def describe(events: Iterable[Event]) -> list[Entry]:
    """Return events in words, with as few queries as there are kinds of names."""
    events = list(events)
    ids = {what: _ids(events, what) for what in NAMES}
    ids["person"] |= {event.person_id for event in events if event.person_id is not None}
    ids["assignment"] |= {event.assignment_id for event in events if event.assignment_id is not None}
    names = {what: NAMES[what](numbers) for what, numbers in ids.items()}
    entries = []
    for event in events:
        nobody = _("Somebody") if event.verb in STRANGERS else _("Automatically:")
        who = nobody if event.person_id is None else str(names["person"].get(event.person_id, _("Somebody")))
        details = _Details({key: _describe_value(key, value, names) for key, value in event.details.items()})
        if event.verb in MESSAGES:
            what = str(MESSAGES[event.verb][0]) % details
        else:
            what = ", ".join([event.verb, *(f"{key}: {value}" for key, value in details.items())])
        assignment = names["assignment"].get(event.assignment_id or 0)
        entries.append(Entry(event.at, who, what, assignment, event.verb))
    return entries


def _ids(events: list[Event], key: str) -> set[int]:
    return {event.details[key] for event in events if isinstance(event.details.get(key), int)}


def _describe_value(key: str, value: Any, names: Mapping[str, Mapping[int, Any]]) -> str:
    if key in WORDS:
        return WORDS[key](value)
    if value is None or value == "":
        return "?"
    if key in names:
        return str(names[key].get(value, _("somebody") if key in PEOPLE else value))
    return moment_text(value) if isinstance(value, str) else str(value)


def moment_text(text: str) -> str:
    """Return a moment as people read it, and any other text as it is."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        return text
    if moment is None or not timezone.is_aware(moment):
        return text
    return formats.date_format(timezone.localtime(moment), "DATETIME_FORMAT")
