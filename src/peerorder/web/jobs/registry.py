"""The kinds of background jobs, by name, and the queues they wait in."""

from collections.abc import Callable
from typing import Any

from django.db.models import Q
from django.utils.functional import Promise

from peerorder.web.jobs.models import TITLES, Job


class Superseded(Exception):
    """The job was taken from this worker, which was silent for too long; it must stop."""


class Progress:
    """How far a job is, for people to see."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, done: int, total: int, message: str = "") -> None:
        """Record that ``done`` of ``total`` is done. Call it outside of transactions, or nobody sees it in time.

        Raises ``Superseded`` where the job was taken from its worker, so that work that reports its progress ends.
        """
        fields: dict[str, Any] = {"done": done, "total": total}
        if message:
            fields["message"] = message[:500]
        if not self._job.attempt.update(**fields):
            raise Superseded


Work = Callable[[Job, Progress], str]
"""Runs a job and returns a sentence about its result. It may be run again from the start at any time."""

DEFAULT = "default"
JOBS: dict[str, Work] = {}
QUEUES: dict[str, set[str]] = {DEFAULT: set()}
"""The kinds of each queue. A worker runs one job of each queue at a time, so that none holds up another."""


def background(kind: str, *, title: str | Promise, queue: str = DEFAULT) -> Callable[[Work], Work]:
    """Register a function as a kind of job; it belongs in the module ``background`` of its app."""

    def register(work: Work) -> Work:
        JOBS[kind] = work
        TITLES[kind] = title
        QUEUES.setdefault(queue, set()).add(kind)
        return work

    return register


def in_queue(queue: str) -> Q:
    """Select the jobs of a queue. The default queue has all that are in no other, also those of unknown kinds."""
    if queue == DEFAULT:
        return ~Q(kind__in=[kind for name, kinds in QUEUES.items() if name != DEFAULT for kind in kinds])
    return Q(kind__in=QUEUES[queue])
