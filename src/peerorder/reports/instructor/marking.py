"""The marks of a round on its page: the mark of every place, and the distribution of marks."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from peerorder.core.arrays import FloatArray
from peerorder.core.translation import gettext as _, ngettext
from peerorder.reports.charts import Axis, band, bars, chart, count_axis, dots, line, place_axis, value_axis
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
    how = None
    if marking.how and marking.anchors:
        how = element("p", _("Marks follow the curve {how}.").format(how=marking.how))
    elif marking.how:
        # A scale is shown as the option that was typed.
        how = element("p", _("The scale of marks:"), " ", element("code", marking.how))
    numbers = marking.numbers
    if numbers is None:
        # In the order of the best papers that have each.
        counts = Counter(as_mark(marking.marks[paper]) for paper in graded.outcome.order.tolist())
        return joined(how, letter_counts(counts))
    if not np.isfinite(numbers).any():
        return joined(how, element("p", _("No paper has a mark.")))
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
    across = place_axis(graded.round.profile.n_papers, _("place"))
    up = value_axis(float(every.min()), float(every.max()), _("mark"))
    marks = [line(list(zip(places.tolist(), numbers[papers].tolist(), strict=True)), across, up)]
    if ends is not None:
        marks.insert(0, band([(x, a, b) for x, (a, b) in zip(places.tolist(), ends.tolist(), strict=True)], across, up))
    if marking.anchors:
        staff = [(int(graded.outcome.places[paper]) + 1, mark) for paper, mark in marking.anchors.items()]
        marks.append(dots(staff, across, up, "anchors"))
    caption = [_("The mark of every place, from the best to the last.")]
    if ends is not None:
        caption.append(_("The band is how far off a mark may be: nine in ten lie inside it."))
    if marking.anchors:
        caption += [_("Dots are the papers that staff marked."), _about_staff(graded, marking, numbers)]
    text = _("Curve of marks by place: from {best} for the first to {last} for the last.").format(
        best=as_mark(numbers[order[0]]), last=as_mark(numbers[order[-1]])
    )
    return chart(text, across, up, *marks, caption=" ".join(caption))


def _about_staff(graded: GradedRound, marking: Marking, numbers: FloatArray) -> str:
    """Say how the marks that staff gave are used."""
    if not graded.settings.smooth_anchors:
        return _("These keep the mark that staff gave them; the curve is for all others.")
    off = {paper: abs(numbers[paper] - mark) for paper, mark in marking.anchors.items()}
    paper = max(off, key=lambda each: off[each])
    return _(
        "They get the mark of the curve, like all others, not the mark that staff gave: {paper} differs most, {mark} "
        "where staff gave {given}."
    ).format(paper=graded.round.papers[paper], mark=as_mark(numbers[paper]), given=as_mark(marking.anchors[paper]))


def distribution(numbers: FloatArray, *, of_students: bool = False) -> Markup:
    """Return a chart of marks that are numbers, of papers or of students."""
    result = numbers[np.isfinite(numbers)]
    across = value_axis(float(result.min()), float(result.max()), _("mark"))
    edges = np.linspace(across.first, across.last, min(BINS, max(5, len(result) // 4)) + 1)
    heights = np.histogram(result, edges)[0]
    up = count_axis(int(heights.max()), _("students") if of_students else _("papers"))
    gap = (edges[1] - edges[0]) * 0.06
    columns = zip((edges[:-1] + gap).tolist(), (edges[1:] - gap).tolist(), heights.tolist(), strict=True)
    low, middle, high = (as_mark(float(value)) for value in np.quantile(result, [0.1, 0.5, 0.9]))
    if of_students:
        text = _(
            "Number of students by mark. Half have {median} or more; nine in ten have at least {low}, one in ten at "
            "least {high}. The mean is {mean:.1f}."
        )
    else:
        text = _(
            "Number of papers by mark. Half have {median} or more; nine in ten have at least {low}, one in ten at "
            "least {high}. The mean is {mean:.1f}."
        )
    caption = text.format(median=middle, low=low, high=high, mean=result.mean())
    label = _("Bar chart of marks. {description}").format(description=caption)
    return chart(label, across, up, bars(columns, across, up), caption=caption, size="low")


def letter_counts(counts: Mapping[str, int], *, of_students: bool = False) -> Markup:
    """Return a chart of marks that are letters: a bar for each, in their order."""
    names = list(counts)
    across = Axis(0, len(names), tuple((index + 0.5, name) for index, name in enumerate(names)), _("mark"))
    up = count_axis(max(counts.values()), _("students") if of_students else _("papers"))
    columns = [(index + 0.1, index + 0.9, counts[name]) for index, name in enumerate(names)]
    text = ", ".join(f"{name}: {_number(number, of_students)}" for name, number in counts.items())
    label = _("Bar chart of marks. {description}").format(description=f"{text}.")
    return chart(label, across, up, bars(columns, across, up), caption=f"{text}.", size="low")


def _number(count: int, of_students: bool) -> str:
    if of_students:
        return ngettext("{count:,} student", "{count:,} students", count).format(count=count)
    return ngettext("{count:,} paper", "{count:,} papers", count).format(count=count)
