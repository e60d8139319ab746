"""The pictures of results."""

from itertools import groupby

from django.utils.translation import gettext as _

from peerorder.reports.charts import Axis, band, chart, dots, value_axis
from peerorder.reports.markup import Markup
from peerorder.web.results.mark_sheets import StudentMark


def interval_of_marks(lowest: float, highest: float, student: StudentMark) -> Markup:
    """Return where a mark and its interval lie on a scale of numbers."""
    low, high, mark = (float(value or 0) for value in (student.mark_low, student.mark_high, student.mark))
    return _interval(value_axis(min(lowest, low), max(highest, high), _("mark")), low, high, mark)


def interval_of_letters(letters: list[str], student: StudentMark) -> Markup:
    """Return where a rank and its interval lie on a scale that gives every rank a letter, the best on the right."""
    ticks, rank = [], 1
    for letter, ranks in groupby(letters):
        size = len(list(ranks))
        ticks.append((rank + (size - 1) / 2, letter))
        rank += size
    axis = Axis(len(letters) + 0.5, 0.5, tuple(ticks), _("mark, by rank"))
    low, high, place = (float(value or 0) for value in (student.low, student.high, student.place))
    return _interval(axis, low - 0.5, high + 0.5, min(max(place, low), high))


def _interval(across: Axis, low: float, high: float, at: float) -> Markup:
    up = Axis(0, 1, (), "")
    caption = _("Your mark (dot) and its 90% credible interval (bar) on the scale")
    area = band([(low, 0.25, 0.75), (high, 0.25, 0.75)], across, up)
    return chart(caption, across, up, area, dots([(at, 0.5)], across, up), caption=caption, size="short")
