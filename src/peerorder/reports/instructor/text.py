"""Pieces of text shared by all parts of an instructor's report."""

import re
from collections.abc import Sequence

from peerorder.core.arrays import IntArray
from peerorder.core.text import ordinal, shortlist
from peerorder.core.translation import gettext as _, message

__all__ = ["FLAGS", "HARDLY", "from_to", "moved", "ordinal", "some", "with_options"]

HARDLY = 0.05
# Flags of graders are values of files; a page translates them.
FLAGS = (message("random"), message("reversed"), message("tied"))
PARAMETER = re.compile(r"`(\\w+)`")
NAMED = 20


def from_to(low: float, high: float) -> str:
    """Return an interval of places; one number where both ends are the same."""
    return f"{low:,}" if low == high else _("{low:,} to {high:,}").format(low=low, high=high)


def moved(places: float) -> str:
    """Return by how many places something moved a paper, in words."""
    if abs(places) < HARDLY:
        return _("hardly") if places else _("no change")
    text = _("up {places}") if places > 0 else _("down {places}")
    return text.format(places=f"{abs(places):,.1f}".removesuffix(".0"))


def with_options(text: str, from_files: bool) -> str:
    """Return a text with options in place of parameters, or their names alone for a round that has no files."""
    return PARAMETER.sub(lambda match: f"--{match[1].replace('_', '-')}" if from_files else match[1], text)


def some(names: Sequence[str], numbers: IntArray, most: int = NAMED) -> str:
    """Return the names of the first of these numbers, and how many more there are."""
    return shortlist([names[index] for index in numbers.tolist()], most)
