"""Long lists in batches: databases limit the number of values in one query."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int = 1000) -> Iterator[list[T]]:
    """Yield the items in pieces of at most this size."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
