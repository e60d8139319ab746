"""SQL that is written out, for the few questions that every request asks.

Django makes the SQL of a query anew at every call, which takes longer than the answer of the database. Elsewhere that
does not matter; in the minutes before a deadline, when a whole class saves, it is most of what a save costs (see the
rush in the benchmarks).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

__all__ = ["LARGEST", "add", "change", "first", "locking", "rows"]

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


def add(thing: Model, *, unless_there: bool = False) -> None:
    """Write something new, whose number nobody needs; or leave it, where what is unique about it is there already."""
    fields = [field for field in thing._meta.concrete_fields if not field.primary_key]
    _write(_insert(type(thing)) + (" ON CONFLICT DO NOTHING" if unless_there else ""), thing, fields)


def change(thing: Model, *names: str) -> None:
    """Write some fields of something that is there."""
    fields = [field for field in thing._meta.concrete_fields if field.name in names]
    _write(_update(type(thing), names), thing, [*fields, thing._meta.pk])


def _write(sql: str, thing: Model, fields: Sequence[Any]) -> None:
    values = [field.get_db_prep_save(getattr(thing, field.attname), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


@cache
def _insert(model: type[Model]) -> str:
    columns = [str(field.column) for field in model._meta.concrete_fields if not field.primary_key]
    return f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))})"


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> str:
    columns = [field.column for field in model._meta.concrete_fields if field.name in names]
    return f"UPDATE {model._meta.db_table} SET {', '.join(f'{column} = %s' for column in columns)} WHERE id = %s"
