"""Starts PostgreSQL, the app and the bare view, lets the crowd in, and counts afterwards what is there."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rush.crowd import Heard, rush
from benchmarks.serving import environment, free_port, run, serving
from benchmarks.timing import Line, Measured
from peerorder.web.operations.gunicorn_settings import gunicorn_command
from tests.web.postgresql import programs, running

__all__ = ["lines"]

STUDENTS, K, SAVES = 2000, 5, 2
# The crowd comes in this time; the last answers must be there within two minutes.
SECONDS, WITHIN = 110.0, 120.0
PROCESSES = 2


def lines(_repeat: int) -> Iterator[Line]:
    what = f"{STUDENTS:,} students, {SAVES} saves each"
    if programs() is None:
        yield Line(f"save, median, {what}", None, at_most=5, left_out="PostgreSQL is not on this machine")
        return
    with ExitStack() as stack:
        cluster = stack.enter_context(running())
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        app, bare = free_port(), free_port()
        settings = environment(HOME=str(home), DATABASE=cluster.database("rush"))
        # As people start it: it makes the database, and runs the web server and a worker.
        serve = [sys.executable, "-m", "peerorder", "serve", "--processes", str(PROCESSES), "--port", str(app)]
        stack.enter_context(serving(serve, settings, app, home / "app.log"))
        with cluster.connect("rush") as connection:
            connection.execute(
                "CREATE TABLE bare (id bigserial PRIMARY KEY, at timestamptz DEFAULT now(), content text)"
            )
        floor = gunicorn_command("127.0.0.1", bare, PROCESSES, "benchmarks.rush.bare")
        stack.enter_context(serving(floor, settings, bare, home / "bare.log"))
        made = json.loads(run(settings, "-m", "benchmarks.rush.classroom", "make", str(STUDENTS), str(K)))
        found = rush(made, app, bare, SECONDS, SAVES)
        there = json.loads(run(settings, "-m", "benchmarks.rush.classroom", "look", str(made["assignment"])))
    yield from _lines(what, found, there)


def _lines(what: str, found: dict[str, Any], there: dict[str, Any]) -> Iterator[Line]:
    heard: dict[str, Heard] = found["heard"]
    for name, each in heard.items():
        if each.problems:
            print(f"{name}: {len(each.problems)} problems, the first {each.problems[0]}", file=sys.stderr)
    for label, percent, limit in (("median", 50, 5), ("99th percentile", 99, 20)):
        for name in ("save", "hand in"):
            sides = [float(np.percentile(heard[which].seconds, percent)) for which in (name, "bare")]
            ours, other = Measured(name, (sides[0],)), Measured("a bare view that inserts one row", (sides[1],))
            yield Line(f"{name}, {label}, {what}", ours, other, at_most=limit if name == "save" else None)
    problems = sum(len(each.problems) for each in heard.values())
    yield Line(f"answers that were no success, {what}", Measured("all", (problems,), "answers"), at_most=0)
    lost = sum(there["handed_in"].get(member) != content for member, content in found["sent"].items())
    lost += max(0, STUDENTS * (SAVES + 1) - there["saves"])
    yield Line(
        f"writes that were acknowledged and are not there, {what}", Measured("all", (lost,), "writes"), at_most=0
    )
    yield Line(f"from the first save to the last answer, {what}", Measured("all", (found["took"],)), at_most=WITHIN)
