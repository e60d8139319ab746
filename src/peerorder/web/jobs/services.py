"""Enqueue jobs, run them, and put back those whose worker died.

A worker holds a job as long as its heartbeat is fresh. Each try of a job has a number, and taking a job from a worker
is counted, so a worker that only slept finds that it was superseded, and changes nothing.
"""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.core.errors import InputError
from peerorder.web.errors import Refused
from peerorder.web.jobs.models import Heartbeat, Job
from peerorder.web.jobs.registry import JOBS, Progress, Superseded, in_queue

MOST_TRIES = 5
MOST_CRASHES = 3
# A worker that was not heard of for this long is dead. Longer than a writer waits for its turn on SQLite.
SILENCE = timedelta(seconds=60)
logger = logging.getLogger("peerorder.jobs")


# Jobs.


def enqueue(
    kind: str, *, assignment_id: int | None = None, key: str | None = None, lane: str = "", **about: Any
) -> Job:
    """Enqueue a job as part of the transaction around; with a key, return the unfinished job of that key if any.

    That job may have looked at things before this transaction ends. Where that matters, as for e-mails, a periodic
    function has to look again.
    """
    fields = {"kind": kind, "assignment_id": assignment_id, "lane": lane, "about": about}
    if key is None:
        return Job.objects.create(**fields)
    # Of two that enqueue at once, the second waits for the first and finds its job.
    return Job.objects.get_or_create(key=key, defaults=fields)[0]


def forget(assignment_ids: Iterable[int]) -> None:
    """Delete the jobs of deleted assignments."""
    Job.objects.filter(assignment_id__in=assignment_ids).delete()


def claim(worker: str, queue: str | None = None, *, alone: bool = True) -> Job | None:
    """Claim the job that is due for longest, of one queue or of all.

    Jobs under suspicion go first, and only to a worker that has no other job in hand (``alone``): it claims no others
    until then.
    """
    due = Job.objects.filter(state=Job.State.WAITING, run_after__lte=timezone.now(), finished_at=None)
    # Most of the time nothing is due, and an idle worker should cost next to nothing.
    if not due.exists():
        return None
    # The lanes in which a job runs.
    due = due.exclude(lane__in=Job.objects.filter(state=Job.State.RUNNING).exclude(lane="").values("lane"))
    suspects = due.filter(crashes__gte=MOST_CRASHES - 1)
    if suspects.exists():
        due = suspects if alone else Job.objects.none()
    due = due.filter(in_queue(queue)) if queue else due
    # On SQLite a transaction would hold up all writers.
    return _start(due, worker) if due.exists() else None


def _start(jobs: QuerySet[Job], worker: str) -> Job | None:
    try:
        with transaction.atomic():
            job = jobs.select_for_update(skip_locked=True).order_by("run_after").first()
            if job is not None:
                job.state, job.worker, job.tries = Job.State.RUNNING, worker, job.tries + 1
                job.save(update_fields=["state", "worker", "tries"])
    except IntegrityError:
        # Another worker has just started one in the same lane.
        return None
    return job


def is_suspect(job: Job) -> bool:
    """Return whether the next crash is the job's last.

    A worker that dies takes all its jobs down, so a job under suspicion has to run alone: then it is to blame.
    """
    return job.crashes >= MOST_CRASHES - 1


def run(job: Job) -> None:
    """Run a job that was claimed, and write down how it ended."""
    try:
        if job.kind not in JOBS:
            text = _(
                "This version of peerorder has no code for jobs of the kind “%(kind)s”. Ask your site administrator to "
                "run the version that created the job, then start it again."
            )
            raise Refused(text % {"kind": job.kind})
        _finish(job, Job.State.DONE, JOBS[job.kind](job, Progress(job)))
    except Superseded:
        logger.warning("job %s (%s) was taken over by another worker", job.pk, job.kind)
    except (Refused, InputError) as error:
        _finish(job, Job.State.FAILED, str(error))
    except (Exception, SystemExit):
        logger.exception("job %s (%s) failed, try %d", job.pk, job.kind, job.tries)
        _retry(job)


def _finish(job: Job, state: Job.State, message: str, **fields: Any) -> None:
    now = timezone.now()
    job.attempt.update(state=state, message=message[:500], key=None, worker="", finished_at=now, **fields)


def _retry(job: Job) -> None:
    """Put a job back for later, each time for longer, unless it was tried often enough."""
    if job.tries >= MOST_TRIES:
        text = _("This failed %(tries)d times. Your site administrator can find the details in the server log.")
        _finish(job, Job.State.FAILED, text % {"tries": job.tries})
    else:
        later = timezone.now() + timedelta(seconds=2**job.tries)
        job.attempt.update(state=Job.State.WAITING, worker="", run_after=later)


def put_back(job: Job) -> None:
    """Take a job from the worker that lost it, unless that happened too often."""
    crashes = job.crashes + bool(job.worker)
    if crashes >= MOST_CRASHES:
        logger.error("job %s (%s) failed: its worker died %d times", job.pk, job.kind, crashes)
        text = _(
            "The worker stopped %(crashes)d times while it ran this, so it will not be tried again. Your site "
            "administrator can find the details in the server log."
        )
        _finish(job, Job.State.FAILED, text % {"crashes": crashes}, crashes=crashes)
    else:
        job.attempt.update(state=Job.State.WAITING, worker="", crashes=crashes, run_after=timezone.now())


def put_back_lost(worker: str, queue: str) -> None:
    """Put back what a worker lost of a queue, as when the database was gone before a job's end could be written."""
    for job in Job.objects.filter(in_queue(queue), worker=worker, state=Job.State.RUNNING):
        put_back(job)


# Workers.


def heartbeat(worker: str) -> None:
    """Say that a worker is alive."""
    Heartbeat(worker=worker).save()


def forget_worker(worker: str) -> None:
    """Say that a worker is gone: the next sweep takes its jobs without waiting for its silence."""
    Heartbeat.objects.filter(worker=worker).delete()


def sweep(now: datetime | None = None) -> int:
    """Put back the jobs of dead workers; return how many."""
    fresh = Heartbeat.objects.filter(at__gt=(now or timezone.now()) - SILENCE).values("worker")
    running = Job.objects.filter(state=Job.State.RUNNING, finished_at=None)
    # Most of the time nothing is lost, and on SQLite a transaction would hold up all writers.
    if not running.exclude(worker__in=fresh).exists():
        return 0
    with transaction.atomic():
        jobs = list(running.select_for_update(skip_locked=True))
        # Looked up once the jobs are locked: any worker that has one has had a heartbeat before.
        alive = set(fresh.values_list("worker", flat=True))
        lost = [job for job in jobs if job.worker not in alive]
        for job in lost:
            put_back(job)
    logger.warning("%d jobs were taken from dead workers", len(lost))
    return len(lost)


def purge(now: datetime | None = None) -> None:
    """Forget workers that are long dead. Jobs stay, for their pages and for people who look for a reason."""
    Heartbeat.objects.filter(at__lt=(now or timezone.now()) - timedelta(days=1)).delete()
