"""Whole processes with everything that they start: seconds on the clock and of all processors, memory, and limits."""

import os
import resource
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter

from benchmarks.peak import kilobytes

__all__ = ["LIMITS", "ROOT", "Finished", "Limits", "ProcessFailed", "run", "run_in_turn"]

ROOT = Path(__file__).parents[2]
# How often a process without a watch on its memory is looked at, for its limits.
LOOK_SECONDS = 0.1


@dataclass(frozen=True)
class Limits:
    """What a process and everything that it starts may use: seconds on the clock, and megabytes of resident memory."""

    seconds: float
    megabytes: float


LIMITS = Limits(600, 12_000)


@dataclass(frozen=True)
class Finished:
    """What a process took."""

    seconds: float
    processor: float
    """Seconds of all processors, of the process and everything that it started."""
    output: str
    exit_code: int
    megabytes: float | None
    """The peak of all processes together, shared pages divided among them; None where it was not watched."""
    largest: float | None
    """The peak of the largest process, with all pages that it shares."""


class ProcessFailed(Exception):
    """A process broke a limit, or ended with another exit code than expected; the message says which."""

    def __init__(self, message: str, stopped: float | None = None) -> None:
        super().__init__(message)
        self.stopped = stopped
        """After how many seconds it was stopped, where it took too long."""


def run(
    command: Sequence[str | Path], *, watch: float | None = None, limits: Limits | None = None, exit_code: int = 0
) -> Finished:
    """Run a command to its end.

    Parameters
    ----------
    watch
        Read the memory of all processes this often, in seconds. Reading takes time itself, some 10 ms for every
        gigabyte, so what is watched closely is not timed.
    limits
        When to stop it.
    exit_code
        What it should end with; anything else raises ProcessFailed with the last line of its errors.
    """
    peaks: dict[int, int] = {}
    together = 0
    before = _processor_seconds()
    begin = perf_counter()
    # A session of its own, so that its workers can be ended with it.
    with (
        TemporaryFile() as output,
        TemporaryFile() as errors,
        subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=errors, start_new_session=True) as process,
    ):
        try:
            while True:
                try:
                    process.wait(watch or (LOOK_SECONDS if limits else None))
                    break
                except subprocess.TimeoutExpired:
                    pass
                family = _family(process.pid)
                if watch:
                    together = max(together, sum(_reading(_proportional, each) for each in family))
                    # A process that is just ending has no peak any more.
                    peaks |= {each: max(_reading(_highest, each), peaks.get(each, 0)) for each in family}
                if limits:
                    _check(limits, perf_counter() - begin, family)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        seconds = perf_counter() - begin
        texts = []
        for stream in (output, errors):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
    if process.returncode != exit_code:
        last = (texts[1].strip().splitlines() or ["it said nothing"])[-1]
        raise ProcessFailed(f"ended with exit code {process.returncode}: {last}")
    processor = _processor_seconds() - before
    memory = [None, None] if not together else [each * 1024 / 1e6 for each in (together, max(peaks.values()))]
    return Finished(seconds, processor, texts[0], process.returncode, *memory)


def run_in_turn(
    commands: Mapping[str, Sequence[str | Path]], repeat: int, limits: Limits | None = None
) -> dict[str, list[Finished]]:
    """Run every command this often, one after the other, each time in the opposite order."""
    results: dict[str, list[Finished]] = {name: [] for name in commands}
    names = list(commands)
    for _ in range(repeat):
        for name in names:
            results[name].append(run(commands[name], limits=limits))
        names.reverse()
    return results


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _check(limits: Limits, seconds: float, family: Sequence[int]) -> None:
    if seconds > limits.seconds:
        raise ProcessFailed(f"ran out of time: stopped after {limits.seconds:g} s", limits.seconds)
    if sum(_reading(_resident, each) for each in family) * 1024 / 1e6 > limits.megabytes:
        raise ProcessFailed(f"ran out of memory: stopped at {limits.megabytes:,.0f} MB")


def _family(process: int) -> list[int]:
    """Return a process and all that it started, as far as they still run."""
    try:
        children = [
            int(each)
            for task in Path(f"/proc/{process}/task").iterdir()
            for each in (task / "children").read_text().split()
        ]
    except OSError:
        children = []
    return [process, *(each for started in children for each in _family(started))]


def _reading(read: Callable[[int], int], process: int) -> int:
    """Return a figure of a process, 0 if it has just ended or this is not Linux."""
    try:
        return read(process)
    except OSError:
        return 0


def _proportional(process: int) -> int:
    return kilobytes("Pss", process, "smaps_rollup")


def _highest(process: int) -> int:
    return kilobytes("VmHWM", process)


def _resident(process: int) -> int:
    return kilobytes("VmRSS", process)
