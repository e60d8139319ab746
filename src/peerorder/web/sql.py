"""SQL that is written out, for the few questions that every request asks.

Django makes the SQL of a query anew at every call, which takes longer than the answer of the database. Elsewhere that
does not matter; in the minutes before a deadline, when a whole class saves, it is most of what a save costs (see the
rush in the benchmarks).
"""

from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

__all__ = ["LARGEST", "first", "locking", "rows"]

Found = TypeVar("Found", bound=Model)
# No row has a larger number, and databases refuse to look for one.
LARGEST = 2**63 - 1


def rows(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a query finds, as the database gives it: for numbers and texts."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def first(model: type[Found], sql: str, *values: Any) -> Found | None:
    """The first thing that a query for whole rows finds."""
    return next(iter(model._default_manager.raw(sql, values)), None)


def locking() -> str:
    """The end of a query for rows that are changed next. SQLite has no such thing: its transactions wait in line."""
    return " FOR UPDATE" if connection.features.has_select_for_update else ""
