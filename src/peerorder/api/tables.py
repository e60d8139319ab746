"""Ballots from tables: pandas, polars, pyarrow, DuckDB and whatever else speaks the Arrow PyCapsule protocol.

Nothing here loops over rows: ids become numbers in Arrow's dictionaries, and the rest is done by NumPy.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from peerorder.api.ballots import ONE_JUDGE, Ballots, Weights, iterated, labelled, weights_of
from peerorder.api.ids import Ids, in_order, plain, shown
from peerorder.core.errors import InputError, ProfileError
from peerorder.core.text import join_with_and
from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerorder.core.arrays import FloatArray, IntArray

__all__ = ["from_table", "pairs_from_table"]

# The best rank of a ballot that is beyond this, and beyond twice the number of its items, may be points.
LEAST_POINTS = 10


def from_table(
    given: Any,
    weights: Weights,
    items: Iterable[Hashable] | None,
    authored: Mapping[Hashable, Hashable] | None,
) -> Ballots:
    """Take a long table, one row for each item that a grader ranked; or pairs, where it has winners and losers."""
    table = _as_table(given)
    if {"winner", "loser"} <= {*table.column_names}:
        return pairs_from_table(table, weights, items, authored)
    item_column = "item" if "item" in table.column_names else "paper"
    rank_column = "rank" if "rank" in table.column_names else "score"
    missing = [name for name in ("grader", item_column, rank_column) if name not in table.column_names]
    if missing:
        absent = join_with_and([{"paper": "item", "score": "rank"}.get(name, name) for name in missing])
        text = _(
            "the table has no column {missing}, but {columns}; rename its columns: rank needs columns grader, item "
            "(or paper) and rank (or score), or winner and loser"
        )
        raise InputError(text.format(missing=absent, columns=_columns(table)))
    rank = _numbers(table, rank_column, item_column)
    if rank_column == "score":
        rank = -rank
    judged = ~np.isnan(rank)
    (item,), item_ids = _encoded([table[item_column]], item_column, items)
    (grader,), graders = _encoded([table["grader"]], "grader")
    item, grader, rank, rows = item[judged], grader[judged], rank[judged], np.flatnonzero(judged)
    ballot = grader
    if "ballot" in table.column_names:
        (part,), parts = _encoded([table["ballot"]], "ballot")
        ballot = grader * max(len(parts), 1) + part[judged]
    _values, first, of = np.unique(ballot, return_index=True, return_inverse=True)
    of = of.reshape(-1)
    order = np.lexsort((rank, of))
    sizes = np.bincount(of, minlength=len(first))
    start = np.concatenate([[0], np.cumsum(sizes)])
    ranked = rank[order]
    if rank_column == "rank":
        _refuse_points(ranked, start, graders, grader[first])
    step = np.diff(ranked, prepend=ranked[:1]) != 0
    step[start[:-1]] = False
    level = np.cumsum(step)
    arrays = {
        "papers": item[order],
        "start": start,
        "levels": level - np.repeat(level[start[:-1]], sizes),
        "grader": grader[first],
        "weights": _weights(table, weights, rows, first, of, graders, grader[first]),
    }
    try:
        return labelled(arrays, item_ids, graders, authored)
    except ProfileError:
        _refuse_repeats(of, item, rows, item_ids, graders, grader)
        raise


def pairs_from_table(
    given: Any,
    weights: Weights = None,
    items: Iterable[Hashable] | None = None,
    authored: Mapping[Hashable, Hashable] | None = None,
) -> Ballots:
    """Take a table with columns winner and loser, one row for each comparison."""
    table = _as_table(given)
    missing = [name for name in ("winner", "loser") if name not in table.column_names]
    if missing:
        raise InputError(
            _("the table has no column {missing}, but {columns}; rename its columns").format(
                missing=join_with_and(missing), columns=_columns(table)
            )
        )
    (winner, loser), item_ids = _encoded([table["winner"], table["loser"]], _("winner or loser"), items)
    itself = np.flatnonzero(winner == loser)
    if len(itself):
        raise InputError(
            _("row {row} compares {item} with itself; delete it").format(
                row=itself[0], item=shown(item_ids[winner[itself[0]]])
            )
        )
    judges: Ids = (ONE_JUDGE,)
    judge = np.zeros(len(winner), np.int64)
    if column := next((name for name in ("judge", "grader") if name in table.column_names), None):
        (judge,), judges = _encoded([table[column]], column)
    level = np.ones(len(winner), np.int64)
    if "tie" in table.column_names:
        tie = _column(table, "tie")
        if not (pa.types.is_boolean(tie.type) or pa.types.is_integer(tie.type)):
            raise InputError(
                _("the column tie holds {type}; it must hold true and false, or 1 and 0").format(type=tie.type)
            )
        level = 1 - pc.fill_null(pc.cast(tie, pa.int64()), 0).to_numpy(zero_copy_only=False)
    order = np.argsort(judge, kind="stable")
    rows = np.arange(len(winner))
    arrays = {
        "papers": np.stack([winner[order], loser[order]], axis=1).reshape(-1),
        "start": 2 * np.arange(len(winner) + 1),
        "levels": np.stack([np.zeros_like(level), level[order]], axis=1).reshape(-1),
        "grader": judge[order],
        "weights": _weights(table, weights, rows, order, rows[np.argsort(order)], judges, judge[order]),
    }
    return labelled(arrays, item_ids, judges, authored)


def _as_table(given: Any) -> pa.Table:
    try:
        return given if isinstance(given, pa.Table) else pa.table(given)
    except (ValueError, TypeError, NotImplementedError) as error:
        cause = str(error).splitlines()[0]
        raise InputError(
            _("the table cannot be read: {cause}; let every column hold values of one kind").format(cause=cause)
        ) from None


def _column(table: pa.Table, name: str) -> pa.Array:
    result = [column for column, its_name in zip(table.columns, table.column_names, strict=True) if its_name == name]
    if len(result) > 1:
        raise InputError(_("the table has {count} columns {name}; keep one").format(count=len(result), name=name))
    return _whole(result[0])


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece and without a dictionary."""
    if pa.types.is_dictionary(column.type):
        # Polars has views in its dictionaries, which Arrow does not decode yet.
        text = pa.large_string() if pa.types.is_string_view(column.type.value_type) else column.type.value_type
        chunks = [(chunk.indices, chunk.dictionary.cast(text)) for chunk in column.chunks]
        decoded = [pa.DictionaryArray.from_arrays(*chunk).dictionary_decode() for chunk in chunks]
        column = pa.chunked_array(decoded, text)
    if pa.types.is_string_view(column.type):
        column = pc.cast(column, pa.large_string())
    combined = column.combine_chunks()
    return pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined


