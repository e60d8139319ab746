import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from peerorder.files.formats.arrow import encode, places_in

# Short and long texts, some that differ in their last byte, beyond eight bytes or in zero bytes alone.
texts = st.one_of(
    st.text("aé€😀\0", max_size=4),
    st.sampled_from(
        ["", "\0", "\0\0", "12345678", "1234567", "12345678\0", "123456789", "123456780", "ÿÿÿÿ", "a" * 99]
    ),
)


def twin(words):
    numbers = {}
    return [numbers.setdefault(word, len(numbers)) for word in words], list(numbers)


@given(st.lists(texts), st.integers(1, 7), st.booleans())
def test_each_different_text_has_a_number_in_order_of_appearance(words, size, large):
    kind = pa.large_string() if large else pa.string()
    chunks = [pa.array(words[at : at + size], kind) for at in range(0, len(words), size)]
    codes, different = encode(pa.chunked_array(chunks, kind))
    assert (codes.tolist(), different.to_pylist()) == twin(words)
    assert codes.dtype == np.int32


@pytest.mark.parametrize("length", [3, 20])
def test_many_different_texts(rng, length):
    # Tables grow on the way, and runs of one text are common.
    words = [
        f"{number:0{length}d}" for number in np.repeat(rng.integers(0, 30_000, 50_000), rng.integers(1, 4, 50_000))
    ]
    codes, different = encode(pa.array(words))
    assert (codes.tolist(), different.to_pylist()) == twin(words)


def test_nothing_is_as_an_empty_text():
    codes, different = encode(pa.array(["a", None, "", None]))
    assert codes.tolist() == [0, 1, 1, 1]
    assert different.to_pylist() == ["a", ""]


def test_slices_of_arrays():
    words = pa.array(["x", "long enough to hash", "a", "b", "a", "long enough to hash"])
    codes, different = encode(words.slice(2, 4))
    assert codes.tolist() == [0, 1, 0, 2]
    assert different.to_pylist() == ["a", "b", "long enough to hash"]


@given(st.lists(texts, unique=True), st.lists(texts))
def test_places_among_known_texts(known, words):
    places = places_in(pa.array(known, pa.string()), pa.array(words, pa.string()))
    assert places.tolist() == [known.index(word) if word in known else -1 for word in words]
