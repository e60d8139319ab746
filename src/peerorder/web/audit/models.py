"""The record of who did what when, and the seals on it."""

from django.db import models
from django.db.models import Q
from django.utils import timezone


class Event(models.Model):
    """Something that somebody did. Numbers only, no names: erasing a person needs no change here.

    Triggers in the database refuse to change or delete rows.
    """

    at = models.DateTimeField(default=timezone.now)
    person_id = models.BigIntegerField(null=True)
    """Who did it; None for what happened automatically, or where nobody knows."""
    about_id = models.BigIntegerField(null=True)
    """The person whom it was done to, where that is one other person."""
    course_id = models.BigIntegerField(null=True)
    assignment_id = models.BigIntegerField(null=True)
    verb = models.CharField(max_length=60)
    details = models.JSONField(default=dict)

    class Meta:
        """Looked up by course, by assignment and by person, the newest first."""

        indexes = (
            models.Index(fields=("-at",), name="log_event_at"),
            models.Index(fields=("course_id", "-at")),
            models.Index(fields=("course_id", "verb", "-at")),
            models.Index(fields=("assignment_id", "verb")),
            models.Index(fields=("person_id", "-at")),
            models.Index(fields=("about_id", "-at"), name="log_event_about", condition=Q(about_id__isnull=False)),
        )


class Seal(models.Model):
    """The seal on a batch of rows of an append-only table; each is chained to the one before it, of whatever table.

    Seals are numbered without gaps. They are only added to, as is what they seal.
    """

    at = models.DateTimeField(default=timezone.now)
    table = models.CharField(max_length=60)
    version = models.PositiveSmallIntegerField()
    """Which columns of the table are sealed; see ``audit.registry.SEALED``."""
    first_id = models.BigIntegerField()
    """The batch has all rows from here ..."""
    last_id = models.BigIntegerField()
    """... to here. It begins where the table's batch before it ended, so that no row can be slipped in between."""
    count = models.PositiveIntegerField()
    rows = models.CharField(max_length=64)
    """SHA-256 of the rows."""
    key = models.CharField(max_length=16)
    """What the key is known by; see ``audit.seal_keys``."""
    digest = models.CharField(max_length=64)
    """HMAC of all of the above and of the digest of the seal before."""

    class Meta:
        """Looked up by table, the newest first."""

        indexes = (models.Index(fields=("table", "-last_id")),)