def _encoded(
    columns: list[pa.ChunkedArray], name: str, items: Iterable[Hashable] | None = None
) -> tuple[list[IntArray], Ids]:
    """Return the numbers of the ids in these columns, and the ids themselves, sorted."""
    try:
        whole = pa.concat_arrays([_whole(column) for column in columns])
        encoded = pc.dictionary_encode(whole)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        kinds = join_with_and([column.type for column in columns])
        raise InputError(
            _("the column {name} holds {kinds}, which cannot be ids; use text or numbers").format(
                name=name, kinds=kinds
            )
        ) from None
    absent = np.asarray(pc.is_null(whole, nan_is_null=True))
    if absent.any():
        row = int(np.argmax(absent)) % max(len(columns[0]), 1)
        raise InputError(_("row {row} has no {name}; fill it in, or delete the row").format(row=row, name=name))
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    known = dict.fromkeys(encoded.dictionary.to_pylist())
    if items is not None:
        wanted = dict.fromkeys(plain(item, "items", _("an item")) for item in iterated(items, "items"))
        extra = next((item for item in known if item not in wanted), None)
        if extra is not None:
            raise InputError(
                _("the table has {extra}, which is not among items; add it there, or correct it").format(
                    extra=shown(extra)
                )
            )
        known.update(wanted)
    ids, number = in_order(known)
    return np.split(number[codes], len(columns)), ids


def _columns(table: pa.Table) -> str:
    """Return the names of the columns, for a message."""
    return ", ".join(table.column_names) or _("no columns")


