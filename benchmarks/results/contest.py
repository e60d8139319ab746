"""Makes a class on SQLite, and times its result, its pages and the publication of its marks.

The job and the command are processes of their own, from the start of Python to its end, in turn; the best of each
counts. Pages are asked for inside a process, without a server around. All times are of processors, which stand still
while other programs have them.
"""

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.serving import ROOT, environment, run
from benchmarks.timing import Line, Measured

__all__ = ["lines"]

STUDENTS, K = 10_000, 8
# Each takes half a minute.
ROUNDS_AT_MOST = 3
LOOKS = 5
PUBLICATIONS = 3
CLASSROOM = ("-m", "benchmarks.results.classroom")
HEAVIEST = 150


def lines(repeat: int) -> Iterator[Line]:
    what = f"n={STUDENTS:,}, k={K}"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        settings = environment(HOME=str(home / "app"))
        run(settings, "-m", "peerorder.web", "migrate", "-v0")
        run(settings, "-m", "peerorder.web", "collectstatic", "--noinput", "-v0")
        assignment = run(settings, *CLASSROOM, "make", str(STUDENTS), str(K))
        run(settings, *CLASSROOM, "export", assignment, str(home / "export.zip"))
        with zipfile.ZipFile(home / "export.zip") as archive:
            for name in ("rankings.csv", "roster.csv", "handout.csv"):
                archive.extract(name, home)
        compute = [*CLASSROOM, "compute", assignment]
        grade = ["-m", "peerorder", "grade", str(home / "rankings.csv"), "--roster", str(home / "roster.csv")]
        grade += ["--handout", str(home / "handout.csv"), "--force", "--out", str(home / "grades.csv")]
        job, command = [], []
        for _ in range(min(repeat, ROUNDS_AT_MOST)):
            job.append(_processor(settings, compute))
            command.append(_processor(settings, grade))
        by_hand = Measured("peerorder grade of the exported files", tuple(command))
        yield Line(f"the job of a result, {what}", Measured("job", tuple(job)), by_hand, at_most=1.2)
        run(settings, *CLASSROOM, "scale", assignment)
        pages = json.loads(run(settings, *CLASSROOM, "look", assignment, str(LOOKS)))
        published = json.loads(run(settings, *CLASSROOM, "publish", assignment, str(PUBLICATIONS)))
    for name, each in pages.items():
        yield Line(f"page: {name}, {what}", Measured("page", tuple(each["later"])), at_most=1)
    for name in ("one result", "comments"):
        first = Measured("page", (pages[name]["first"],))
        yield Line(f"page: {name}, the first of a process, {what}", first, at_most=1)
    yield Line(f"publishing marks and comments, with an e-mail each, {what}", Measured("release", tuple(published)))
    heaviest = max(each["bytes"] for each in pages.values()) / 1000
    yield Line(f"the heaviest of these pages, {what}", Measured("page", (heaviest,), "kB"), at_most=HEAVIEST)


def _processor(settings: dict[str, str], arguments: list[str]) -> float:
    """Run Python with these arguments; return the seconds of processors that it took."""
    before = os.times()
    subprocess.run(
        [sys.executable, *arguments], env=settings, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=None
    )
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
