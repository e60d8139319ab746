"""Charts of marks."""

import numpy as np

from peerorder.reports.charts import strip
from peerorder.reports.markup import Markup
from peerorder.web.results.mark_sheets import Sheet
from peerorder.web.results.mark_summaries import Summary


def marks_chart(sheet: Sheet) -> Markup | None:
    """Return how many students have which mark."""
    from peerorder.reports.instructor.marking import distribution, letter_counts

    marks = [each.mark for each in sheet.students.values() if each.mark is not None]
    if not marks:
        return None
    if sheet.letters:
        others = sorted({str(mark) for mark in marks} - {*sheet.letters})
        return letter_counts({letter: marks.count(letter) for letter in [*sheet.letters, *others]}, of_students=True)
    return distribution(np.array(marks, float), of_students=True)


def earlier_strip(summary: Summary) -> Markup | None:
    """Return where the middle of a class lies between no and full marks."""
    if summary.low is None or summary.high is None or not isinstance(summary.median, float):
        return None
    low, high, median = (
        min(max(mark / summary.highest, 0.0), 1.0) for mark in (summary.low, summary.high, summary.median)
    )
    return strip(low, high, median)