def _numbers(table: pa.Table, name: str, item_column: str) -> FloatArray:
    """Return a column of numbers, NaN where it is empty."""
    column = _column(table, name)
    try:
        if pa.types.is_boolean(column.type) or pa.types.is_temporal(column.type):
            raise pa.ArrowInvalid
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            column = pc.if_else(pc.equal(pc.utf8_trim_whitespace(column), ""), None, column)
        values = np.array(pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        _refuse_words(table, column, name, item_column)
    endless = np.flatnonzero(np.isinf(values))
    if len(endless):
        _refuse_number(table, int(endless[0]), name, str(values[endless[0]]), item_column)
    return values


def _refuse_words(table: pa.Table, column: pa.Array, name: str, item_column: str) -> NoReturn:
    for row, value in enumerate(column.to_pylist()):
        try:
            if value is not None and (isinstance(value, bool) or not isinstance(value, str | int | float)):
                raise ValueError
            float(value or 0)
        except ValueError:
            _refuse_number(table, row, name, shown(value), item_column)
    raise InputError(_("the column {name} holds {type}; it must hold numbers").format(name=name, type=column.type))


def _refuse_number(table: pa.Table, row: int, name: str, value: str, item_column: str) -> NoReturn:
    whose = ", ".join(f"{column} {shown(table[column][row].as_py())}" for column in ("grader", item_column))
    cure = (
        _("use 1 for the best, 2 for the next and so on") if name == "rank" else _("use numbers, where more is better")
    )
    raise InputError(
        _("row {row} ({whose}) has the {name} {value}, which is not a number; {cure}, or leave it empty").format(
            row=row, whose=whose, name=name, value=value, cure=cure
        )
    )


def _refuse_points(ranked: FloatArray, start: IntArray, graders: Ids, whose: IntArray) -> None:
    sizes = np.diff(start)
    several = sizes > 1
    beyond = several & (ranked[start[:-1]] > np.maximum(LEAST_POINTS, 2 * sizes))
    if 2 * beyond.sum() > several.sum():
        ballot = int(np.argmax(beyond))
        low, high = ranked[start[ballot]], ranked[start[ballot + 1] - 1]
        raise InputError(
            _(
                "ranks look like points: on the ballot of {grader}, with {count} items, they go from {low:g} to "
                "{high:g}; if more is better, call the column score, otherwise use 1 for the best"
            ).format(grader=shown(graders[whose[ballot]]), count=sizes[ballot], low=low, high=high)
        )


def _weights(
    table: pa.Table,
    weights: Weights,
    rows: NDArray[np.intp],
    first: NDArray[np.intp],
    of: NDArray[np.intp],
    graders: Ids,
    grader: IntArray,
) -> FloatArray | None:
    """Return the weight of each ballot: by grader, or from the column weight."""
    if weights is not None:
        if "weight" in table.column_names:
            raise InputError(_("the table has a column weight, and weights are given too; keep one of the two"))
        return weights_of(weights, [("", graders[g]) for g in grader], by_grader=True)
    if "weight" not in table.column_names:
        return None
    column = _column(table, "weight")
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise InputError(_("the column weight holds {type}; it must hold numbers from 0 up").format(type=column.type))
    values = pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False)[rows]
    wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(wrong):
        row, value = rows[wrong[0]], values[wrong[0]]
        whose = shown(graders[grader[of[wrong[0]]]])
        raise InputError(
            _("row {row}: the weight of the ballot of {whose} is {value:g}; give a number from 0 up").format(
                row=row, whose=whose, value=value
            )
        )
    result: FloatArray = values[first]
    differs = np.flatnonzero(result[of] != values)
    if len(differs):
        whose = shown(graders[grader[of[differs[0]]]])
        raise InputError(
            _("row {row}: the ballot of {whose} has two weights; give its rows the same").format(
                row=rows[differs[0]], whose=whose
            )
        )
    return result


def _refuse_repeats(
    of: NDArray[np.intp], item: IntArray, rows: NDArray[np.intp], items: Ids, graders: Ids, grader: IntArray
) -> None:
    key = of.astype(np.int64) * len(items) + item
    order = np.argsort(key, kind="stable")
    repeats = np.flatnonzero(np.diff(key[order]) == 0)
    if len(repeats):
        one, other = order[repeats[0]], order[repeats[0] + 1]
        raise InputError(
            _(
                "the ballot of {grader} has {item} twice, in rows {row} and {other}; delete one, or, if "
                "these are two ballots, add a column ballot"
            ).format(grader=shown(graders[grader[one]]), item=shown(items[item[one]]), row=rows[one], other=rows[other])
        ) from None
