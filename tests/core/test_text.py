import pytest

from peerorder.core.text import count, join_with_and, ordinal, plural, shortlist


def test_numbers_with_their_nouns():
    assert [count(number, "paper") for number in (0, 1, 2, 1000)] == ["0 papers", "1 paper", "2 papers", "1,000 papers"]
    assert [plural(number, "person", "people") for number in (1, 2)] == ["person", "people"]


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (113, "113th"), (1021, "1,021st")],
)
def test_ordinals(number, text):
    assert ordinal(number) == text


def test_lists():
    assert [join_with_and(names) for names in ("a", "ab", "abc")] == ["a", "a and b", "a, b and c"]
    assert shortlist(list("abcde")) == "a, b, c, d, e"
    assert shortlist(list("abcdef")) == "a, b, c, d, e and 1 more"
    assert shortlist(["a"] * 2000, 2, "; ") == "a; a and 1,998 more"
