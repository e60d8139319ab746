"""SQL that is written out, for the few questions that every request asks.

Django makes the SQL of a query anew at every call, which takes longer than the answer of the database. Elsewhere that
does not matter; in the minutes before a deadline, when a whole class saves, it is most of what a save costs (see the
rush in the benchmarks).
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import AutoField, Model

Found = TypeVar("Found", bound=Model)
# No row has a larger number, and databases refuse to look for one.
LARGEST = 2**63 - 1


def _cursor() -> CursorWrapper:
    """Return a cursor that prepares its queries, where the database can."""
    cursor: CursorWrapper = getattr(connection, "prepared_cursor", connection.cursor)()
    return cursor


def fetch_all(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """Return what a query finds, as the database gives it: for numbers and texts."""
    with _cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def columns(model: type[Model], table: str = "") -> str:
    """Return the columns of a model, for a query that calls its table so."""
    table = table or model._meta.db_table
    return ", ".join(f"{table}.{field.column}" for field in model._meta.concrete_fields)


def fetch_one(model: type[Found], sql: str, *values: Any) -> Found | None:
    """Return the first thing that a query for the columns of a model finds."""
    things: list[Found] = fetch_joined((model,), sql, *values)
    return things[0] if things else None


def fetch_joined(models: Sequence[type[Model]], sql: str, *values: Any) -> list[Any]:
    """Return the things in the first row of a query for the columns of several models, and whatever follows them."""
    with _cursor() as cursor:
        cursor.execute(sql, values)
        row = cursor.fetchone()
    if row is None:
        return []
    things, begin = [], 0
    for model in models:
        names, converters = _fields(model)
        cells = list(row[begin : begin + len(names)])
        for index, convert, column in converters:
            cells[index] = convert(cells[index], column, connection)
        # As Django's own queries do, in less than half the time of ``Manager.raw``.
        things.append(model.from_db(connection.alias, names, cells))
        begin += len(names)
    return [*things, *row[begin:]]


@cache
def _fields(model: type[Model]) -> tuple[list[str], list[tuple[int, Any, Any]]]:
    """Return the names of the fields of a model, and what their values are converted by."""
    fields = [
        (index, field, field.get_col(model._meta.db_table)) for index, field in enumerate(model._meta.concrete_fields)
    ]
    converters = [
        (index, convert, column)
        for index, field, column in fields
        for convert in (*connection.ops.get_db_converters(column), *field.get_db_converters(connection))
    ]
    return [field.attname for _index, field, _column in fields], converters


def locking() -> str:
    """Return the end of a query for rows that are changed next. SQLite needs none: its transactions wait in line."""
    return " FOR UPDATE" if connection.features.has_select_for_update else ""


def insert(thing: Model, *, unless_there: bool = False) -> None:
    """Write something new and set its number; or leave it, where what is unique about it is there already."""
    fields = _written(type(thing))
    # Older versions of SQLite lack RETURNING.
    returns = connection.vendor == "postgresql" and not unless_there
    end = " ON CONFLICT DO NOTHING" if unless_there else " RETURNING id" if returns else ""
    with _cursor() as cursor:
        cursor.execute(_insert(type(thing)) + end, _values(thing, fields))
        if not unless_there:
            thing.pk = cursor.fetchone()[0] if returns else cursor.lastrowid


def insert_all(things: Sequence[Model]) -> None:
    """Write new things of one model at once, but for those that are there already."""
    fields, row = _written(type(things[0])), _insert(type(things[0])).rpartition("VALUES ")[2]
    sql = _insert(type(things[0])) + f", {row}" * (len(things) - 1) + " ON CONFLICT DO NOTHING"
    with _cursor() as cursor:
        cursor.execute(sql, [value for thing in things for value in _values(thing, fields)])


def update(thing: Model, *names: str) -> None:
    """Write some fields of something that is there."""
    fields = [field for field in thing._meta.concrete_fields if field.name in names]
    with _cursor() as cursor:
        cursor.execute(_update(type(thing), names), _values(thing, [*fields, thing._meta.pk]))


def _values(thing: Model, fields: Sequence[Any]) -> list[Any]:
    return [field.get_db_prep_save(getattr(thing, field.attname), connection) for field in fields]


@cache
def _written(model: type[Model]) -> list[Any]:
    """Return the fields of a new row: all but a number that the database gives."""
    return [field for field in model._meta.concrete_fields if not isinstance(field, AutoField)]


@cache
def _insert(model: type[Model]) -> str:
    columns = [str(field.column) for field in _written(model)]
    return f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))})"


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> str:
    columns = [field.column for field in model._meta.concrete_fields if field.name in names]
    return f"UPDATE {model._meta.db_table} SET {', '.join(f'{column} = %s' for column in columns)} WHERE id = %s"
