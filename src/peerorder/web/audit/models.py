"""The record of who did what when."""

from django.db import models
from django.utils import timezone


class Event(models.Model):
    """Something that somebody did. Numbers only, no names: erasing a person needs no change here.

    A trigger in the database refuses to change or delete rows.
    """

    at = models.DateTimeField(default=timezone.now)
    person_id = models.BigIntegerField(null=True)
    """Who did it; None for what happened by itself."""
    course_id = models.BigIntegerField(null=True)
    assignment_id = models.BigIntegerField(null=True)
    verb = models.CharField(max_length=60)
    details = models.JSONField(default=dict)

    class Meta:
        """Looked up by course, the newest first, and by assignment."""

        indexes = (models.Index(fields=("course_id", "-at")), models.Index(fields=("assignment_id", "verb")))
