"""Names and numbers as people write them, the same on the page and in the terminal."""

from peerorder.core.translation import message, translate
from peerorder.studies.figure_style import rule_styles

__all__ = ["plain_count", "rule_name", "scheme_name", "signed"]

_SCHEMES = {
    "random": message("random k-regular"),
    "planes": message("copies of the plane (girth 6)"),
    "complete": message("copies of K(k,k)"),
}


def rule_name(rule: str) -> str:
    """Name the rule as people write it."""
    return rule_styles([rule])[rule].label


def scheme_name(scheme: str) -> str:
    """Name the scheme as a table's heading does."""
    return translate(_SCHEMES[scheme]) if scheme in _SCHEMES else scheme


def plain_count(n: int) -> str:
    """Write a number of papers; a comma only where the digits are hard to count without."""
    return f"{n:,}" if n >= 10_000 else str(n)


def signed(difference: float, digits: int = 2) -> str:
    """Write a difference with its sign, a real minus, and no sign before nothing."""
    text = f"{difference:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "\N{MINUS SIGN}")
