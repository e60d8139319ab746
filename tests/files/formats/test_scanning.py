import csv
import io

import numpy as np
import pytest
from hypothesis import given, strategies as st

from peerorder.files.formats import scanning
from peerorder.files.formats.scanning import scan


def twin(text, separator, width, places):
    """What the columns hold by Python's own reader, where all rows are as long as they should be."""
    rows = list(csv.reader(io.StringIO(text.rstrip("\r\n"), newline=""), delimiter=separator))
    rows = [row or [""] for row in rows] if width == 1 else rows
    if any(len(row) != width for row in rows):
        return None
    return [[row[at] for row in rows] for at in places]


def texts(found):
    return None if found is None else [[words[int(code)].as_py() for code in codes] for codes, words in found]


# Some that need quotes, and some that look like it.
cells = st.text("ab7, ;é€😀\"'=", max_size=9)
plain = st.text("abé €'=7", max_size=12)


@given(st.data(), st.integers(1, 4), st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_same_as_by_the_slow_reader(data, width, separator, newline, quote_all):
    rows = data.draw(st.lists(st.lists(cells.filter(lambda cell: '"' not in cell), min_size=width, max_size=width)))
    places = data.draw(st.permutations(range(width)))[: data.draw(st.integers(1, width))]
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    csv.writer(out, delimiter=separator, lineterminator=newline, quoting=quoting).writerows(rows)
    text = out.getvalue()
    found = scan(b"head\n" + text.encode(), 5, separator, width, places)
    assert texts(found) == twin(text, separator, width, places)
    for codes, words in found:
        # Each text once, in the order in which they appear.
        assert codes.dtype == np.int32
        assert len(set(words.to_pylist())) == len(words)
        assert list(dict.fromkeys(codes.tolist())) == list(range(len(words)))


@given(st.text('a,"\r\n', max_size=30), st.integers(1, 3))
def test_what_is_not_simple_is_left_to_the_slow_reader(text, width):
    found = scan(text.encode(), 0, ",", width, [width - 1])
    if found is not None:
        assert texts(found) == twin(text, ",", width, [width - 1])


@pytest.mark.parametrize(
    "text",
    [
        "a,b\nc\n",
        "a,b\nc,d,e\n",
        "a,b\n\nc,d\n",
        'a,"b\nc",d\n',
        'a,"b""c"\n',
        'a,"b\n',
        'a,"b"c\n',
        "a\rb,c\n",
        "a,b\r",
    ],
)
def test_rows_that_are_not_simple(text):
    found = scan(text.encode(), 0, ",", 2, [0])
    assert (found is None) is (text != "a,b\r")


def test_letters_that_are_not_in_utf8_matter_where_somebody_looks():
    content = b"a,\xff\nb,c\n"
    assert scan(content, 0, ",", 2, [1]) is None
    assert texts(scan(content, 0, ",", 2, [0])) == [["a", "b"]]


@pytest.mark.slow
@given(rows=st.lists(st.tuples(plain, plain), max_size=40))
def test_parts_give_what_the_whole_gives(rows):
    content = "".join(f"{one},{other}\n" for one, other in rows).encode()
    whole = scan(content, 0, ",", 2, [0, 1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "PART", 16)
        patch.setattr(scanning, "BLOCK", 3)
        patch.setattr(scanning.os, "cpu_count", lambda: 4)
        parts = scan(content, 0, ",", 2, [0, 1])
    for (codes, words), (other, others) in zip(whole, parts, strict=True):
        assert codes.tolist() == other.tolist()
        assert words.equals(others)
