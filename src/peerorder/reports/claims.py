"""What is promised, and how many numbers keep it: plain records, before any layout.

A number is held against a range, a ``Case`` here, or against another number, a ``Comparison``.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from peerorder.core.translation import gettext as _

if TYPE_CHECKING:
    from peerorder.reports.comparison import Comparison

__all__ = ["Case", "Check"]

C = TypeVar("C", bound="Case | Comparison")


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
    def shown(self) -> str:
        """The number as people write it, with a real minus."""
        return f"{self.value:.1f}{self.unit}".replace("-", "\N{MINUS SIGN}")

    @property
    def wanted(self) -> str:
        """The range in words."""
        if math.isinf(self.low):
            return _("at most {limit:.3g}").format(limit=self.high)
        if math.isinf(self.high):
            return _("at least {limit:.3g}").format(limit=self.low)
        return _("{low:.3g} to {high:.3g}").format(low=self.low, high=self.high)

    @property
    def sentence(self) -> str:
        """Where, what it is, and what it should be."""
        return _("{where}: {value} (wanted: {range})").format(where=self.where, value=self.shown, range=self.wanted)


@dataclass(frozen=True)
class Check(Generic[C]):
    """One promise and all the numbers that it is judged by."""

    name: str
    criterion: str
    cases: tuple[C, ...]

    @property
    def compared(self) -> int:
        """How many numbers have something to be compared with."""
        return sum(case.excess is not None for case in self.cases)

    @property
    def within(self) -> int:
        """The number within their limits."""
        return self.compared - len(self.beyond)

    @property
    def beyond(self) -> tuple[C, ...]:
        """The numbers that are beyond their limits."""
        return tuple(case for case in self.cases if (case.excess or 0.0) > 0)

    @property
    def worst(self) -> C:
        """The number nearest to its limit, or furthest beyond it."""
        return max((case for case in self.cases if case.excess is not None), key=lambda case: case.excess or 0.0)
