"""``GradeSettings``: how a round is graded, in words and numbers that go into the provenance."""

from dataclasses import dataclass

from peerorder.marks import ReviewScheme

__all__ = ["GradeSettings"]


@dataclass(frozen=True)
class GradeSettings:
    """What was chosen, in words and numbers that go into the provenance."""

    rule: str = "posterior"
    seed: int = 0
    staff_weight: int = 3
    lenient: bool = False
    marks: str | None = None
    """A scale of ``marks.SCALES`` with its options; not where there are anchors."""
    review: str = "done=70,reliable=30"
    """What counts in the mark for the work of ranking."""
    penalty: float = 0.0
    """Points off for a student who ranked nothing."""
    absent: float | None = None
    """The mark of students without a paper."""
    unranked: str | None = None
    """The mark of papers that nobody ranked: none, a mark, or ``place`` for that of the place they got by chance."""
    smooth_anchors: bool = False
    """Whether papers that staff marked get the mark of the curve; otherwise staff's mark stands."""
    anchors_points: float = 100.0
    """Full marks, where staff marked papers."""
    upside_down: bool = False
    """Whether graders took rank 1 for the worst, so that all ballots are turned round."""
    ties: str = "share"
    """Papers with equal scores ``share`` a place; or ``order`` for a place each, by lot, as before 0.4."""
    best_tenth: str = "students"
    """Who may be in the best tenth of graders, which review marks go by: ``students``, or ``all`` as before 0.4."""
    tied: str = "nothing"
    """What ballots say that tie all of their papers: ``nothing``; or they ``count`` as others do, as before 0.4."""
    top_ups: str = "favours"
    """Papers of a top-up are ``favours``, which count where they are done; or ``duties``, as before 0.4."""

    unread: str = "unknown"
    """What graders did of whom no row could be read is ``unknown``; or ``nothing``, as before 0.5."""

    @property
    def review_scheme(self) -> ReviewScheme:
        """How the work of ranking is marked."""
        return ReviewScheme.parse(self.review, self.penalty, self.absent)
