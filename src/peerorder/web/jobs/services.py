"""Ask for work, do it, and put it back into the queue where a worker died."""

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django_tasks import task
from django_tasks_db.models import DBTaskResult

from peerorder.core.errors import InputError
from peerorder.web.jobs.models import Beat, Job
from peerorder.web.jobs.registry import JOBS, Progress, Refused
from peerorder.web.rounds.models import Assignment

__all__ = ["ask", "beat", "run_job", "sweep"]

MOST_TRIES = 5
# A worker that was not heard of for so long is dead.
SILENCE = timedelta(seconds=30)
logger = logging.getLogger("peerorder.jobs")


def ask(kind: str, *, assignment: Assignment | None = None, key: str | None = None, **about: Any) -> Job:
    """Queue a job, with the transaction around it. With a key, a job that waits or runs already will do."""
    with transaction.atomic():
        if key is not None and (there := Job.objects.filter(key=key).first()) is not None:
            return there
        job = Job.objects.create(kind=kind, assignment=assignment, key=key, about=about)
        run_job.enqueue(str(job.pk))
    return job


@task()
def run_job(number: str) -> str:
    """What the worker calls."""
    job = _begun(number)
    if job is None:
        return "over"
    try:
        message = JOBS[job.kind](job, Progress(job))
    except (Refused, InputError) as error:
        _finish(job, Job.State.FAILED, str(error))
    except Exception:
        logger.exception("job %s (%s) failed, try %d", job.pk, job.kind, job.tries)
        _try_again(job)
    else:
        _finish(job, Job.State.DONE, message)
    return job.kind


def _begun(number: str) -> Job | None:
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=number).first()
        if job is None or job.state in (Job.State.DONE, Job.State.FAILED):
            return None
        job.state = Job.State.RUNNING
        job.tries += 1
        job.save(update_fields=["state", "tries"])
    return job


def _finish(job: Job, state: Job.State, message: str) -> None:
    Job.objects.filter(pk=job.pk).update(state=state, message=message[:500], key=None, finished_at=timezone.now())


def _try_again(job: Job) -> None:
    if job.tries >= MOST_TRIES:
        what = _("This did not work, %(tries)d times. Whoever runs this site finds the reason in its log.")
        _finish(job, Job.State.FAILED, what % {"tries": job.tries})
        return
    with transaction.atomic():
        Job.objects.filter(pk=job.pk).update(state=Job.State.WAITING)
        run_job.using(run_after=timezone.now() + timedelta(seconds=2**job.tries)).enqueue(str(job.pk))


def beat(worker: str) -> None:
    """A sign of life."""
    Beat.objects.update_or_create(worker=worker, defaults={"at": timezone.now()})


def sweep(now: datetime | None = None) -> int:
    """Put back into the queue what dead workers were doing; gives how much that was."""
    now = now or timezone.now()
    alive = set(Beat.objects.filter(at__gt=now - SILENCE).values_list("worker", flat=True))
    back = 0
    with transaction.atomic():
        for result in DBTaskResult.objects.running().select_for_update(skip_locked=True):
            # A worker that has just begun has not had the time for a sign.
            if not result.worker_ids or result.worker_ids[-1] not in alive:
                if result.started_at is not None and result.started_at > now - SILENCE:
                    continue
                DBTaskResult.objects.filter(pk=result.pk).update(status="READY", started_at=None)
                back += 1
    Beat.objects.filter(Q(at__lt=now - timedelta(days=1))).delete()
    if back:
        logger.warning("%d tasks of dead workers are back in the queue", back)
    return back
