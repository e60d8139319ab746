"""What is promised of the rules themselves, each number beside its limits: plain records, and a table of them.

Unlike ``comparison``, which holds our numbers against the paper's, these hold them against a range.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from peerorder.reports.markup import Markup, element, joined
from peerorder.reports.table_cells import below, table, tally

__all__ = ["Case", "Promise", "promise_table"]


@dataclass(frozen=True)
class Case:
    """One number and the range that it should be in, ends included."""

    where: str
    value: float
    low: float = -math.inf
    high: float = math.inf
    unit: str = "%"

    @property
    def excess(self) -> float:
        """How far the number is out of its range; below 0 it is within."""
        return max(self.low - self.value, self.value - self.high)

    @property
    def kept(self) -> bool:
        """Whether the number is in its range."""
        return self.excess <= 0

    @property
    def shown(self) -> str:
        """The number as people write it, with a real minus."""
        return f"{self.value:.1f}{self.unit}".replace("-", "\N{MINUS SIGN}")

    @property
    def wanted(self) -> str:
        """The range in words."""
        if math.isinf(self.low):
            return f"at most {self.high:.3g}"
        if math.isinf(self.high):
            return f"at least {self.low:.3g}"
        return f"{self.low:.3g} to {self.high:.3g}"

    @property
    def sentence(self) -> str:
        """Where, what it is, and what it should be."""
        return f"{self.where}: {self.shown} (wanted: {self.wanted})"


@dataclass(frozen=True)
class Promise:
    """One promise and all the numbers that it is judged by."""

    name: str
    criterion: str
    cases: tuple[Case, ...]

    @property
    def kept(self) -> int:
        """How many numbers are in their range."""
        return sum(case.kept for case in self.cases)

    @property
    def broken(self) -> tuple[Case, ...]:
        """The numbers that are out of their range."""
        return tuple(case for case in self.cases if not case.kept)

    @property
    def worst(self) -> Case:
        """The number nearest to its limit, or furthest beyond it."""
        return max(self.cases, key=lambda case: case.excess)


def promise_table(found: Sequence[Promise], title: str) -> Markup | None:
    """What is promised, how many numbers keep it, the one nearest to its limit, and every one that is beyond."""
    if not found:
        return None
    rows = [
        (
            joined(each.name, below(each.criterion)),
            tally(each.kept, len(each.cases)),
            joined(each.worst.shown, below(each.worst.where)),
        )
        for each in found
    ]
    columns = ("What is checked", "Kept", "Nearest to its limit, or furthest beyond")
    beyond = [element("li", f"{each.name}. {case.sentence}") for each in found for case in each.broken]
    return joined(
        table(title, columns, rows, class_="summary"),
        element("ul", *beyond, class_="footnotes") if beyond else None,
    )
