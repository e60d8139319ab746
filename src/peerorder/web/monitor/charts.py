"""The charts of the monitor."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.utils import formats, timezone
from django.utils.translation import gettext as _

from peerorder.reports.charts import Axis, chart, shares, steps
from peerorder.reports.markup import Markup
from peerorder.web.monitor.student_state import State


def progress(counts: Mapping[State, int]) -> Markup:
    """Return a bar of everybody, in parts by how far they are."""
    return shares((f"is-{state}", count) for state, count in counts.items())


def submissions(finished: list[tuple[datetime, int]], of: int, now: datetime) -> Markup | None:
    """Return how many had handed in when, by the hour; None before there are two hours to compare."""
    if not finished or not of:
        return None
    # To the hour, so that the picture stays the same while nothing happens.
    hour_now = now.replace(minute=0, second=0, microsecond=0)
    begin, end = finished[0][0], max(hour_now, finished[-1][0]) + timedelta(hours=1)
    if end - begin <= timedelta(hours=1):
        return None
    first, last = begin.timestamp(), end.timestamp()
    began = formats.date_format(timezone.localtime(begin), "SHORT_DATETIME_FORMAT")
    across = Axis(first, last, ((first, began), (last, _("now"))), "", inside=True)
    up = Axis(0, of, ((0, "0"), (of, f"{of:,}")), "")
    line = steps([(hour.timestamp(), min(count, of)) for hour, count in finished], across, up)
    words = _("Students who have handed in a ranking, over time (%(done)d of %(of)d)")
    caption = words % {"done": finished[-1][1], "of": of}
    return chart(caption, across, up, line, caption=caption, size="short")
