"""What may stand in the details of the audit log: ids, numbers, times and words of ours; never what somebody typed."""

import re
from functools import cache
from zoneinfo import available_timezones

from django.apps import apps
from django.db.models import Choices
from django.utils.dateparse import parse_date, parse_datetime

from peerorder.web.audit.models import Event


@cache
def code_words() -> frozenset[str]:
    """All values of our choices, names of fields, and time zones."""
    words = set(available_timezones())
    for model in apps.get_models():
        words |= {field.name for field in (*model._meta.concrete_fields, *model._meta.many_to_many)}
    choices = [Choices]
    while choices:
        cls = choices.pop()
        choices += cls.__subclasses__()
        if cls.__module__.startswith("peerorder."):
            words |= {str(value) for value in cls.values}
    return frozenset(words)


def is_innocent(value: object) -> bool:
    """Whether a value cannot be a name, an address, a file's name or a text."""
    if isinstance(value, (list, tuple)):
        return all(map(is_innocent, value))
    if not isinstance(value, str):
        return value is None or isinstance(value, (bool, int, float))
    # A keyed digest of a name that somebody tried to log in with.
    return value in code_words() or re.fullmatch("[0-9a-f]{16,64}", value) is not None or _is_time(value)


def _is_time(value: str) -> bool:
    try:
        return parse_datetime(value) is not None or parse_date(value) is not None
    except ValueError:
        return False


def check_details(event: object) -> None:
    """Fail where an event holds more."""
    if isinstance(event, Event):
        wrong = {key: value for key, value in event.details.items() if not is_innocent(value)}
        assert not wrong, f"the audit log holds ids only, but {event.verb!r} has {wrong}"
