"""Places in words: 1st, first, best, second place."""

import re

__all__ = ["ordinal"]

WORDS = {
    word: place
    for place, word in enumerate(
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 1
    )
} | {"best": 1, "top": 1}
ORDINAL = re.compile(r"(?:0*(\d{1,6})(?:st|nd|rd|th)|([a-z]+))(?:[ _-](?:place|rank|best|choice|paper))?", re.ASCII)


def ordinal(text: str) -> int | None:
    """Return the place that a text in lower case names; None where it names none."""
    match = ORDINAL.fullmatch(text)
    if match is None:
        return None
    return int(match[1]) if match[1] else WORDS.get(match[2])
