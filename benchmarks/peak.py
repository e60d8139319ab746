"""What one call costs: time, processor time, and how far the memory of this process rises during it.

Linux keeps the peak of a process in ``VmHWM`` and forgets it when 5 is written to ``clear_refs``; elsewhere
the times are measured and the memory left out. (``ru_maxrss`` would not do: a child inherits the peak of its
parent.) Needs the standard library alone, so that it runs in any environment.
"""

import gc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import TypeVar

__all__ = ["NO_MEMORY", "Cost", "kilobytes", "measured"]

NO_MEMORY = "the peak of a process can only be reset on Linux"
CLEAR = Path("/proc/self/clear_refs")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and of all processors; megabytes above the start of the call, and of the whole process."""

    wall: float
    processor: float
    above: float | None
    whole: float | None


def measured(call: Callable[[], Result]) -> tuple[Result, Cost]:
    """Give the result of the call, and what it cost."""
    gc.collect()
    before: int | None
    try:
        CLEAR.write_text("5")
        before = kilobytes("VmRSS")
    except OSError:
        before = None
    wall, processor = perf_counter(), process_time()
    result = call()
    wall, processor = perf_counter() - wall, process_time() - processor
    if before is None:
        return result, Cost(wall, processor, None, None)
    peak = kilobytes("VmHWM")
    return result, Cost(wall, processor, _megabytes(peak - before), _megabytes(peak))


def kilobytes(field: str, process: int | str = "self", file: str = "status") -> int:
    """Give a field of the status of a process, in the kernel's kilobytes; an OSError where there is none."""
    status = Path(f"/proc/{process}/{file}")
    for line in status.read_text().splitlines():
        name, _, rest = line.partition(":")
        if name == field:
            return int(rest.split()[0])
    raise OSError(f"{status} has no {field}")


def _megabytes(kernel_kilobytes: int) -> float:
    return kernel_kilobytes * 1024 / 1e6
