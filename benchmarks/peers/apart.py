"""A process for each rule and library, with limits: one that takes too long or too much is ended, and said so."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from benchmarks.peak import kilobytes
from benchmarks.peers.ballots import Ballots, save

__all__ = ["Attempt", "Limits", "attempt"]

ROOT = Path(__file__).parents[2]
# How often the memory of the process is looked at.
LOOK_SECONDS = 0.1
NO_TIME, NO_MEMORY = "ran out of time", "ran out of memory"


@dataclass(frozen=True)
class Limits:
    """What a process may use: seconds on the clock, from its start, and megabytes."""

    seconds: float
    megabytes: float


@dataclass(frozen=True)
class Attempt:
    """What came of it: scores and costs, or the problem, and after how many seconds it was stopped if it was.

    ``wall`` and ``processor`` are seconds a call; ``above`` and ``whole`` the peak memory in megabytes, above
    the start of the call and of the whole process, not a number where it cannot be measured.
    """

    problem: str = ""
    stopped: float = np.nan
    scores: NDArray[np.float64] | None = None
    wall: tuple[float, ...] = ()
    processor: tuple[float, ...] = ()
    above: float = np.nan
    whole: float = np.nan
    library: str = ""
    version: str = ""


def attempt(python: str, name: str, small: Ballots, large: Ballots, limits: Limits, repeat: int) -> Attempt:
    """Let a worker merge ``large``, after ``small`` to warm up."""
    with TemporaryDirectory(prefix="peerorder-") as folder, TemporaryFile() as said:
        files = [Path(folder, f"{file}.npz") for file in ("small", "large", "out")]
        save(files[0], small)
        save(files[1], large)
        command = [python, "-m", "benchmarks.peers.worker", name, *map(str, files), str(repeat)]
        with subprocess.Popen(
            command, cwd=ROOT, env=_variables(python), stdout=subprocess.DEVNULL, stderr=said
        ) as process:
            try:
                problem = _watched(process, limits)
            finally:
                process.kill()
        if problem:
            return Attempt(problem, limits.seconds if problem.startswith(NO_TIME) else np.nan)
        if not files[2].exists():
            said.seek(0)
            return Attempt(_death(process.returncode, said.read().decode("utf-8", "replace")))
        return _read(files[2])


def _variables(python: str) -> dict[str, str]:
    """Give the variables of a process; those that lead to packages here lead astray in another environment."""
    return {name: value for name, value in os.environ.items() if python == sys.executable or name != "PYTHONPATH"}


def _watched(process: subprocess.Popen[bytes], limits: Limits) -> str:
    """Wait for the end of the process; the limit that it broke, or nothing."""
    begin = monotonic()
    while True:
        try:
            process.wait(LOOK_SECONDS)
            return ""
        except subprocess.TimeoutExpired:
            pass
        if monotonic() - begin > limits.seconds:
            return f"{NO_TIME}: stopped after {limits.seconds:g} s"
        try:
            if kilobytes("VmRSS", process.pid) * 1024 / 1e6 > limits.megabytes:
                return f"{NO_MEMORY}: stopped at {limits.megabytes:,.0f} MB"
        except OSError:
            # It has just ended, or this is not Linux.
            pass


def _death(code: int, said: str) -> str:
    if code == -9:
        return f"{NO_MEMORY}: killed by the system"
    last = (said.strip().splitlines() or ["it said nothing"])[-1]
    return f"ended with exit code {code}: {last}"


def _read(path: Path) -> Attempt:
    with np.load(path) as file:
        if "problem" in file:
            return Attempt(str(file["problem"]))
        above, whole = file["megabytes"]
        return Attempt(
            scores=file["scores"],
            wall=tuple(file["wall"].tolist()),
            processor=tuple(file["processor"].tolist()),
            above=float(above),
            whole=float(whole),
            library=str(file["library"]),
            version=str(file["version"]),
        )
