"""Hand-outs, and what people made of them."""

import secrets
from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.papers.models import Paper


def random_token() -> str:
    """What stands in addresses instead of a paper: another one for every grader."""
    return secrets.token_urlsafe(12)


class Handout(models.Model):
    """Papers that were given out together. Nobody sees anything of it before it is ready, with all its slots."""

    class Why(models.TextChoices):
        """What it was for."""

        FIRST = "first", _("the beginning")
        JOINED = "joined", _("late papers")
        TOP_UP = "top-up", _("papers short of rankings")

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="handouts")
    why = models.CharField(max_length=6, choices=Why.choices)
    begun_at = models.DateTimeField(default=timezone.now)
    ready_at = models.DateTimeField(null=True, blank=True)
    job = models.UUIDField(null=True, blank=True)
    """Which job writes it: what a job left behind that is no more is thrown away by the next one."""
    provenance = models.JSONField(default=dict)

    class Meta:
        """There is one beginning."""

        constraints = (
            models.UniqueConstraint(fields=("assignment",), condition=models.Q(why="first"), name="one_first_handout"),
        )


class ReadySlots(models.Manager["Slot"]):
    """Slots of hand-outs that are ready; others are for nobody's eyes."""

    def get_queryset(self) -> models.QuerySet["Slot"]:
        """Leave out what is being written."""
        return super().get_queryset().filter(handout__ready_at__isnull=False)


class Slot(models.Model):
    """One paper for one grader to rank."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="slots")
    handout = models.ForeignKey(Handout, models.CASCADE, related_name="slots")
    grader = models.ForeignKey(Member, models.PROTECT, related_name="slots")
    paper = models.ForeignKey(Paper, models.PROTECT, related_name="slots")
    position = models.PositiveSmallIntegerField()
    """Where this grader finds it at first, from 0; in shuffled order. It gives the paper its label."""
    part = models.PositiveSmallIntegerField(default=0)
    """Papers of one part are ranked against each other. 0 is what everybody has at the beginning and what joins it
    late; every top-up makes a part of its own, because ranks of two bundles must not be mixed."""
    token = models.CharField(max_length=22, unique=True, default=random_token)
    opened_at = models.DateTimeField(null=True, blank=True)
    """When its grader first opened the paper: who hands in without having opened one is asked, once."""

    objects = ReadySlots()
    written = models.Manager()
    """All of them, for whoever writes a hand-out."""

    class Meta:
        """A grader has a paper once."""

        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("assignment", "grader", "paper"), name="one_slot_a_paper"),
            models.UniqueConstraint(fields=("assignment", "grader", "position"), name="one_slot_a_position"),
        )


class Ballot(models.Model):
    """What a grader says now. Every save that led here is in ``Save``."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="ballots")
    grader = models.ForeignKey(Member, models.PROTECT, related_name="ballots")
    revision = models.PositiveIntegerField(default=0)
    content = models.JSONField(default=dict)
    """``orders``: for every part (``"0"``, ``"1"`` ...) lists of tokens of slots, the best first, tied ones together;
    ``unjudged``: tokens; ``comments``: texts by token. A slot in no order and not unjudged is not placed yet."""
    client = models.CharField(max_length=32, blank=True)
    """The page that saved last, as it calls itself, ..."""
    client_number = models.PositiveIntegerField(default=0)
    """... the number that it gave its last save, ..."""
    client_since = models.PositiveIntegerField(default=0)
    """... and the revision since which nobody else saved: from there on it is in conflict with nobody."""
    started_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    submission = models.ForeignKey("Save", models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    """The save that counts: the last one that handed in. What is saved afterwards counts when it is handed in again."""

    class Meta:
        """One for a grader."""

        constraints = (models.UniqueConstraint(fields=("assignment", "grader"), name="one_ballot_a_grader"),)

    @property
    def submitted(self) -> dict[str, Any] | None:
        """The content that counts."""
        return self.submission.content if self.submission is not None else None


class Save(models.Model):
    """What somebody sent, exactly; rows are only ever added (a trigger in the database sees to it)."""

    ballot = models.ForeignKey(Ballot, models.PROTECT, related_name="saves")
    at = models.DateTimeField(default=timezone.now)
    revision = models.PositiveIntegerField()
    """The revision it made; of one that came too late, the revision it was made from."""
    content = models.JSONField()
    client = models.CharField(max_length=32, blank=True)
    client_number = models.PositiveIntegerField(default=0)
    hands_in = models.BooleanField(default=False)
    """It was handed in, in time, with nothing missing: it counts until the next such one."""
    conflict = models.BooleanField(default=False)
    """It was made from an older revision, in another tab, and is not what counts."""
    late = models.BooleanField(default=False)
    """It came after the deadline, and is not what counts."""


class Problem(models.Model):
    """Something is wrong with a paper, a grader says."""

    class Kind(models.TextChoices):
        """What is wrong."""

        EMPTY = "empty", _("It is empty or cannot be read")
        IDENTITY = "identity", _("It shows who wrote it")
        PLAGIARISM = "plagiarism", _("It is somebody else's work")
        OTHER = "other", _("Something else")

    slot = models.ForeignKey(Slot, models.CASCADE, related_name="problems")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    text = models.TextField(_("what is wrong"), blank=True, max_length=2000)
    at = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(_("answer"), blank=True, max_length=2000)
