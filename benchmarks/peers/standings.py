"""Where everybody stands on one set of ballots: recovered, time and memory, as rows of a table."""

import math
from dataclasses import dataclass
from typing import Any

from benchmarks.timing import Measured, amount

__all__ = ["COLUMNS", "Standing"]

COLUMNS = ("ballots", "who", "recovered", "time", "processor", "memory")


@dataclass(frozen=True)
class Standing:
    """One rule or library on one set of ballots.

    ``recovered`` is in percent; ``time`` is on the clock and ``processor`` of all processors together, the best
    call of each; ``above`` and ``whole`` are the peak memory, above the start of the call and of the whole
    process. ``problem`` says why there is nothing; ``stopped`` is then the time that it had had, if it ran out of it.
    """

    ballots: str
    who: str
    recovered: float = math.nan
    time: Measured | None = None
    processor: Measured | None = None
    above: Measured | None = None
    whole: Measured | None = None
    library: str = ""
    version: str = ""
    problem: str = ""
    stopped: Measured | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """One row of the table, as text."""
        if self.problem:
            return self.ballots, self.who, "", self.problem, "", ""
        costs = ("" if cost is None else amount(cost) for cost in (self.time, self.processor, self.above))
        return self.ballots, self.who, f"{self.recovered:.2f}%", *costs

    @property
    def plain(self) -> dict[str, Any]:
        """Everything, for JSON."""
        costs = {
            "time": self.time,
            "processor": self.processor,
            "above": self.above,
            "whole": self.whole,
            "stopped": self.stopped,
        }
        return {
            "ballots": self.ballots,
            "who": self.who,
            "library": self.library,
            "version": self.version,
            "recovered": None if math.isnan(self.recovered) else self.recovered,
            **{name: cost and {"unit": cost.unit, "values": cost.values} for name, cost in costs.items()},
            "problem": self.problem,
        }
