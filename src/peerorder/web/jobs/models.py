"""Work in the background, as people see it; the queue itself is that of django-tasks."""

import uuid

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from peerorder.web.rounds.models import Assignment

CALLED = {
    "hand-out": _("Handing out papers"),
    "reminders": _("Writing reminders"),
    "offers": _("Asking those who are done for more"),
    "letters": _("Writing to the students"),
    "pages": _("Preparing a paper"),
    "mails": _("Sending mails"),
}
"""What each kind of work is, for people."""


class Job(models.Model):
    """A piece of work. Doing it twice must be as doing it once: a worker may die at any moment."""

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=60)
    """The name in the registry of jobs."""
    about = models.JSONField(default=dict)
    """What the job needs to know."""
    assignment = models.ForeignKey(Assignment, models.CASCADE, null=True, related_name="jobs")
    key = models.CharField(max_length=200, unique=True, null=True)
    """Of a job that must not wait twice; empty when it is over."""
    task = models.UUIDField(null=True)
    """The task in the queue that may do it, ..."""
    tasks = models.PositiveSmallIntegerField(default=0)
    """... and its number; any with a lower one was left over."""
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    message = models.CharField(max_length=500, blank=True)
    """What people are told: what it does, or why it failed and what to do."""
    tries = models.PositiveSmallIntegerField(default=0)
    """How often it was begun. The last try is the one that counts."""
    asked_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Those that are not over are looked up often."""

        indexes = (models.Index(fields=("state",), condition=models.Q(finished_at=None), name="jobs_unfinished"),)

    @property
    def called(self) -> str:
        """What it is, for people."""
        return str(CALLED.get(self.kind, _("Work in the background")))


class Beat(models.Model):
    """A sign of life of a worker; what a worker without one was doing goes back to the queue."""

    worker = models.CharField(max_length=64, primary_key=True)
    at = models.DateTimeField(default=timezone.now)
