"""The first command of an installation, and what a command takes beside what it does: whole processes, on the clock.

Everything runs in a virtual environment of its own, made anew, in which nothing is compiled. The class of 300 is graded
there first, and once. What is warm is timed in turn with a process that only imports the same libraries, and the best
of each counts.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks import files
from benchmarks.timing import Line, Measured

__all__ = ["lines"]

ROOT = Path(__file__).parents[1]
K = 8
FIRST, WARM = 300, 1000
IMPORTS = "import numpy, scipy, numba, pyarrow"
# Rule, and how many times as long as the imports it may take.
RULES = {"borda": 2, "posterior": 4}
ROUNDS_AT_MOST = 7


def lines(repeat: int) -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as folder:
        python = fresh_environment(Path(folder) / "environment")
        yield from started(python, Path(folder), min(repeat, ROUNDS_AT_MOST))
        # Of a million papers, the time alone.
        yield next(files.lines(repeat, python))


def fresh_environment(place: Path) -> str:
    """Install peerorder as anybody would, and return the interpreter."""
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(ROOT)], check=True
    )
    return str(python)


def started(python: str, folder: Path, repeat: int) -> Iterator[Line]:
    """Time the first grade with an interpreter, and then warm ones beside imports."""
    commands = {}
    for n in (FIRST, WARM):
        rankings = folder / f"rankings-{n}.csv"
        files.write_round(rankings, folder / f"roster-{n}.csv", n, K)
        commands[n] = [python, "-m", "peerorder", "grade", str(rankings), "--force", "--out", str(folder / f"{n}.csv")]
    first = Measured("grade", (_seconds(commands[FIRST], folder),))
    yield Line(f"first grade of an installation, n={FIRST}, k={K}, from start to end", first, at_most=15)
    calls = {IMPORTS: [python, "-c", IMPORTS]}
    calls |= {f"grade --rule {rule}": [*commands[WARM], "--rule", rule] for rule in RULES}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for command in calls.values():
        _seconds(command, folder)
    for _ in range(repeat):
        for name, command in calls.items():
            seconds[name].append(_seconds(command, folder))
    found = {name: Measured(name, tuple(times)) for name, times in seconds.items()}
    for rule, at_most in RULES.items():
        name = f"grade --rule {rule}"
        yield Line(f"{name}, n={WARM:,}, k={K}, from start to end", found[name], found[IMPORTS], at_most=at_most)


def _seconds(command: list[str], folder: Path) -> float:
    begin = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    return perf_counter() - begin
