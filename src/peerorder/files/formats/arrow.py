"""Arrow arrays of numbers, and a look at texts, without arrow's own ways in.

These load pandas wherever it happens to be installed, which takes longer than reading a small file.
"""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["empty_at", "letters_of", "numbers"]

NO_LETTERS = np.zeros(0, np.uint8)


def numbers(values: NDArray[Any]) -> Any:
    """Numbers as an arrow array; what is not a number is missing."""
    values = np.ascontiguousarray(values)
    there = None
    if values.dtype.kind == "f" and (missing := np.isnan(values)).any():
        there = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [there, pa.py_buffer(values)])


def letters_of(texts: Any) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Where each text begins, and the end of the last, among all their letters; there must be a text in every row."""
    _, offsets, letters = texts.buffers()
    if offsets is None or not len(texts):
        return np.zeros(1, np.int32), NO_LETTERS
    begin = np.frombuffer(offsets, np.int64 if pa.types.is_large_string(texts.type) else np.int32)
    return begin[texts.offset : texts.offset + len(texts) + 1], (
        np.frombuffer(letters, np.uint8) if letters is not None and letters.size else NO_LETTERS
    )


def empty_at(texts: Any) -> int:
    """Where the first text is that has no letters; -1 where there is none."""
    begin, _ = letters_of(texts)
    found = np.flatnonzero(begin[1:] == begin[:-1])
    return int(found[0]) if len(found) else -1
