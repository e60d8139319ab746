"""Array types, and the one place where arrays from outside are checked, made compact and frozen."""

import operator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _, ngettext

__all__ = [
    "AnyIntArray",
    "FloatArray",
    "FrozenArrays",
    "Int32Array",
    "IntArray",
    "as_array",
    "as_count",
    "as_indices",
    "as_offsets",
    "freeze",
    "group_by",
]

IntArray = NDArray[np.int64]
Int32Array = NDArray[np.int32]
AnyIntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.float64]

A = TypeVar("A", bound=NDArray[Any])

# Indices are int32, so this is as many as there can be of anything.
MOST = 2**31 - 1


def freeze(array: A) -> A:
    """Make an array read-only, and return it."""
    array.setflags(write=False)
    return array


class FrozenArrays:
    """A base class for objects with read-only arrays: these stay read-only in another process.

    NumPy forgets that an array is read-only when it is pickled. Then a kernel would be compiled once more, for arrays
    that it might write to.
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            self.__dict__[name] = value
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, np.ndarray):
                    freeze(each)


def as_array(values: ArrayLike, what: str, error: type[InputError]) -> NDArray[Any]:
    """Return the values as a NumPy array; raise ``error`` where NumPy cannot make one."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        raise error(
            _(
                "{what} must be an array of numbers; the values given are not (are the rows of different lengths?)"
            ).format(what=what)
        ) from None


def as_count(value: int, what: str, error: type[InputError]) -> int:
    """Return a count as an int; raise ``error`` where it is negative, too large for int32, or not a whole number."""
    try:
        count = operator.index(value)
    except TypeError:
        raise error(_("{what} is {value!r}; it must be a whole number").format(what=what, value=value)) from None
    if count < 0:
        raise error(_("{what} is {count}; it cannot be negative").format(what=what, count=count))
    if count > MOST:
        raise error(_("{what} is {count}; it can be at most {most}").format(what=what, count=count, most=MOST))
    return count


def _integers(values: ArrayLike, what: str, error: type[InputError]) -> NDArray[Any]:
    array = as_array(values, what, error)
    if array.ndim != 1:
        raise error(
            ngettext(
                "{what} must be a flat list of whole numbers; it has {dimensions} dimension",
                "{what} must be a flat list of whole numbers; it has {dimensions} dimensions",
                array.ndim,
            ).format(what=what, dimensions=array.ndim)
        )
    if array.size == 0:
        return np.zeros(0, np.int64)
    if array.dtype.kind not in "iu":
        raise error(_("{what} must hold whole numbers; it holds {kind}").format(what=what, kind=array.dtype))
    return array


def _is_read_only(array: NDArray[Any], dtype: type[np.generic]) -> bool:
    """Return whether the array can be kept as it is: compact, and not writeable through any view."""
    if array.dtype != dtype or not array.flags.c_contiguous:
        return False
    below: object = array
    while isinstance(below, np.ndarray):
        if below.flags.writeable:
            return False
        below = below.base
    return below is None or isinstance(below, bytes)


def as_indices(values: ArrayLike, what: str, low: int, high: int, error: type[InputError]) -> Int32Array:
    """Return the values as a read-only int32 array; raise ``error`` unless low <= value < high."""
    array = _integers(values, what, error)
    if array.size:
        smallest, largest = int(array.min()), int(array.max())
        if smallest < low or largest >= high:
            index = int(np.argmax((array < low) | (array >= high)))
            raise error(
                _("{what}[{index}] is {value}; it must be at least {low} and below {high}").format(
                    what=what, index=index, value=array[index], low=low, high=high
                )
            )
    if _is_read_only(array, np.int32):
        return array
    return freeze(np.array(array, np.int32, order="C"))


def as_offsets(values: ArrayLike, what: str, total: int, error: type[InputError]) -> IntArray:
    """Return row offsets of a compressed array: from 0 up to ``total``, never falling."""
    array = _integers(values, what, error)
    if array.size == 0 or array[0] != 0:
        raise error(_("{what} must begin with 0").format(what=what))
    if array.dtype.kind == "u":
        array = array.astype(np.int64)
    falls = np.flatnonzero(array[1:] < array[:-1])
    if falls.size:
        raise error(
            _("{what}[{index}] is smaller than the entry before it; offsets may not fall").format(
                what=what, index=falls[0] + 1
            )
        )
    if array[-1] != total:
        raise error(
            _("{what} must end with the number of entries, {total}; it ends with {last}").format(
                what=what, total=total, last=array[-1]
            )
        )
    if _is_read_only(array, np.int64):
        return array
    return freeze(np.array(array, np.int64, order="C"))


def group_by(keys: Int32Array, n_keys: int) -> tuple[IntArray, IntArray]:
    """Return the positions of every key in compressed rows: ``positions[start[key]:start[key + 1]]``, rising."""
    counts = np.bincount(keys, minlength=n_keys)
    start = np.zeros(n_keys + 1, np.int64)
    np.cumsum(counts, out=start[1:])
    return start, np.argsort(keys, kind="stable")
