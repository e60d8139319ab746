"""Work that can be watched from outside, by files."""

import os
import time
from datetime import timedelta
from pathlib import Path

from peerorder.web.audit.services import record
from peerorder.web.errors import Refused
from peerorder.web.jobs import services, worker
from peerorder.web.jobs.registry import background
from peerorder.web.ranking import handouts

# What would take too long to wait for, or be over too soon to be caught in the middle.
services.SILENCE = timedelta(seconds=float(os.environ.get("TESTS_SILENCE", services.SILENCE.total_seconds())))
worker.TICK = float(os.environ.get("TESTS_TICK", worker.TICK))
handouts.BATCH = int(os.environ.get("TESTS_BATCH", handouts.BATCH))


def mark(job, what):
    """A line in the file of the job, at once."""
    with Path(job.about["file"]).open("a") as stream:
        stream.write(f"{what}\n")


@background("quick", title="Quick work")
@background("express", title="Quick work in a queue of its own", queue="express")
def quick(job, progress):
    mark(job, "done")
    return "It is done."


@background("slow", title="Slow work")
@background("freight", title="Slow work in a queue of its own", queue="freight")
def slow(job, progress):
    """Waits until it may go on, then does what must not be done twice, with a record in the same transaction."""
    mark(job, f"begun {os.getpid()}")
    while not Path(job.about["gate"]).exists():
        time.sleep(0.05)
    progress(1, 1)
    record("slow work", None, job=str(job.pk))
    mark(job, "done")
    return "It is done."


@background("refuses", title="Refused work")
def refuses(job, progress):
    raise Refused("There are too few papers; wait for more.")


@background("fails", title="Failing work")
def fails(job, progress):
    mark(job, "tried")
    raise ZeroDivisionError("a bug")


@background("kills", title="Deadly work")
def kills(job, progress):
    mark(job, "tried")
    os._exit(9)
