"""The groups of ``make bench-scale`` at full size, an hour together; the data of the enormous round are made once."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.peak import NO_MEMORY
from benchmarks.scale import courses, grade, reproduce, rules
from benchmarks.scale.data import data_folder
from benchmarks.timing import Line, Measured

__all__ = [
    "all_lines",
    "assign_lines",
    "courses_lines",
    "grade_lines",
    "reproduce_lines",
    "rules_lines",
]

STUDENTS = 10_000_000
ASSIGN_MEGABYTES = 3000
# The default rule takes minutes for a tenth of all courses.
COURSES = {"borda": 1000, "posterior": 200}


def all_lines(repeat: int) -> Iterator[Line]:
    """Yield everything, with one set of data."""
    with data_folder() as folder:
        yield from grade.lines(repeat, STUDENTS, folder)
        yield from assigned(STUDENTS, folder)
        yield from rules.lines(repeat, folder)
    yield from reproduce_lines(repeat)
    yield from courses_lines(repeat)


def grade_lines(repeat: int) -> Iterator[Line]:
    with data_folder() as folder:
        yield from grade.lines(repeat, STUDENTS, folder)


def assign_lines(repeat: int) -> Iterator[Line]:  # noqa: ARG001
    with TemporaryDirectory(prefix="peerorder-") as folder:
        yield from assigned(STUDENTS, Path(folder))


def assigned(n: int, folder: Path) -> Iterator[Line]:
    """Measure one hand-out, which an independent reader checks."""
    from benchmarks.scale import assign

    found = assign.measure(n, folder)
    what = f"assign, n={n:,}, k={found['k']}"
    yield Line(f"{what}, from start to end", Measured("assign", (found["seconds"],)))
    ours = None if found["megabytes"] is None else Measured("the whole process", (found["megabytes"],), "MB")
    left_out = "" if ours else NO_MEMORY
    yield Line(f"memory in MB of {what}", ours, at_most=ASSIGN_MEGABYTES, left_out=left_out)
    guarantees = {name: kept for name, kept in found.items() if isinstance(kept, bool)}
    broken = [name for name, kept in guarantees.items() if not kept]
    name = ", ".join(broken) or f"of {len(guarantees)}, by an independent reader"
    yield Line(f"broken guarantees of {what}", Measured(name, (len(broken),), "guarantees"), at_most=0)


def rules_lines(repeat: int) -> Iterator[Line]:
    with data_folder() as folder:
        yield from rules.lines(repeat, folder)


def reproduce_lines(repeat: int) -> Iterator[Line]:
    with TemporaryDirectory(prefix="peerorder-") as folder:
        yield from reproduce.lines(repeat, Path(folder))


def courses_lines(repeat: int) -> Iterator[Line]:  # noqa: ARG001
    yield from courses.lines(COURSES)
