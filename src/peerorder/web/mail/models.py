"""Mails that wait, and mails that were sent."""

from django.db import models
from django.utils import timezone

from peerorder.web.people.models import Person
from peerorder.web.rounds.models import Assignment


class Mail(models.Model):
    """A mail to one person. The body says ``{link}`` where the personal link goes, which is made when it is sent."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="mails")
    assignment = models.ForeignKey(Assignment, models.CASCADE, null=True, related_name="mails")
    key = models.CharField(max_length=200, unique=True)
    """What it is about: whoever asks for the same mail again gets no second one."""
    subject = models.CharField(max_length=200)
    body = models.TextField()
    queued_at = models.DateTimeField(default=timezone.now)
    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=300, blank=True)
    """Why it could not be sent."""
