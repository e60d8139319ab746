"""From places to marks: scales, anchors (papers that staff marked), and the mark for ranking."""

from peerorder.core.registry import Registry
from peerorder.core.translation import message
from peerorder.marks import bands, curve, percentile
from peerorder.marks.anchors import AnchoredScale, MarkCurve
from peerorder.marks.review import Review, ReviewScheme, Work, compute_review, marks_table, work_of_handout
from peerorder.marks.scale import Marks, Scale, ends_of, shared_places
from peerorder.marks.suggestions import Suggestion, next_anchors

__all__ = [
    "SCALES",
    "AnchoredScale",
    "MarkCurve",
    "Marks",
    "Review",
    "ReviewScheme",
    "Scale",
    "Suggestion",
    "Work",
    "compute_review",
    "ends_of",
    "marks_table",
    "next_anchors",
    "shared_places",
    "work_of_handout",
]

SCALES: Registry[Scale] = Registry(
    message("scale of marks"),
    "peerorder.scales",
    [
        percentile.SCALE,
        curve.SCALE,
        bands.SCALE,
    ],
    example=message("curve:mean=70,sd=10 or bands:A=10,B=25,C=40,D=25"),
)
