"""The pictures of results."""

from collections.abc import Sequence
from itertools import groupby

from django.utils.translation import gettext as _

from peerorder.reports.charts import Axis, band, chart, dots, value_axis, whiskers
from peerorder.reports.markup import Markup
from peerorder.web.results.mark_sheets import StudentMark


def interval_of_marks(lowest: float, highest: float, student: StudentMark) -> Markup:
    """Return where a mark and its interval lie on a scale of numbers."""
    low, high, mark = (float(value or 0) for value in (student.mark_low, student.mark_high, student.mark))
    return _interval(value_axis(min(lowest, low), max(highest, high), ""), low, high, mark)


def interval_of_letters(letters: list[str], student: StudentMark) -> Markup:
    """Return where a rank and its interval lie on a scale that gives every rank a letter, the best on the right."""
    ticks, borders, rank = [], [], 1
    for letter, ranks in groupby(letters):
        size = len(list(ranks))
        ticks.append((rank + (size - 1) / 2, letter))
        rank += size
        borders.append(rank - 0.5)
    axis = Axis(len(letters) + 0.5, 0.5, tuple(ticks), "")
    low, high, place = (float(value or 0) for value in (student.low, student.high, student.place))
    return _interval(axis, low - 0.5, high + 0.5, min(max(place, low), high), borders[:-1])


def _interval(across: Axis, low: float, high: float, middle: float, borders: Sequence[float] = ()) -> Markup:
    up = Axis(0, 1, ((0, ""),), "")
    caption = _("The dot is your mark, and the bar its 90% credible interval, on the scale of marks.")
    area = band([(low, 0.3, 0.7), (high, 0.3, 0.7)], across, up)
    lines = whiskers([(border, 0, 1) for border in borders], across, up)
    dot = dots([(middle, 0.5)], across, up, "dots large")
    return chart(caption, across, up, area, lines, dot, caption=caption, size="thin")
