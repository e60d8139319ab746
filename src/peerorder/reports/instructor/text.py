"""Small pieces of text that all parts of an instructor's report share."""

from collections.abc import Sequence

from peerorder.core.arrays import IntArray
from peerorder.core.text import count, ordinal, shortlist

__all__ = ["count", "from_to", "moved", "ordinal", "some"]

HARDLY = 0.05
NAMED = 20


def from_to(low: float, high: float) -> str:
    """An interval of places; one number where both ends are the same."""
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def moved(places: float) -> str:
    """By how many places something moved a paper, in words that need no sign."""
    if abs(places) < HARDLY:
        return "hardly" if places else "not"
    return f"{'up' if places > 0 else 'down'} {f'{abs(places):,.1f}'.removesuffix('.0')}"


def some(names: Sequence[str], numbers: IntArray, most: int = NAMED) -> str:
    """The names of the first of these numbers, and how many more there are."""
    return shortlist([names[at] for at in numbers.tolist()], most)
