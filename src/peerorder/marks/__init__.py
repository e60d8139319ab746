"""From places to marks: scales of all kinds, papers that staff marked, and the mark for the work of ranking."""

from peerorder.core.registry import Registry
from peerorder.marks import bands, curve, percentile
from peerorder.marks.anchors import AnchoredScale, MarkCurve
from peerorder.marks.next_anchors import Suggestion, next_anchors
from peerorder.marks.scale import Marks, Scale, ends_of, shared_places

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
    "review",
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
)
