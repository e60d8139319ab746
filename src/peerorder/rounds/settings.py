"""``GradeSettings``: how a round is graded, as the provenance records it."""

from dataclasses import dataclass

from peerorder.marks import ReviewScheme

__all__ = ["GradeSettings"]


@dataclass(frozen=True)
class GradeSettings:
    """The settings of ``grade``, as the provenance records them."""

    rule: str = "posterior"
    seed: int = 0
    staff_weight: int = 3
    lenient: bool = False
    marks: str | None = None
    """A scale of ``marks.SCALES`` with its options; None where there are anchors."""
    review: str = "done=70,reliable=30"
    """The weights of the mark for ranking."""
    penalty: float = 0.0
    """Points off for students who ranked nothing."""
    absent: float | None = None
    """The mark of students without a paper."""
    unranked: str | None = None
    """The mark of papers that nobody ranked: none, a mark, or ``place`` for that of the place they got by chance."""
    smooth_anchors: bool = False
    """Whether papers that staff marked get the mark of the curve; otherwise staff's mark is kept."""
    anchors_points: float = 100.0
    """Full marks, where staff marked papers."""
    upside_down: bool = False
    """Whether graders gave rank 1 to the worst paper, so that all ballots are turned upside down."""
    ties: str = "share"
    """Papers with equal scores ``share`` a place; or ``order`` for different places at random, as before 0.4."""
    best_tenth: str = "students"
    """The graders whose best tenth sets the scale of review marks: ``students``, or ``all`` as before 0.4."""
    tied: str = "nothing"
    """Ballots that tie all of their papers say ``nothing``; or they ``count`` as others do, as before 0.4."""
    top_ups: str = "favours"
    """Papers of a top-up are ``favours``, which count only if they are ranked; or ``duties``, as before 0.4."""

    unread: str = "unknown"
    """The work of graders with no readable row is ``unknown``; or ``nothing``, as before 0.5."""

    @property
    def review_scheme(self) -> ReviewScheme:
        """The scheme of the mark for ranking."""
        return ReviewScheme.parse(self.review, self.penalty, self.absent)
