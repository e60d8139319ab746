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

Found = TypeVar("Found", bound=Model)
# No row has a larger number, and databases refuse to look for one.
LARGEST = 2**63 - 1


def fetch_all(sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a query finds, as the database gives it: for numbers and texts."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())


def fetch_one(model: type[Found], sql: str, *values: Any) -> Found | None:
    """Return the first thing that a query for whole rows finds; columns of no field become attributes."""
    things: list[Found] = fetch_joined((model,), sql, *values)
    return things[0] if things else None


def fetch_joined(models: Sequence[type[Model]], sql: str, *values: Any) -> list[Any]:
    """Return the things in the first row of a query for whole rows of several tables, in this order; none if none."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row = cursor.fetchone()
        columns = tuple(column[0] for column in cursor.description)
    things, begin = [], 0
    for model in models if row is not None else ():
        end = None if model is models[-1] else begin + len(model._meta.concrete_fields)
        things.append(_make(model, columns[begin:end], row[begin:end]))
        begin = end or 0
    return things


def _make(model: type[Found], columns: tuple[str, ...], row: Sequence[Any]) -> Found:
    """Make a thing of its columns, as ``Manager.raw`` does in more than twice the time."""
    names, indices, converted, others = _fields(model, columns)
    values = [row[index] for index in indices]
    for position, column in converted:
        for convert in (*connection.ops.get_db_converters(column), *column.field.get_db_converters(connection)):
            values[position] = convert(values[position], column, connection)
    thing = model.from_db(connection.alias, names, values)
    for index, name in others:
        setattr(thing, name, row[index])
    return thing


@cache
def _fields(model: type[Model], columns: tuple[str, ...]) -> tuple[Any, ...]:
    """Return what ``_make`` needs to know: names and places of fields, those to convert, and columns of no field."""
    fields = [field for field in model._meta.concrete_fields if field.column in columns]
    expressions = [(position, field.get_col(model._meta.db_table)) for position, field in enumerate(fields)]
    converted = [
        (position, column)
        for position, column in expressions
        if connection.ops.get_db_converters(column) or column.field.get_db_converters(connection)
    ]
    known = {field.column for field in fields}
    others = [(index, name) for index, name in enumerate(columns) if name not in known]
    indices = [columns.index(str(field.column)) for field in fields]
    return [field.attname for field in fields], indices, converted, others


def locking() -> str:
    """Return the end of a query for rows that are changed next. SQLite needs none: its transactions wait in line."""
    return " FOR UPDATE" if connection.features.has_select_for_update else ""


def insert(thing: Model, *, unless_there: bool = False) -> None:
    """Write something new and set its number; or leave it, where what is unique about it is there already."""
    fields = [field for field in thing._meta.concrete_fields if not field.primary_key]
    # SQLite knows RETURNING too, but not that of older systems.
    returns = connection.vendor == "postgresql" and not unless_there
    end = " ON CONFLICT DO NOTHING" if unless_there else " RETURNING id" if returns else ""
    with connection.cursor() as cursor:
        cursor.execute(_insert(type(thing)) + end, _values(thing, fields))
        if not unless_there:
            thing.pk = cursor.fetchone()[0] if returns else cursor.lastrowid


def update(thing: Model, *names: str) -> None:
    """Write some fields of something that is there."""
    fields = [field for field in thing._meta.concrete_fields if field.name in names]
    with connection.cursor() as cursor:
        cursor.execute(_update(type(thing), names), _values(thing, [*fields, thing._meta.pk]))


def _values(thing: Model, fields: Sequence[Any]) -> list[Any]:
    return [field.get_db_prep_save(getattr(thing, field.attname), connection) for field in fields]


@cache
def _insert(model: type[Model]) -> str:
    columns = [str(field.column) for field in model._meta.concrete_fields if not field.primary_key]
    return f"INSERT INTO {model._meta.db_table} ({', '.join(columns)}) VALUES ({', '.join(['%s'] * len(columns))})"


@cache
def _update(model: type[Model], names: tuple[str, ...]) -> str:
    columns = [field.column for field in model._meta.concrete_fields if field.name in names]
    return f"UPDATE {model._meta.db_table} SET {', '.join(f'{column} = %s' for column in columns)} WHERE id = %s"
