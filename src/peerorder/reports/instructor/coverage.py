"""Coverage: how many graders ranked each paper, and whether all papers are linked by comparisons."""

from dataclasses import dataclass

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.bundles import Bundles
from peerorder.core.profile import Profile
from peerorder.core.text import number_range
from peerorder.core.translation import gettext as _, ngettext
from peerorder.reports.charts import Axis, bars, chart, count_axis
from peerorder.reports.instructor.text import some
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import bullets, table
from peerorder.rounds.round import Round

__all__ = ["Coverage", "covered", "section"]

# Papers with fewer rankings are named.
FEW = 3
GROUPS = 10
AMONG = 5
BARS = 24


@dataclass(frozen=True, eq=False)
class Coverage:
    """How well a round covers its papers."""

    rankings: IntArray
    groups: tuple[IntArray, ...]
    """The papers of every linked group, the largest first; papers that nobody compared are in none."""
    uncompared: IntArray
    """Papers that nobody compared with another one."""

    @property
    def unread(self) -> IntArray:
        """Papers on nobody's ballot."""
        return np.flatnonzero(self.rankings == 0)

    @property
    def alone(self) -> IntArray:
        """Papers that are on ballots, but compared with no other there."""
        return self.uncompared[self.rankings[self.uncompared] > 0]

    @property
    def thin(self) -> IntArray:
        """Papers with a ranking or two."""
        return np.flatnonzero((self.rankings > 0) & (self.rankings < FEW))


def covered(profile: Profile) -> Coverage:
    """Return the coverage of a round."""
    compared = profile.select(profile.informative)
    labels = Bundles(compared.papers, compared.start, profile.n_papers).component_labels
    sizes = np.bincount(labels, minlength=1)
    large = np.flatnonzero(sizes > 1)
    large = large[np.argsort(-sizes[large], kind="stable")]
    order = np.argsort(labels, kind="stable")
    start = np.concatenate([[0], np.cumsum(sizes)])
    groups = tuple(order[start[label] : start[label + 1]] for label in large.tolist())
    return Coverage(profile.rankings, groups, np.flatnonzero(sizes[labels] == 1))


def section(read: Round, result: Coverage) -> Markup:
    """Return a histogram, the papers to worry about, and which papers are linked."""
    return joined(_lead(result), _histogram(result), _few(read, result), _together(read, result))


def _lead(result: Coverage) -> Markup:
    fewest, most = int(result.rankings.min()), int(result.rankings.max())
    if fewest == most:
        text = ngettext(
            "Every paper was ranked by {count:,} grader.", "Every paper was ranked by {count:,} graders.", most
        )
        return element("p", text.format(count=most))
    text = _(
        "A paper was ranked by {low:,} to {high:,} graders, half of the papers by {median:g} or more. The fewer "
        "rankings "
        "a paper has, the less is known about its place."
    )
    return element("p", text.format(low=fewest, high=most, median=np.median(result.rankings)))


def _histogram(result: Coverage) -> Markup:
    fewest, most = int(result.rankings.min()), int(result.rankings.max())
    width = -(-(most - fewest + 1) // BARS)
    begins = range(fewest, most + 1, width)
    heights = [int(((result.rankings >= index) & (result.rankings < index + width)).sum()) for index in begins]
    every = -(-len(begins) // 8)
    ticks = tuple(
        (index + width / 2, f"{index:,}" if width == 1 else f"{index:,}\N{EN DASH}{index + width - 1:,}")
        for index in begins
    )[::every]
    across = Axis(fewest, begins[-1] + width, ticks, _("rankings of a paper"))
    up = count_axis(max(heights), _("papers"))
    gap = width * 0.1
    marks = bars(
        [(index + gap, index + width - gap, height) for index, height in zip(begins, heights, strict=True)], across, up
    )
    each = _("{papers:,} with {rankings}")
    text = ", ".join(
        each.format(papers=height, rankings=number_range(index, index + width - 1))
        for index, height in zip(begins, heights, strict=True)
        if height
    )
    return chart(
        _("Bar chart of papers by the number of rankings: {list}.").format(list=text),
        across,
        up,
        marks,
        caption=_("How many papers have how many rankings."),
        size="low",
    )


def _few(read: Round, result: Coverage) -> Markup | None:
    points = (
        (
            result.unread,
            ngettext(
                "{count:,} paper was ranked by nobody, so its place is a guess; look at it yourself: {papers}.",
                "{count:,} papers were ranked by nobody, so their places are guesses; look at them yourself: {papers}.",
                len(result.unread),
            ),
        ),
        (
            result.alone,
            ngettext(
                "{count:,} paper is on ballots, but compared with no other paper, so its place is a guess: {papers}.",
                "{count:,} papers are on ballots, but compared with no other paper, so their places are guesses: "
                "{papers}.",
                len(result.alone),
            ),
        ),
        (
            result.thin,
            ngettext(
                "{count:,} paper has only one or two rankings: {papers}.",
                "{count:,} papers have only one or two rankings: {papers}.",
                len(result.thin),
            ),
        ),
    )
    return bullets(
        [text.format(count=len(papers), papers=some(read.papers, papers)) for papers, text in points if len(papers)]
    )


def _together(read: Round, result: Coverage) -> Markup:
    if len(result.groups) == 1 and not len(result.uncompared):
        text = _("All papers are linked: any two are joined by a chain of comparisons, so all places are on one scale.")
        return element("p", text)
    if len(result.groups) == 1:
        text = ngettext(
            "{count:,} paper was compared with no other paper. All the others are linked by comparisons.",
            "{count:,} papers were compared with no other paper. All the others are linked by comparisons.",
            len(result.uncompared),
        )
        return element("p", text.format(count=len(result.uncompared)))
    rows = [
        (_("Group {number}").format(number=index), f"{len(group):,}", some(read.papers, group, AMONG))
        for index, group in enumerate(result.groups[:GROUPS], 1)
    ]
    text = _(
        "The papers fall into {count:,} groups that nobody compared with each other. Inside a group the order is "
        "meaningful; nothing is known about the order of the groups. Ask a few graders, or staff, to rank papers from "
        "several groups."
    ).format(count=len(result.groups))
    more = _("The largest {count} are shown.").format(count=GROUPS) if len(result.groups) > GROUPS else None
    return joined(
        element("h3", _("Groups of papers")),
        element("p", text),
        element("p", more) if more else None,
        table(_("Groups of linked papers"), (_("Group"), _("Papers"), _("Examples")), rows, numbers=(1,)),
    )
