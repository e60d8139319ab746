"""Read many rows in pages, in the order of their ids, with the memory of one page."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

PAGE = 1000


def by_id(rows: "QuerySet[Any, Any]", first: int = 0) -> Iterator[Any]:
    """Yield rows from this id on; where they are tuples, the id comes first.

    A cursor on the server would do the same, but not behind every pooler of connections.
    """
    while True:
        page = list(rows.filter(pk__gte=first).order_by("pk")[:PAGE])
        yield from page
        if len(page) < PAGE:
            return
        first = (page[-1][0] if isinstance(page[-1], tuple) else page[-1].pk) + 1
