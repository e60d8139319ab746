"""Coverage: how many graders ranked each paper, and whether everything can be compared with everything."""

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
    """The papers of every group that hangs together, the largest first; papers that nobody compared are in none."""
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
    """Look at who was ranked and compared."""
    compared = profile.some(profile.telling)
    labels = Bundles(compared.papers, compared.start, profile.n_papers).component_labels
    sizes = np.bincount(labels, minlength=1)
    large = np.flatnonzero(sizes > 1)
    large = large[np.argsort(-sizes[large], kind="stable")]
    order = np.argsort(labels, kind="stable")
    start = np.concatenate([[0], np.cumsum(sizes)])
    groups = tuple(order[start[label] : start[label + 1]] for label in large.tolist())
    return Coverage(profile.rankings, groups, np.flatnonzero(sizes[labels] == 1))


def section(read: Round, found: Coverage) -> Markup:
    """A histogram, the papers to worry about, and what hangs together."""
    return joined(_lead(found), _histogram(found), _few(read, found), _together(read, found))


def _lead(found: Coverage) -> Markup:
    fewest, most = int(found.rankings.min()), int(found.rankings.max())
    if fewest == most:
        return element("p", f"Every paper was ranked by {count(most, 'grader')}.")
    return element(
        "p",
        f"A paper was ranked by {fewest:,} to {most:,} graders, half of the papers by {np.median(found.rankings):g} or "
        "more. The fewer rankings a paper has, the less is known about its place.",
    )


def _histogram(found: Coverage) -> Markup:
    fewest, most = int(found.rankings.min()), int(found.rankings.max())
    width = -(-(most - fewest + 1) // BARS)
    begins = range(fewest, most + 1, width)
    heights = [int(((found.rankings >= at) & (found.rankings < at + width)).sum()) for at in begins]
    every = -(-len(begins) // 8)
    ticks = tuple(
        (at + width / 2, f"{at:,}" if width == 1 else f"{at:,}\N{EN DASH}{at + width - 1:,}") for at in begins
    )[::every]
    across = Axis(fewest, begins[-1] + width, ticks, "rankings of a paper")
    up = count_axis(max(heights), "papers")
    gap = width * 0.1
    marks = bars([(at + gap, at + width - gap, height) for at, height in zip(begins, heights, strict=True)], across, up)
    told = ", ".join(
        f"{height:,} with {at}" if width == 1 else f"{height:,} with {at} to {at + width - 1}"
        for at, height in zip(begins, heights, strict=True)
        if height
    )
    return chart(
        f"Bar chart of papers by the number of rankings: {told}.",
        across,
        up,
        marks,
        caption="How many papers have how many rankings.",
        size="low",
    )


def _few(read: Round, found: Coverage) -> Markup | None:
    look = f"look at {plural(len(found.unread), 'it', 'them')} yourself"
    return bullets(
        [
            f"{count(len(papers), one, many)} {what}: {some(read.papers, papers)}."
            for papers, one, many, what in (
                (found.unread, "paper was", "papers were", f"ranked by nobody, so the place is a guess; {look}"),
                (found.alone, "paper is", "papers are", f"{ON_BALLOTS}, so the place is a guess"),
                (found.thin, "paper has", "papers have", "only one ranking or two"),
            )
            if len(papers)
        ]
    )


def _together(read: Round, found: Coverage) -> Markup:
    linked = "linked by a chain of comparisons"
    if len(found.groups) == 1 and not len(found.uncompared):
        text = f"Everything hangs together: any two papers are {linked}, so all places are on one scale."
        return element("p", text)
    if len(found.groups) == 1:
        uncompared = f"{count(len(found.uncompared), 'paper was', 'papers were')} compared with no other paper"
        return element("p", f"{uncompared}. All the others hang together: any two are {linked}.")
    rows = [
        (f"Group {at}", f"{len(group):,}", some(read.papers, group, AMONG))
        for at, group in enumerate(found.groups[:GROUPS], 1)
    ]
    more = f" The largest {GROUPS} are shown." if len(found.groups) > GROUPS else ""
    return joined(
        element("h3", "The papers fall into groups"),
        element(
            "p",
            f"The papers fall into {len(found.groups):,} groups that nobody compared with each other. Inside a group "
            "the order means something; which group is the better one nobody said. Ask a few graders, or staff, to "
            "rank papers of several groups." + more,
        ),
        table("Groups of papers that hang together", ("Group", "Papers", "Among them"), rows, numbers=(1,)),
    )
