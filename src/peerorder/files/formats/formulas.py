"""Texts that a spreadsheet would take for formulas, made harmless in CSV files that people open."""

import re

__all__ = ["without_formula"]

# What spreadsheets begin a formula with, also after blanks and as wide characters; the last four may hide one.
STARTS = re.compile(r"[ \u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n\0]")
NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)*|\.\d+)([eE][-+]?\d+)?%?", re.ASCII)


def without_formula(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would take it for a formula; numbers stay numbers.

    For files that no command reads back: there an apostrophe would change ids.
    """
    return f"'{text}" if STARTS.match(text) and not NUMBER.fullmatch(text) else text
