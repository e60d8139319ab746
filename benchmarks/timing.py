"""Timing calls against each other, so that what else the machine does hits all of them alike.

Every round times each call once, in the order of the round before turned around, and the best of all rounds
counts, since whatever disturbs a call only makes it slower. What is counted is processor time: it stands
still while other programs have the processor, and none of the calls uses more than one. Short calls are
repeated within a sample.
"""

import gc
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time

__all__ = ["Line", "Measured", "alternated", "amount"]

# Long enough that the clock and the call itself cost nothing beside it.
SAMPLE_SECONDS = 0.01


@dataclass(frozen=True)
class Measured:
    """One side of a comparison: what was run, and everything that was measured."""

    name: str
    values: tuple[float, ...]
    unit: str = "s"

    @property
    def value(self) -> float:
        """The best time of all, but the worst memory."""
        return min(self.values) if self.unit == "s" else max(self.values)


@dataclass(frozen=True)
class Line:
    """One line of the table: ours beside the other, and how far apart they may be.

    ``at_most`` and ``at_least`` limit ours / other or, where there is no other, ours in its own unit.
    ``left_out`` says why a line could not be measured.
    """

    what: str
    ours: Measured | None
    other: Measured | None = None
    at_most: float | None = None
    left_out: str = ""
    at_least: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times as long as the other ours takes."""
        return self.ours.value / self.other.value if self.ours and self.other else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is no target or no measurement."""
        if not self.has_target or self.ours is None or self.left_out:
            return None
        found = self.ours.value if self.ratio is None else self.ratio
        return (self.at_most is None or found <= self.at_most) and (self.at_least is None or found >= self.at_least)

    @property
    def has_target(self) -> bool:
        """Whether anything is demanded."""
        return self.at_most is not None or self.at_least is not None


def amount(side: Measured) -> str:
    """Write a measurement in the unit that suits its size."""
    if side.unit != "s":
        return f"{side.value:,.0f} {side.unit}" if side.unit == "MB" else f"{side.value:.2f} {side.unit}"
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if side.value * scale >= 1:
            return f"{_three_digits(side.value * scale)} {unit}"
    return f"{_three_digits(side.value * 1e6)} us"


def _three_digits(value: float) -> str:
    return f"{value:.3g}" if value < 999.5 else f"{value:.0f}"


def alternated(calls: Mapping[str, Callable[[], object]], repeat: int) -> list[Measured]:
    """Seconds a call, ``repeat`` samples of each, taken in turn; in the order of the calls."""
    with _no_collection():
        batches = {name: _batch(call) for name, call in calls.items()}
        seconds: dict[str, list[float]] = {name: [] for name in calls}
        names = list(calls)
        for _ in range(repeat):
            for name in names:
                seconds[name].append(_time(calls[name], batches[name]) / batches[name])
            names.reverse()
    return [Measured(name, tuple(times)) for name, times in seconds.items()]


def _batch(call: Callable[[], object]) -> int:
    """How many calls make a sample."""
    _time(call, 1)  # The first one compiles, or loads what was compiled before.
    return max(1, math.ceil(SAMPLE_SECONDS / max(_time(call, 1), 1e-9)))


def _time(call: Callable[[], object], times: int) -> float:
    begin = process_time()
    for _ in range(times):
        call()
    return process_time() - begin


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from running in the middle of a sample."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
