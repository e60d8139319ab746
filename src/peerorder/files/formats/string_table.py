"""Texts as numbers: each different text once, in the order in which they first appear.

Arrow can do this too, in five times the time that it takes to read a file. Ids are short, mostly of eight letters or
fewer, and then a text is a number already; graders come in runs.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from peerorder.core.arrays import MOST, Int32Array
from peerorder.core.jit import COMPILES, kernel, prefetch
from peerorder.files.formats.arrow import letters_of

__all__ = ["Interner", "encode", "places_in"]

# How many texts are looked up together, so that memory is fetched for one while another is compared.
BATCH = 64
HASHED = np.uint64(0xFF00000000000000)


def encode(texts: Any) -> tuple[Int32Array, Any]:
    """The number of every text of an arrow array, and the different texts as an arrow array; nothing is as empty."""
    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    if not COMPILES:
        found = pc.dictionary_encode(
            pc.fill_null(pa.concat_arrays(chunks) if chunks else pa.array([], pa.string()), "")
        )
        return found.indices.to_numpy().astype(np.int32), found.dictionary
    codes = np.empty(len(texts), np.int32)
    known = Interner()
    at = 0
    for chunk in chunks:
        offsets, letters = letters_of(pc.fill_null(chunk, "") if chunk.null_count else chunk)
        known.number(letters, offsets[:-1], offsets[1:], codes[at : at + len(chunk)])
        at += len(chunk)
    return codes, known.words


class Interner:
    """Texts that have a number already; whoever comes next has the next one."""

    def __init__(self) -> None:
        # An open hash table: for every slot the key of a text, then its number and one, 0 where the slot is free. The
        # different texts stand one after another among the letters; text i ends before ``ends[i + 1]``.
        self._table = np.zeros(2 * 4096, np.uint64)
        self._letters = np.empty(4096, np.uint8)
        self._ends = np.zeros(1024, np.int64)
        self._found = 0

    def __len__(self) -> int:
        return self._found

    def number(
        self, letters: NDArray[np.uint8], begin: NDArray[Any], end: NDArray[Any], codes: Int32Array | None = None
    ) -> Int32Array:
        """The number of every text ``letters[begin[i]:end[i]]``."""
        if codes is None:
            codes = np.empty(len(begin), np.int32)
        self._table, self._letters, self._ends, self._found = numbered(
            letters, begin, end, codes, self._table, self._letters, self._ends, self._found
        )
        return codes

    def number_those_of(self, other: "Interner") -> Int32Array:
        """The number here of every text that has one there."""
        return self.number(other._letters, other._ends[: len(other)], other._ends[1 : len(other) + 1])

    @property
    def words(self) -> Any:
        """The different texts, as an arrow array."""
        offsets = self._ends[: len(self) + 1]
        large = offsets[-1] > MOST
        offsets = offsets.copy() if large else offsets.astype(np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self._letters[: offsets[-1]].copy())]
        return pa.Array.from_buffers(pa.large_string() if large else pa.string(), len(self), buffers)


def places_in(known: Any, texts: Any) -> Int32Array:
    """Where each text is among known ones, which are all different; -1 for those that are not there."""
    places = encode(pa.concat_arrays([known, texts.cast(known.type)]))[0][len(known) :]
    places[places >= len(known)] = -1
    return places


@kernel
def numbered(data, begin, end, codes, table, letters, ends, found):  # type: ignore[no-untyped-def]
    """Number every text ``data[begin[i]:end[i]]``; gives what is known then, to go on with."""
    n = len(begin)
    keys = np.empty(BATCH, np.uint64)
    for batch in range(0, n, BATCH):
        many = min(BATCH, n - batch)
        # At most half full, and room for the texts of a whole batch.
        while 2 * (found + BATCH) > len(table) // 2:
            table = grown(table)
        if found + BATCH >= len(ends):
            ends = np.concatenate((ends, np.empty(len(ends), np.int64)))
        size = np.int64(0)
        for i in range(batch, batch + many):
            size += end[i] - begin[i]
        while ends[found] + size > len(letters):
            letters = np.concatenate((letters, np.empty(len(letters), np.uint8)))
        mask = np.uint64(len(table) // 2 - 1)
        for i in range(many):
            keys[i] = key_of(data, begin[batch + i], end[batch + i])
            prefetch(table, np.int64(2 * (mixed(keys[i]) & mask)))
        for i in range(many):
            at = batch + i
            if i and keys[i] == keys[i - 1] and keys[i] < HASHED:
                codes[at] = codes[at - 1]
                continue
            first, size = begin[at], np.int64(end[at] - begin[at])
            slot = mixed(keys[i]) & mask
            while True:
                code = np.int64(table[2 * slot + 1]) - 1
                if code < 0:
                    code = found
                    found += 1
                    table[2 * slot], table[2 * slot + 1] = keys[i], found
                    for j in range(size):
                        letters[ends[code] + j] = data[first + j]
                    ends[found] = ends[code] + size
                    break
                if table[2 * slot] == keys[i] and (
                    keys[i] < HASHED or same(data, first, size, letters, ends[code], ends[code + 1] - ends[code])
                ):
                    break
                slot = (slot + np.uint64(1)) & mask
            codes[at] = code
    return table, letters, ends, found


@kernel
def key_of(data, begin, end):  # type: ignore[no-untyped-def]
    """A text of up to eight bytes as a number, with its first byte on top; a hash of a longer one.

    No text in UTF-8 begins with a byte of 255, as all hashes do, and those with a byte of 0 are hashed: short texts
    with one key are the same.
    """
    key = np.uint64(0)
    if end - begin <= 8:
        zero = False
        for at in range(begin, end):
            key = (key << np.uint64(8)) | np.uint64(data[at])
            zero |= data[at] == 0
        if not zero:
            return key << np.uint64(8 * (8 - (end - begin)))
    for at in range(begin, end):
        key = (key ^ np.uint64(data[at])) * np.uint64(0x100000001B3)
        key ^= key >> np.uint64(29)
    return key | HASHED


@kernel
def same(one, first, size, other, begin, many):  # type: ignore[no-untyped-def]
    """Whether two texts, each so many letters from a place on, are the same."""
    if size != many:
        return False
    at = 0
    while at < size and one[first + at] == other[begin + at]:
        at += 1
    return at == size


@kernel
def mixed(key):  # type: ignore[no-untyped-def]
    """The key with its bits well spread (the finaliser of MurmurHash3, A. Appleby)."""
    key = (key ^ (key >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    key = (key ^ (key >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return key ^ (key >> np.uint64(33))


@kernel
def grown(table):  # type: ignore[no-untyped-def]
    """The same entries in a table twice as large."""
    larger = np.zeros(2 * len(table), np.uint64)
    mask = np.uint64(len(larger) // 2 - 1)
    for at in range(0, len(table), 2):
        if table[at + 1]:
            slot = mixed(table[at]) & mask
            while larger[2 * slot + 1]:
                slot = (slot + np.uint64(1)) & mask
            larger[2 * slot] = table[at]
            larger[2 * slot + 1] = table[at + 1]
    return larger
