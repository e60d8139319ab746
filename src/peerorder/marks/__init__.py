"""From places to marks: scales of all kinds, papers that staff marked, and the mark for the work of ranking."""

from peerorder.core.registry import Registry
from peerorder.marks import bands, curve, percentile
from peerorder.marks.anchors import AnchoredScale, MarkCurve
from peerorder.marks.review import Review, ReviewScheme, Work, handed_out, marks_table, reviewed
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
    "ends_of",
    "handed_out",
    "marks_table",
    "next_anchors",
    "reviewed",
    "shared_places",
]

SCALES: Registry[Scale] = Registry(
    "scale of marks",
    "peerorder.scales",
    [
        percentile.SCALE,
        curve.SCALE,
        bands.SCALE,
    ],
    example="curve:mean=70,sd=10 or bands:A=10,B=25,C=40,D=25",
)
