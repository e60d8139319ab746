"""CSV from bytes to numbers in one go: each different text of a column once, and its number in every row.

Nothing is kept of a row but these numbers, so a file of millions of rows takes little more time than reading it from
the disk. Rows must all have the cells of the header, and cells in quotes must have neither quotes nor line breaks in
them: then a line is a row, and cores can share the lines.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from peerorder.core.arrays import Int32Array
from peerorder.core.jit import kernel
from peerorder.files.formats.string_table import Interner

__all__ = ["scan"]

# As much as is worth a thread, and how many threads at most.
PART = 2**22
MOST_PARTS = 8
# Rows whose cells are found together: where they are fits into a core's own cache.
BLOCK = 4096
QUOTE, NEWLINE, RETURN = (ord(sign) for sign in '"\n\r')


def scan(
    content: bytes, begin: int, separator: str, width: int, places: Sequence[int]
) -> list[tuple[Int32Array, Any]] | None:
    """The number of the text in every row, and the different texts as an arrow array, of the columns at some places.

    None where the rows are not as simple as that, or a text is not in UTF-8. They begin at byte ``begin`` and have
    ``width`` cells each.
    """
    end = len(content)
    while end > begin and content[end - 1] in b"\r\n":
        end -= 1
    data = np.frombuffer(content, np.uint8)
    which = np.full(width, -1)
    which[places] = np.arange(len(places))
    parts = _parts(content, begin, end)
    with ThreadPoolExecutor(len(parts)) as pool:
        work = [pool.submit(_scan_part, data, *part, ord(separator), which, len(places)) for part in parts]
        found = [each.result() for each in work]
    whole = [part for part in found if part is not None]
    if len(whole) < len(found):
        return None
    columns = [_together([part[at] for part in whole]) for at in range(len(places))]
    try:
        for _, words in columns:
            words.validate(full=True)
    except pa.ArrowInvalid:
        return None
    return columns


def _parts(content: bytes, begin: int, end: int) -> list[tuple[int, int]]:
    """Where the parts begin and end that threads work on; all but the last end with a line."""
    many = max(1, min(MOST_PARTS, os.cpu_count() or 1, (end - begin) // PART))
    cuts = [begin]
    for part in range(1, many):
        cut = content.find(b"\n", max(cuts[-1], begin + (end - begin) * part // many), end) + 1
        if cut:
            cuts.append(cut)
    return list(zip(cuts, [*cuts[1:], end], strict=True))


def _scan_part(
    data: NDArray[np.uint8], begin: int, end: int, separator: int, which: NDArray[np.int64], many: int
) -> list[tuple[list[Int32Array], Interner]] | None:
    """For every column that is wanted, blocks of numbers and the texts that they stand for."""
    columns: list[tuple[list[Int32Array], Interner]] = [([], Interner()) for _ in range(many)]
    first, last = np.empty((2, many, BLOCK), np.int64)
    while begin < end:
        rows, begin = cells(data, begin, end, separator, which, first, last)
        if rows < 0:
            return None
        for at, (codes, known) in enumerate(columns):
            codes.append(known.number(data, first[at, :rows], last[at, :rows]))
    return columns


def _together(parts: Sequence[tuple[list[Int32Array], Interner]]) -> tuple[Int32Array, Any]:
    """One column of its parts: numbers in the order in which texts first appear in the whole."""
    known = parts[0][1]
    codes = np.empty(sum(len(block) for blocks, _ in parts for block in blocks), np.int32)
    at = 0
    for blocks, texts in parts:
        number = known.number_those_of(texts) if texts is not known else None
        for block in blocks:
            codes[at : at + len(block)] = block if number is None else number[block]
            at += len(block)
    return codes, known.words


@kernel
def cells(data, at, end, separator, which, first, last):  # type: ignore[no-untyped-def]
    """Find the cells of the rows from byte ``at`` on, as many as fit into ``first`` and ``last``.

    Column c goes to line ``which[c]`` of these, or nowhere if that is negative. Gives the number of rows, negative
    where one is not simple, and the byte after them.
    """
    rows = 0
    while at < end and rows < first.shape[1]:
        for column in range(len(which)):
            begin = at
            if at < end and data[at] == QUOTE:
                begin = at = at + 1
                while at < end and data[at] != QUOTE and data[at] != NEWLINE and data[at] != RETURN:
                    at += 1
                if at >= end or data[at] != QUOTE:
                    return -1, at
                stop = at
                at += 1
            else:
                while at < end and data[at] != separator and data[at] != NEWLINE and data[at] != RETURN:
                    at += 1
                stop = at
            if column < len(which) - 1:
                if at >= end or data[at] != separator:
                    return -1, at
            elif at < end:
                if data[at] == RETURN:
                    at += 1
                if at >= end or data[at] != NEWLINE:
                    return -1, at
            at += 1
            if which[column] >= 0:
                first[which[column], rows] = begin
                last[which[column], rows] = stop
        rows += 1
    return rows, at
