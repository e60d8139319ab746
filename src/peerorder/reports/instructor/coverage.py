"""Coverage: how many graders ranked each paper, and whether all papers are linked by comparisons."""

from dataclasses import dataclass

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.bundles import Bundles
from peerorder.core.profile import Profile
from peerorder.core.text import plural
from peerorder.reports.charts import Axis, bars, chart, count_axis
from peerorder.reports.instructor.text import count, some
from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import bullets, table
from peerorder.rounds.round import Round

__all__ = ["Coverage", "covered", "section"]

# Papers with fewer rankings are named.
FEW = 3
GROUPS = 10
AMONG = 5
BARS = 24
ON_BALLOTS = "on ballots, but compared with no other paper"


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
        return element("p", f"Every paper was ranked by {count(most, 'grader')}.")
    return element(
        "p",
        f"A paper was ranked by {fewest:,} to {most:,} graders, half of the papers by "
        f"{np.median(result.rankings):g} or more. The fewer rankings a paper has, the less is known about its place.",
    )


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
    across = Axis(fewest, begins[-1] + width, ticks, "rankings of a paper")
    up = count_axis(max(heights), "papers")
    gap = width * 0.1
    marks = bars(
        [(index + gap, index + width - gap, height) for index, height in zip(begins, heights, strict=True)], across, up
    )
    text = ", ".join(
        f"{height:,} with {index}" if width == 1 else f"{height:,} with {index} to {index + width - 1}"
        for index, height in zip(begins, heights, strict=True)
        if height
    )
    return chart(
        f"Bar chart of papers by the number of rankings: {text}.",
        across,
        up,
        marks,
        caption="How many papers have how many rankings.",
        size="low",
    )


def _few(read: Round, result: Coverage) -> Markup | None:
    look = f"look at {plural(len(result.unread), 'it', 'them')} yourself"
    return bullets(
        [
            f"{count(len(papers), one, number)} {what}: {some(read.papers, papers)}."
            for papers, one, number, what in (
                (result.unread, "paper was", "papers were", f"ranked by nobody, so the place is a guess; {look}"),
                (result.alone, "paper is", "papers are", f"{ON_BALLOTS}, so the place is a guess"),
                (result.thin, "paper has", "papers have", "only one ranking or two"),
            )
            if len(papers)
        ]
    )


def _together(read: Round, result: Coverage) -> Markup:
    if len(result.groups) == 1 and not len(result.uncompared):
        text = "All papers are linked: any two are joined by a chain of comparisons, so all places are on one scale."
        return element("p", text)
    if len(result.groups) == 1:
        uncompared = f"{count(len(result.uncompared), 'paper was', 'papers were')} compared with no other paper"
        return element("p", f"{uncompared}. All the others are linked by comparisons.")
    rows = [
        (f"Group {index}", f"{len(group):,}", some(read.papers, group, AMONG))
        for index, group in enumerate(result.groups[:GROUPS], 1)
    ]
    more = f" The largest {GROUPS} are shown." if len(result.groups) > GROUPS else ""
    return joined(
        element("h3", "The papers fall into groups"),
        element(
            "p",
            f"The papers fall into {len(result.groups):,} groups that nobody compared with each other. Inside a group "
            "the order is meaningful; nothing is known about the order of the groups. Ask a few graders, or staff, to "
            "rank papers from several groups." + more,
        ),
        table("Groups of linked papers", ("Group", "Papers", "Examples"), rows, numbers=(1,)),
    )
