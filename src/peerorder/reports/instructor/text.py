"""Small pieces of text that all parts of an instructor's report share."""

from collections.abc import Sequence

from peerorder.core.arrays import IntArray

__all__ = ["count", "from_to", "moved", "ordinal", "some"]

HARDLY = 0.05
NAMED = 20


def count(number: int, one: str, many: str | None = None) -> str:
    """So many of them: 1 paper, 2 papers."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd."""
    last = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{last}"


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
    more = f" and {len(numbers) - most:,} more" if len(numbers) > most else ""
    return ", ".join(names[at] for at in numbers[:most].tolist()) + more
