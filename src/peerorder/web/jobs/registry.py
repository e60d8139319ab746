"""The kinds of background work, by name."""

from collections.abc import Callable
from typing import Any

from peerorder.web.jobs.models import Job

__all__ = ["JOBS", "Overtaken", "Progress", "Refused", "Work", "background"]


class Refused(Exception):
    """The work cannot be done, and trying again will not help; people are told this text."""


class Overtaken(Exception):
    """Another worker does the job now, because this one was silent for so long; it must stop."""


class Progress:
    """How far a job is, for people to see."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, done: int, total: int, message: str = "") -> None:
        """So much of so much. Not to be called within a transaction: nobody would see it before its end.

        Raises ``Overtaken`` where another worker has taken over, so that work that tells its progress ends there.
        """
        fields: dict[str, Any] = {"done": done, "total": total}
        if message:
            fields["message"] = message[:500]
        if not Job.objects.filter(pk=self._job.pk, tries=self._job.tries).update(**fields):
            raise Overtaken


Work = Callable[[Job, Progress], str]
"""Does a job and says in a sentence what came of it. It may be done again from the start at any time."""

JOBS: dict[str, Work] = {}


def background(kind: str) -> Callable[[Work], Work]:
    """Put a function into the registry; it lives in the module ``background`` of its app."""

    def decorate(work: Work) -> Work:
        JOBS[kind] = work
        return work

    return decorate
