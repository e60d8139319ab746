"""Times as people type them: on the clocks of the course, which skip an hour in spring and repeat one in autumn."""

from datetime import datetime, time, timedelta, tzinfo
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import formats, timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

FORMAT = "%Y-%m-%dT%H:%M"
FIRST_YEAR, LAST_YEAR = 2000, 2200


def comes_twice(naive: datetime, zone: tzinfo) -> bool:
    """Return whether clocks show this time twice, because they go back."""
    return _offset(naive, zone, 0) > _offset(naive, zone, 1)


def resolve(naive: datetime, zone: tzinfo) -> datetime:
    """Return the moment at which clocks show this. Of two it is the later one: nobody loses time by that."""
    if not FIRST_YEAR <= naive.year <= LAST_YEAR:
        raise ValidationError(_("%(year)s is not a plausible year. Correct it."), params={"year": naive.year})
    if _offset(naive, zone, 0) < _offset(naive, zone, 1):
        text = _(
            "On %(day)s clocks go forward, and %(time)s does not exist in %(zone)s. Choose an earlier or later time."
        )
        raise ValidationError(
            text, params={"day": formats.date_format(naive), "time": naive.strftime("%H:%M"), "zone": str(zone)}
        )
    return naive.replace(tzinfo=zone, fold=1)


def evening(days: int, now: datetime) -> datetime:
    """Return the end of the day ``days`` days from now, in the current time zone."""
    day = timezone.localdate(now) + timedelta(days=days)
    return datetime.combine(day, time(23, 59), timezone.get_current_timezone()).replace(fold=1)


def _offset(naive: datetime, zone: tzinfo, fold: int) -> timedelta:
    return naive.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta(0)


class LocalTimeField(forms.DateTimeField):
    """A date and a time, shown and read in the time zone in force."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.DateTimeInput({"type": "datetime-local"}, FORMAT))
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> datetime | None:
        """Return the moment."""
        if value in self.empty_values:
            return None
        if isinstance(value, datetime):
            return value
        try:
            parsed = parse_datetime(str(value).strip())
        except ValueError:
            parsed = None
        if parsed is None:
            raise ValidationError(_("This is not a date with a time. Write it like 2026-11-30 23:59."))
        if timezone.is_aware(parsed):
            return parsed
        return resolve(parsed, timezone.get_current_timezone())
