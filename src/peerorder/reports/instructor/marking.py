"""The marks of a round on its page: the mark of every place, and the distribution of marks."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.reports.charts import Axis, band, bars, chart, count_axis, dots, line, place_axis, value_axis
from peerorder.reports.instructor.text import count
from peerorder.reports.markup import Markup, element, joined
from peerorder.rounds.grading import GradedRound, Marking
from peerorder.rounds.marking import as_mark

__all__ = ["distribution", "letter_counts", "section"]

# A curve of this many points is as smooth as one of a million.
POINTS = 400
BINS = 15


def section(graded: GradedRound, marking: Marking | None) -> Markup | None:
    """Return the curve and the distribution; letters have no curve."""
    if marking is None:
        return None
    # Anchors are told in words, a scale as the option that was typed.
    said = f"by the curve {marking.how}" if marking.anchors else element("code", marking.how)
    how = element("p", "How the marks were made: ", said, ".") if marking.how else None
    numbers = marking.numbers
    if numbers is None:
        # In the order of the best papers that have each.
        counts = Counter(as_mark(marking.marks[paper]) for paper in graded.outcome.order.tolist())
        return joined(how, letter_counts(counts))
    if not np.isfinite(numbers).any():
        return joined(how, element("p", "No paper has a mark."))
    return joined(how, _curve(graded, marking, numbers), distribution(numbers))


def _curve(graded: GradedRound, marking: Marking, numbers: FloatArray) -> Markup | None:
    # Marks that were not made of a place are no part of the curve.
    apart = [*marking.kept, *marking.unranked]
    on_curve = np.where(np.isin(np.arange(len(numbers)), apart), np.nan, numbers)
    order = graded.outcome.order[np.isfinite(on_curve[graded.outcome.order])]
    if not len(order):
        return None
    index = np.unique(np.linspace(0, len(order) - 1, min(len(order), POINTS)).round().astype(int))
    papers = order[index]
    places = graded.outcome.places[papers] + 1
    ends = None
    if marking.low is not None and marking.high is not None:
        ends = np.array([[marking.low[paper], marking.high[paper]] for paper in papers.tolist()], float)
        ends = np.where(np.isfinite(ends), ends, numbers[papers][:, None])
    every = np.concatenate([numbers[papers], [] if ends is None else ends.ravel(), [*marking.anchors.values()]])
    across = place_axis(graded.round.profile.n_papers, "place")
    up = value_axis(float(every.min()), float(every.max()), "mark")
    marks = [line(list(zip(places.tolist(), numbers[papers].tolist(), strict=True)), across, up)]
    if ends is not None:
        marks.insert(0, band([(x, a, b) for x, (a, b) in zip(places.tolist(), ends.tolist(), strict=True)], across, up))
    if marking.anchors:
        staff = [(int(graded.outcome.places[paper]) + 1, mark) for paper, mark in marking.anchors.items()]
        marks.append(dots(staff, across, up, "anchors"))
    caption = "The mark of every place, from the best to the last."
    if ends is not None:
        caption += " The band is how far off a mark may be: nine in ten lie inside it."
    if marking.anchors:
        caption += f" Dots are the papers that staff marked. {_about_staff(graded, marking, numbers)}"
    best, worst = numbers[order[0]], numbers[order[-1]]
    said = f"Curve of marks by place: from {as_mark(best)} for the first to {as_mark(worst)} for the last."
    return chart(said, across, up, *marks, caption=caption)


def _about_staff(graded: GradedRound, marking: Marking, numbers: FloatArray) -> str:
    """Say how the marks that staff gave are used."""
    if not graded.settings.smooth_anchors:
        return "These keep the mark that staff gave them; the curve is for all others."
    off = {paper: abs(numbers[paper] - mark) for paper, mark in marking.anchors.items()}
    paper = max(off, key=lambda each: off[each])
    return (
        "They get the mark of the curve, like all others, not the mark that staff gave: "
        f"{graded.round.papers[paper]} differs most, {as_mark(numbers[paper])} where staff gave "
        f"{as_mark(marking.anchors[paper])}."
    )


def distribution(numbers: FloatArray, of: str = "paper") -> Markup:
    """Return a chart of marks that are numbers; ``of`` is what has them."""
    result = numbers[np.isfinite(numbers)]
    across = value_axis(float(result.min()), float(result.max()), "mark")
    edges = np.linspace(across.first, across.last, min(BINS, max(5, len(result) // 4)) + 1)
    heights = np.histogram(result, edges)[0]
    up = count_axis(int(heights.max()), f"{of}s")
    gap = (edges[1] - edges[0]) * 0.06
    columns = zip((edges[:-1] + gap).tolist(), (edges[1:] - gap).tolist(), heights.tolist(), strict=True)
    low, middle, high = (as_mark(float(value)) for value in np.quantile(result, [0.1, 0.5, 0.9]))
    caption = (
        f"Number of {of}s by mark. Half have {middle} or more; nine in ten have at least {low}, one in ten "
        f"at least {high}. The mean is {result.mean():.1f}."
    )
    return chart(f"Bar chart of marks. {caption}", across, up, bars(columns, across, up), caption=caption, size="low")


def letter_counts(counts: Mapping[str, int], of: str = "paper") -> Markup:
    """Return a chart of marks that are letters: a bar for each, in their order."""
    names = list(counts)
    across = Axis(0, len(names), tuple((index + 0.5, name) for index, name in enumerate(names)), "mark")
    up = count_axis(max(counts.values()), f"{of}s")
    columns = [(index + 0.1, index + 0.9, counts[name]) for index, name in enumerate(names)]
    text = ", ".join(f"{name}: {count(number, of)}" for name, number in counts.items())
    return chart(f"Bar chart of marks: {text}.", across, up, bars(columns, across, up), caption=f"{text}.", size="low")
