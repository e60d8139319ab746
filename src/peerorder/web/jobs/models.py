"""Background jobs and the heartbeats of the workers that run them."""

import uuid

from django.db import models
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

TITLES: dict[str, str | Promise] = {}
"""What each kind of job is called on pages, filled by ``registry.background``."""


class Job(models.Model):
    """A job. Running it twice must have the effect of running it once: a worker may die at any moment."""

    class State(models.TextChoices):
        """Where a job is on its way."""

        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=60)
    """The name in the registry of jobs."""
    about = models.JSONField(default=dict)
    """What the job needs to know."""
    assignment_id = models.BigIntegerField(null=True, db_index=True)
    key = models.CharField(max_length=200, unique=True, null=True)
    """Of a job that must not wait twice; empty when it is finished."""
    lane = models.CharField(max_length=200, blank=True, default="")
    """Of the jobs of a lane, one runs at a time, however many workers there are; empty for none."""
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    worker = models.CharField(max_length=64, blank=True, default="")
    """The worker that runs it. Its lease on the job lasts as long as its heartbeat."""
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    message = models.CharField(max_length=500, blank=True)
    """What people are told: what it does, or why it failed and what to do."""
    tries = models.PositiveSmallIntegerField(default=0)
    """How many times it was started."""
    crashes = models.PositiveSmallIntegerField(default=0)
    """How many workers lost it: they died, or fell silent for too long."""
    enqueued_at = models.DateTimeField(default=timezone.now)
    run_after = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Workers look for unfinished jobs several times a second, among all jobs that ever were."""

        indexes = (models.Index(fields=("run_after",), condition=models.Q(finished_at=None), name="jobs_unfinished"),)
        constraints = (
            models.UniqueConstraint(
                fields=("lane",), condition=models.Q(state="running") & ~models.Q(lane=""), name="one_runs_in_a_lane"
            ),
        )

    @property
    def title(self) -> str:
        """What the job is called on pages."""
        return str(TITLES.get(self.kind, _("Background job")))

    @property
    def attempt(self) -> models.QuerySet["Job"]:
        """The job's row, or nothing once it is finished, another try has started, or it was taken from its worker."""
        return Job.objects.filter(pk=self.pk, finished_at=None, tries=self.tries, crashes=self.crashes)


class Heartbeat(models.Model):
    """When a worker was last heard of; jobs of a worker without a heartbeat go back to the queue."""

    worker = models.CharField(max_length=64, primary_key=True)
    at = models.DateTimeField(default=timezone.now)
