"""Long lists in pieces: databases take only so many values in one query."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def batches(items: Sequence[T], size: int = 1000) -> Iterator[Sequence[T]]:
    """Yield the items in pieces of at most this size."""
    for begin in range(0, len(items), size):
        yield items[begin : begin + size]
