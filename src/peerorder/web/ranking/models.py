"""Hand-outs and rankings."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Any

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.database.batches import batches
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
    """All slots, for code that writes a hand-out."""

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
    notes = models.JSONField(default=dict)
    """By token, what graders write down for themselves: nobody else reads it, and it is neither handed in nor kept in
    ``Save``."""
    comment_keys = models.JSONField(default=dict)
    """By token, the random key of the digests of all comments on a paper. It is erased with them: what is left of a
    comment in ``Save`` can then be guessed by nobody, however short it was. Where the author of the paper is erased, an
    empty one stands in its place."""
    kept_bytes = models.PositiveBigIntegerField(default=0)
    """How much is kept of the saves that led here."""
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
        return Comment.objects.put_back([self.submission.content])[0] if self.submission is not None else None

    @property
    def erased(self) -> set[str]:
        """The tokens of papers whose authors are erased: no comment on them is kept."""
        return {token for token, key in self.comment_keys.items() if not key}

    def digested(self, content: dict[str, Any]) -> dict[str, Any]:
        """Return a content as ``Save`` keeps it: digests in place of comments."""
        comments = content.get("comments", {})
        return content | {
            "comments": {token: _digest(self.comment_keys.get(token, ""), text) for token, text in comments.items()}
        }

    def has_submitted(self, content: dict[str, Any]) -> bool:
        """Return whether this is what counts; a comment that was erased makes no difference."""
        if self.submission is None:
            return False
        counts = self.submission.content
        comments = {token: each for token, each in counts["comments"].items() if self.comment_keys.get(token)}
        return bool(counts | {"comments": comments} == self.digested(content))


def _digest(key: str, text: str) -> str:
    return hmac.digest(key.encode(), text.encode(), hashlib.sha256).hex()


class Comments(models.Manager["Comment"]):
    """Texts by their digests."""

    def put_back(self, contents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return contents of saves as they were sent, with the texts of comments; erased ones are left out."""
        wanted = [digest for content in contents for digest in content.get("comments", {}).values()]
        texts: dict[str, str] = {}
        for some in batches(wanted):
            texts.update(self.filter(pk__in=some).values_list("digest", "text"))
        return [
            content
            | {
                "comments": {
                    token: texts[digest] for token, digest in content.get("comments", {}).items() if digest in texts
                }
            }
            for content in contents
        ]


class Comment(models.Model):
    """The text of a comment as it was once saved: saves have its digest alone, so that it can be erased."""

    digest = models.CharField(max_length=64, primary_key=True)
    """By a random key of the paper and the grader, so no two share one."""
    ballot = models.ForeignKey(Ballot, models.CASCADE, related_name="comments")
    token = models.CharField(max_length=22)
    text = models.TextField()

    objects = Comments()


class Save(models.Model):
    """A save in time; rows are only ever added (a trigger in the database sees to it)."""

    ballot = models.ForeignKey(Ballot, models.PROTECT, related_name="saves")
    at = models.DateTimeField(default=timezone.now)
    revision = models.PositiveIntegerField()
    """The revision it made; of one that came too late, the revision it was made from."""
    content = models.JSONField()
    """As in a ballot, but for ``comments``: digests of their texts, which are in ``Comment``."""
    client = models.CharField(max_length=32, blank=True)
    client_number = models.PositiveIntegerField(default=0)
    hands_in = models.BooleanField(default=False)
    """It was handed in, in time, with nothing missing: it counts until the next such one."""
    conflict = models.BooleanField(default=False)
    late = models.BooleanField(default=False)
    """Of saves that an earlier version kept here; now they are in ``UncountedSave``."""


class UncountedSave(models.Model):
    """The last save of somebody that could not count, of each kind: earlier ones are replaced."""

    class Why(models.TextChoices):
        """Why it does not count."""

        CONFLICT = "conflict", _("made from an older revision, in another tab")
        LATE = "late", _("after the deadline")

    ballot = models.ForeignKey(Ballot, models.CASCADE, related_name="uncounted")
    why = models.CharField(max_length=8, choices=Why.choices)
    at = models.DateTimeField(default=timezone.now)
    revision = models.PositiveIntegerField()
    """The revision it was made from."""
    content = models.JSONField()
    """As in a ballot, with the texts of comments."""
    client = models.CharField(max_length=32, blank=True)
    client_number = models.PositiveIntegerField(default=0)

    class Meta:
        """One of each kind."""

        constraints = (models.UniqueConstraint(fields=("ballot", "why"), name="one_uncounted_save_a_kind"),)


class Problem(models.Model):
    """Something is wrong with a paper, a grader says."""

    class Kind(models.TextChoices):
        """What is wrong."""

        EMPTY = "empty", _("It is empty or cannot be read")
        IDENTITY = "identity", _("It shows who wrote it")
        PLAGIARISM = "plagiarism", _("It is somebody else's work")
        UNSAFE = "unsafe", _("It threatens or insults somebody, or its author may need help")
        OTHER = "other", _("Something else")

    slot = models.ForeignKey(Slot, models.CASCADE, related_name="problems")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    text = models.TextField(_("what is wrong"), blank=True, max_length=2000)
    at = models.DateTimeField(default=timezone.now)
    answered_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(_("answer"), blank=True, max_length=2000)
