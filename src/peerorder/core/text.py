"""Pieces of sentences: numbers with their nouns, ordinals, and lists that end with how many more there are."""

from collections.abc import Sequence

__all__ = ["count", "join_with_and", "ordinal", "plural", "shortlist"]


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return the noun for a number of things: paper for 1, papers for 2."""
    return one if number == 1 else many or one + "s"


def count(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: 1 paper, 2 papers."""
    return f"{number:,} {plural(number, one, many)}"


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd and so on."""
    last = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{last}"


def join_with_and(names: Sequence[object]) -> str:
    """Join names as in a sentence: a, b and c."""
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last


def shortlist(names: Sequence[str], most: int = 5, between: str = ", ") -> str:
    """Return the first names, and how many more there are: a, b and 7 more."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return between.join(names[:most]) + more
