"""Pieces of sentences in the reader's language: lists, ranges and ordinals; numbers with their nouns for ``repr``.

``plural`` and ``count`` know English alone. A text that people read takes its forms from ``ngettext``.
"""

from collections.abc import Sequence

from peerorder.core.translation import gettext as _, ngettext, pgettext

__all__ = ["count", "join_with_and", "join_with_or", "number_range", "ordinal", "plural", "shortlist"]


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return the English noun for a number of things: paper for 1, papers for 2."""
    return one if number == 1 else many or one + "s"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its English noun: 1 paper, 2 papers."""
    return f"{number:,} {plural(number, one, many)}"


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd and so on."""
    last_two, last = number % 100, number % 10
    if last == 1 and last_two != 11:
        text = pgettext("ordinal", "{number:,}st")
    elif last == 2 and last_two != 12:
        text = pgettext("ordinal", "{number:,}nd")
    elif last == 3 and last_two != 13:
        text = pgettext("ordinal", "{number:,}rd")
    else:
        text = pgettext("ordinal", "{number:,}th")
    return text.format(number=number)


def number_range(low: int, high: int) -> str:
    """Return a range of numbers, as one number where it has no more: 3, or 3 to 5."""
    return f"{low}" if low == high else _("{low} to {high}").format(low=low, high=high)


def join_with_and(names: Sequence[object]) -> str:
    """Join names as in a sentence: a, b and c."""
    *others, last = map(str, names)
    return _("{names} and {last}").format(names=", ".join(others), last=last) if others else last


def join_with_or(names: Sequence[object]) -> str:
    """Join names as in a question: a, b or c; nothing where there are none."""
    *others, last = map(str, names or [""])
    return _("{names} or {last}").format(names=", ".join(others), last=last) if others else last


def shortlist(names: Sequence[str], most: int = 5, between: str = ", ") -> str:
    """Return the first names, and how many more there are: a, b and 7 more."""
    shown = between.join(names[:most])
    if len(names) <= most:
        return shown
    return ngettext(
        "{names} and {count:,} more",
        "{names} and {count:,} more",
        len(names) - most,
    ).format(names=shown, count=len(names) - most)
