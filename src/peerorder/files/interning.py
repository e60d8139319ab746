"""Texts as numbers: each different text once, in the order in which they first appear.

Arrow can do this too, in five times the time it takes to read the file. Ids are short, mostly of eight letters or
fewer, and then a text is a number already; graders come in runs.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from peerorder.core.arrays import Int32Array
from peerorder.core.jit import kernel, prefetch

__all__ = ["encode", "places_in"]

# Offsets of arrow's ordinary strings are int32.
LONGEST = 2**31 - 1
# How many texts are looked up together, so that memory is fetched for one while another is compared.
BATCH = 64
HASHED = np.uint64(0xFF00000000000000)


def encode(texts: Any) -> tuple[Int32Array, Any]:
    """The number of every text of an arrow array, and the different texts as an arrow array; nothing is as empty."""
    if isinstance(texts, pa.ChunkedArray):
        if texts.nbytes > LONGEST:
            texts = texts.cast(pa.large_string())
        texts = pa.concat_arrays(texts.chunks) if texts.num_chunks else pa.array([], texts.type)
    if texts.null_count:
        texts = pc.fill_null(texts, "")
    if not len(texts):
        return np.zeros(0, np.int32), texts
    large = pa.types.is_large_string(texts.type)
    _, offsets, letters = texts.buffers()
    begin = np.frombuffer(offsets, np.int64 if large else np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(letters, np.uint8) if letters is not None and letters.size else np.zeros(0, np.uint8)
    codes, first = numbered(begin, data)
    return codes, texts if len(first) == len(texts) else texts.take(pa.array(first))


def places_in(known: Any, texts: Any) -> Int32Array:
    """Where each text is among known ones, which are all different; -1 for those that are not there."""
    places = encode(pa.concat_arrays([known, texts.cast(known.type)]))[0][len(known) :]
    places[places >= len(known)] = -1
    return places


@kernel
def numbered(begin, data):  # type: ignore[no-untyped-def]
    """The number of every text ``data[begin[i]:begin[i + 1]]``, and where each number first appears."""
    n = len(begin) - 1
    codes = np.empty(n, np.int32)
    first = np.empty(1024, np.int64)
    # An open hash table: for every slot the key of a text, then its number and one, 0 where the slot is free.
    table = np.zeros(2 * 4096, np.uint64)
    keys = np.empty(BATCH, np.uint64)
    found = 0
    for batch in range(0, n, BATCH):
        many = min(BATCH, n - batch)
        mask = np.uint64(len(table) // 2 - 1)
        for i in range(many):
            keys[i] = key_of(data, begin[batch + i], begin[batch + i + 1])
            prefetch(table, np.int64(2 * (mixed(keys[i]) & mask)))
        for i in range(many):
            at = batch + i
            if i and keys[i] == keys[i - 1] and (keys[i] < HASHED or same(data, begin, at, at - 1)):
                codes[at] = codes[at - 1]
                continue
            slot = mixed(keys[i]) & mask
            while True:
                code = np.int64(table[2 * slot + 1]) - 1
                if code < 0:
                    table[2 * slot] = keys[i]
                    table[2 * slot + 1] = found + 1
                    if found == len(first):
                        first = np.concatenate((first, np.empty(found, np.int64)))
                    first[found] = at
                    codes[at] = found
                    found += 1
                    break
                if table[2 * slot] == keys[i] and (keys[i] < HASHED or same(data, begin, at, first[code])):
                    codes[at] = code
                    break
                slot = (slot + np.uint64(1)) & mask
        # At most half full after the next batch.
        if 2 * (found + BATCH) > len(table) // 2:
            table = grown(table)
    return codes, first[:found].copy()


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
def same(data, begin, one, other):  # type: ignore[no-untyped-def]
    """Whether two texts whose hashes are the same are."""
    size = begin[one + 1] - begin[one]
    if size != begin[other + 1] - begin[other]:
        return False
    at = 0
    while at < size and data[begin[one] + at] == data[begin[other] + at]:
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
    """The same entries in a table twice as large, or more while it is small."""
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
