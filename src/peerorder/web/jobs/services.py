"""Ask for work, do it, and put it back into the queue where a worker died.

A job is what people see; its task is what waits in the queue. Two things keep them together. A job knows the one task
that may do it, so a task that was left over does nothing. And every try of a job has a number, so a worker that was
thought dead and comes back finds that it was overtaken, and changes nothing.
"""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django_tasks import task
from django_tasks_db.models import DBTaskResult

from peerorder.core.errors import InputError
from peerorder.web.jobs.models import Beat, Job
from peerorder.web.jobs.registry import JOBS, Overtaken, Progress, Refused
from peerorder.web.rounds.models import Assignment

__all__ = ["ask", "beat", "bury", "run_job", "sweep", "tidy"]

MOST_TRIES = 5
# A worker that was not heard of for so long is dead. Longer than a writer waits for its turn on SQLite.
SILENCE = timedelta(seconds=60)
# Tasks that are over are kept for so long, for whoever looks for the reason of something.
KEPT = timedelta(days=14)
UNFINISHED = (Job.State.WAITING, Job.State.RUNNING)
logger = logging.getLogger("peerorder.jobs")


# Asking and doing.


def ask(kind: str, *, assignment: Assignment | None = None, key: str | None = None, **about: Any) -> Job:
    """Queue a job, with the transaction around it. With a key, a job that waits or runs already will do.

    Such a job may have looked at things before this transaction ends. Where that matters, as for mails, the clock
    has to look again.
    """
    fields = {"kind": kind, "assignment": assignment, "about": about}
    with transaction.atomic():
        if key is None:
            job, new = Job.objects.create(**fields), True
        else:
            # Two that ask at once: the second waits for the first and finds its job.
            job, new = Job.objects.get_or_create(key=key, defaults=fields)
        if new:
            _enqueue(job)
    return job


def _enqueue(job: Job, after: timedelta | None = None) -> None:
    """Give a job a new task, the only one that may do it."""
    queue = run_job if after is None else run_job.using(run_after=timezone.now() + after)
    job.tasks += 1
    job.task = queue.enqueue(str(job.pk), job.tasks).id
    job.state = Job.State.WAITING
    job.save(update_fields=["task", "tasks", "state"])


@task()
def run_job(number: str, which: int | None = None) -> str:
    """What the worker calls, with the number of the job's task; without one, the job is done whatever is queued."""
    job = _begun(number, which)
    if job is None:
        return "over"
    try:
        message = JOBS[job.kind](job, Progress(job))
    except Overtaken:
        logger.warning("job %s (%s) was taken over by another worker", job.pk, job.kind)
        return "overtaken"
    except (Refused, InputError) as error:
        _finish(job, Job.State.FAILED, str(error))
    except Exception:
        logger.exception("job %s (%s) failed, try %d", job.pk, job.kind, job.tries)
        _try_again(job)
    else:
        _finish(job, Job.State.DONE, message)
    return job.kind


def _begun(number: str, which: int | None) -> Job | None:
    """The job, if it is this task's to do."""
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=number).first()
        if job is None or job.state not in UNFINISHED or which not in (None, job.tasks):
            return None
        if job.tries >= MOST_TRIES:
            # It never came to an end: whatever it does kills its worker.
            _give_up(job)
            return None
        job.state = Job.State.RUNNING
        job.tries += 1
        job.save(update_fields=["state", "tries"])
    return job


def _finish(job: Job, state: Job.State, message: str) -> None:
    """The end of a try, unless another one has begun."""
    Job.objects.filter(pk=job.pk, tries=job.tries).update(
        state=state, message=message[:500], key=None, finished_at=timezone.now()
    )


def _give_up(job: Job) -> None:
    what = _("This did not work, %(tries)d times. Whoever runs this site finds the reason in its log.")
    _finish(job, Job.State.FAILED, what % {"tries": job.tries})


def _try_again(job: Job) -> None:
    if job.tries >= MOST_TRIES:
        _give_up(job)
        return
    with transaction.atomic():
        there = Job.objects.select_for_update().filter(pk=job.pk, tries=job.tries).first()
        if there is not None:
            _enqueue(there, timedelta(seconds=2**job.tries))


# Signs of life.


def beat(worker: str) -> None:
    """A sign of life."""
    Beat.objects.update_or_create(worker=worker, defaults={"at": timezone.now()})


def bury(worker: str) -> None:
    """A worker is known to be gone: the next sweep need not wait for its silence."""
    Beat.objects.filter(worker=worker).delete()


def sweep(now: datetime | None = None) -> int:
    """Put back into the queue what dead workers were doing, and jobs without a task; gives how much that was."""
    now = now or timezone.now()
    back = _back_from_the_dead(now) + _orphans()
    if back:
        logger.warning("%d jobs of dead workers are back in the queue", back)
    return back


def _back_from_the_dead(now: datetime) -> int:
    # Most of the time nothing runs; on SQLite a transaction would hold up all writers.
    if not DBTaskResult.objects.running().exists():
        return 0
    back = 0
    with transaction.atomic():
        running = list(DBTaskResult.objects.running().select_for_update(skip_locked=True))
        # Looked up after the tasks: who has one of them has given a sign before.
        alive = set(Beat.objects.filter(at__gt=now - SILENCE).values_list("worker", flat=True))
        for result in running:
            if not result.worker_ids or result.worker_ids[-1] not in alive:
                back += DBTaskResult.objects.filter(pk=result.pk).update(status="READY", started_at=None)
    return back


def _orphans() -> int:
    """Jobs whose task is over or gone, as when a worker could not even write down that it failed."""
    waiting = DBTaskResult.objects.filter(status__in=["READY", "RUNNING"])
    orphans = Job.objects.filter(state__in=UNFINISHED).exclude(task__in=waiting.values("pk"))
    back = 0
    for number in list(orphans.values_list("pk", flat=True)):
        with transaction.atomic():
            # It may have come to its end, or to a new task, a moment ago.
            job = Job.objects.select_for_update().get(pk=number)
            queued = job.task is not None and waiting.filter(pk=job.task).exists()
            if job.state in UNFINISHED and not queued:
                _enqueue(job)
                back += 1
    return back


def tidy(now: datetime | None = None) -> None:
    """Forget workers that are long dead, and tasks that are long over."""
    now = now or timezone.now()
    Beat.objects.filter(at__lt=now - timedelta(days=1)).delete()
    old = DBTaskResult.objects.finished().filter(finished_at__lt=now - KEPT)
    if old.exists():
        old.delete()
