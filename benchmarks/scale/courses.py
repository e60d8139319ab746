"""Many courses by one command: 20 to 2,000 students each, one course broken.

``python -m benchmarks.scale.courses --courses 1000`` makes the courses, grades them by ``grade --by-course`` in
a process of its own, and prints one line of JSON: seconds, the peak of the memory of all its processes, its exit code,
and what became of the courses.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import SEED
from benchmarks.peak import kilobytes
from peerorder import NOISES, SCHEMES, child, hand_out

__all__ = ["Measured", "courses", "make_courses"]

SMALLEST, LARGEST, K = 20, 2000, 8
NOISE = "condorcet:level=30"
EVERY = 0.2


@dataclass(frozen=True)
class Measured:
    """What one run took."""

    rule: str
    form: str
    """``folders``, or ``rows`` of one file."""
    courses: int
    students: int
    rankings: int
    """Rows of rankings."""
    seconds: float
    megabytes: float
    """The peak of the resident memory of all processes together; pages that they share count in each."""
    exit_code: int
    graded: int
    failed: int


def courses(number: int, rule: str = "posterior", form: str = "folders", workers: int | None = None) -> Measured:
    """Make this many courses, the middle one of them broken, and grade them."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "courses", Path(folder) / "grades"
        sizes = make_courses(source, number, form)
        command = [sys.executable, "-m", "peerorder", "grade", str(source / "all.csv" if form == "rows" else source)]
        command += ["--by-course", "--out", str(out), "--rule", rule]
        command += [] if workers is None else ["--workers", str(workers)]
        begin = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            peak = 0
            while process.poll() is None:
                peak = max(peak, sum(map(_resident, _family(process.pid))))
                time.sleep(EVERY)
        seconds = time.perf_counter() - begin
        with (out / "summary.csv").open(encoding="utf-8-sig", newline="") as stream:
            status = [row["status"] for row in csv.DictReader(stream)]
        return Measured(
            rule,
            form,
            number,
            sum(sizes),
            sum(n * _k(n) for n in sizes),
            round(seconds, 1),
            round(peak * 1024 / 1e6),
            process.returncode,
            len([*out.glob("*/grades.csv")]),
            status.count("failed"),
        )


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


def _resident(process: int) -> int:
    try:
        return kilobytes("VmRSS", process)
    except OSError:
        return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--courses", type=int, default=1000)
    parser.add_argument("--rule", default="posterior")
    parser.add_argument("--form", choices=["folders", "rows"], default="folders")
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    print(json.dumps(asdict(courses(given.courses, given.rule, given.form, given.workers))))
