"""What the monitor remembers: automatic reminders, and offers of more papers."""

from django.db import models
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member


class Reminded(models.Model):
    """Everybody with this deadline was reminded; so it is done once, and again where the deadline moves."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="+")
    stage = models.CharField(max_length=10, choices=Stage.choices)
    deadline = models.DateTimeField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Once."""

        constraints = (
            models.UniqueConstraint(fields=("assignment", "stage", "deadline"), name="reminded_once_a_deadline"),
        )


class Offer(models.Model):
    """A question to somebody who is done, whether they want a few more papers, which would help."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="offers")
    member = models.ForeignKey(Member, models.CASCADE, related_name="offers")
    papers = models.PositiveSmallIntegerField()
    """Number of papers offered."""
    rankings_each = models.PositiveSmallIntegerField()
    """Number of rankings that every paper should get by it."""
    offered_at = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True, blank=True)
    accepted = models.BooleanField(null=True)
    job = models.UUIDField(null=True)
    """The hand-out that serves it."""

    class Meta:
        """One at a time for everybody."""

        constraints = (models.UniqueConstraint(fields=("assignment", "member"), name="one_offer_a_member"),)
