"""Many courses by one command: 20 to 2,000 students each, one course broken.

``python -m benchmarks.scale.courses --courses 1000`` makes the courses, grades them by ``grade --by-course`` in
a process of its own, and prints one line of JSON: seconds, the peak of the memory of all its processes, its exit code,
and what became of the courses.
"""

import argparse
import csv
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import SEED
from benchmarks.peak import NO_MEMORY
from benchmarks.scale.processes import run
from benchmarks.timing import Line, Measured
from peerorder import NOISES, SCHEMES, child, hand_out

__all__ = ["Graded", "courses", "lines", "make_courses"]

SMALLEST, LARGEST, K = 20, 2000, 8
NOISE = "condorcet:level=30"
WATCH_SECONDS = 0.5


@dataclass(frozen=True)
class Graded:
    """What one run took."""

    rule: str
    form: str
    """``folders``, or ``rows`` of one file."""
    courses: int
    students: int
    rankings: int
    """Rows of rankings."""
    seconds: float
    megabytes: float | None
    """The peak of all processes together; None where it cannot be measured."""
    exit_code: int
    graded: int
    failed: int


def courses(number: int, rule: str = "posterior", form: str = "folders", workers: int | None = None) -> Graded:
    """Make this many courses, the middle one of them broken, and grade them."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "courses", Path(folder) / "grades"
        sizes = make_courses(source, number, form)
        command = [sys.executable, "-m", "peerorder", "grade", str(source / "all.csv" if form == "rows" else source)]
        command += ["--by-course", "--out", str(out), "--rule", rule]
        command += [] if workers is None else ["--workers", str(workers)]
        # One of them is broken, which is exit code 3.
        finished = run(command, watch=WATCH_SECONDS, exit_code=3)
        with (out / "summary.csv").open(encoding="utf-8-sig", newline="") as stream:
            status = [row["status"] for row in csv.DictReader(stream)]
        return Graded(
            rule,
            form,
            number,
            sum(sizes),
            sum(n * _k(n) for n in sizes),
            round(finished.seconds, 1),
            None if finished.megabytes is None else round(finished.megabytes),
            finished.exit_code,
            len([*out.glob("*/grades.csv")]),
            status.count("failed"),
        )


def lines(numbers: Mapping[str, int]) -> Iterator[Line]:
    """Yield what it takes to grade this many courses by each rule."""
    for rule, number in numbers.items():
        done = courses(number, rule)
        what = f"grade --by-course --rule {rule}, {number:,} courses of {SMALLEST} to {LARGEST:,} students, one broken"
        yield Line(f"{what}, from start to end", Measured(f"grade, {done.students:,} students", (done.seconds,)))
        ours = None if done.megabytes is None else Measured("all processes together", (done.megabytes,), "MB")
        yield Line(f"memory in MB of {what}", ours, left_out="" if ours else NO_MEMORY)
        # The broken one alone is reported as failed, and the others are written.
        amiss = abs(number - 1 - done.graded) + abs(done.failed - 1)
        yield Line(f"courses that came out otherwise, {what}", Measured("all", (amiss,), "courses"), at_most=0)


def make_courses(folder: Path, number: int, form: str) -> list[int]:
    """Write this many courses, in folders or all into one file; return the numbers of their students."""
    sizes = np.exp(child(SEED, "courses").uniform(np.log(SMALLEST), np.log(LARGEST), number)).astype(int).tolist()
    folder.mkdir()
    together = ["course,grader,paper,rank\n"]
    for index, n in enumerate(sizes):
        rows = _rankings(n, index)
        if index == number // 2:
            # Somebody ranks their own paper.
            rows[0] = "s0,s0,1\n"
        name = f"course-{index:04}"
        if form == "rows":
            together += [f"{name},{row}" for row in rows]
        else:
            (folder / name).mkdir()
            (folder / name / "rankings.csv").write_text("".join(["grader,paper,rank\n", *rows]))
    if form == "rows":
        (folder / "all.csv").write_text("".join(together))
    return sizes


def _k(n: int) -> int:
    return min(K, n // 4)


def _rankings(n: int, course: int) -> list[str]:
    rng = child(SEED, "course", course)
    bundles = SCHEMES["random"].build(n, _k(n), rng)
    profile = NOISES.parse(NOISE).draw(bundles, rng.permutation(n), rng, bundle_of=hand_out(bundles, np.arange(n), rng))
    graders = profile.grader.tolist()
    return [
        f"s{graders[ballot]},s{paper},{rank}\n"
        for ballot in range(len(profile))
        for rank, paper in enumerate(profile[ballot].tolist(), 1)
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--courses", type=int, default=1000)
    parser.add_argument("--rule", default="posterior")
    parser.add_argument("--form", choices=["folders", "rows"], default="folders")
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    print(json.dumps(asdict(courses(given.courses, given.rule, given.form, given.workers))))
