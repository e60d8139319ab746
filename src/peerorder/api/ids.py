"""Ids of any hashable kind, and the numbers that arrays know them by."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from peerorder.core.arrays import IntArray
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

__all__ = ["Ids", "in_order", "plain", "shown"]

Ids = tuple[Hashable, ...]


def plain(value: Any, where: str, what: str) -> Hashable:
    """Return what may be an id as Python knows it; raise InputError, which begins with ``where``, for what cannot."""
    if isinstance(value, np.generic):
        value = value.item()
    try:
        hash(value)
    except TypeError:
        raise InputError(
            _(
                "{where} has {value} as {what}, and a {name} cannot be an id; use text, numbers or anything "
                "hashable, and a tuple or a set for a tie"
            ).format(where=where, value=shown(value), what=what, name=type(value).__name__)
        ) from None
    if value is None or value != value:
        raise InputError(
            _("{where} has {value} as {what}; leave out what is missing").format(where=where, value=value, what=what)
        )
    name: Hashable = value
    return name


def in_order(ids: Iterable[Hashable]) -> tuple[Ids, IntArray]:
    """Return the ids sorted, and the new number of each; in the order in which they came where they do not sort.

    So the order of ballots and of rows changes no result.
    """
    given = list(ids)
    try:
        order = sorted(range(len(given)), key=given.__getitem__)  # type: ignore[arg-type]
    except TypeError:
        try:
            order = sorted(range(len(given)), key=lambda i: (type(given[i]).__qualname__, given[i]))
        except TypeError:
            order = list(range(len(given)))
    number = np.empty(len(given), np.int64)
    number[order] = np.arange(len(given))
    return tuple(given[i] for i in order), number


def shown(value: Any) -> str:
    """Return a value as errors show it, on one line and not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
