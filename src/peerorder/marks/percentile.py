"""``percentile``: the share of the class that a paper is above."""

from peerorder.core.arrays import FloatArray
from peerorder.marks.scale import Scale

__all__ = ["SCALE"]


def convert(share: FloatArray) -> FloatArray:
    """Return the share of the class below, in percent."""
    return 100 * (1 - share)


SCALE = Scale(
    name="percentile",
    summary="the share of the class below, in percent; a paper counts half for itself",
    citation="Hazen (1914)",
    convert=convert,
)
