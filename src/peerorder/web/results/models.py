"""Results, what staff decide about marks, releases, and what becomes of comments."""

import uuid

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Course, Member
from peerorder.web.papers.models import Paper
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Slot


class Result(models.Model):
    """One order of all papers, merged from the rankings at one moment. It is never changed once it is finished."""

    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    """What caches go by."""
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="results")
    number = models.PositiveIntegerField()
    """From 1, in every assignment."""
    settings = models.JSONField()
    """How it was merged: all of the library's ``GradeSettings``. What marks are made by comes from ``Basis``."""
    excluded = models.JSONField(default=list)
    """The decisions, by id, that excluded rankings from it."""
    requested_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    requested_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=500, blank=True)
    """Why there is none: a rule that cannot merge these rankings."""
    digest = models.CharField(max_length=32, blank=True)
    """That of the round, as the library has it: two results with equal digests merged the same rankings."""
    provenance = models.JSONField(default=dict)

    class Meta:
        """Numbered one by one."""

        constraints = (models.UniqueConstraint(fields=("assignment", "number"), name="one_result_a_number"),)

    def __str__(self) -> str:
        return _("Result %(number)d") % {"number": self.number}

    @property
    def is_ready(self) -> bool:
        """Whether there is an order."""
        return self.finished_at is not None and not self.problem


class ResultData(models.Model):
    """The arrays of a result, as ``result_data`` packs them; apart from it, because they are large."""

    class Part(models.TextChoices):
        """What most pages need, and what only some do."""

        ROUND = "round", _("rankings and order")
        SAMPLES = "samples", _("possible orders")

    result = models.ForeignKey(Result, models.CASCADE, related_name="data")
    part = models.CharField(max_length=7, choices=Part.choices)
    content = models.BinaryField()

    class Meta:
        """Each once."""

        constraints = (models.UniqueConstraint(fields=("result", "part"), name="one_part_a_result"),)


class Basis(models.Model):
    """What marks are made of until they are released: a result, and a scale. Decisions come on top."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="basis")
    result = models.ForeignKey(Result, models.PROTECT, related_name="+")
    settings = models.JSONField(default=dict)
    """How marks are made of places: the other fields of ``GradeSettings``, as far as they were chosen."""
    revision = models.PositiveIntegerField(default=0)
    """Counts changes, so that a form that is out of date is noticed."""
    changed_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)


class Decision(models.Model):
    """What staff decided about one case, with the reason. It can be undone; it is never changed."""

    class Kind(models.TextChoices):
        """What is decided."""

        MARK = "mark", _("set this mark")
        ANCHOR = "anchor", _("use as anchor")
        PENALTY = "penalty", _("late penalty")
        EXCLUDE = "exclude", _("exclude this ranking")

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="decisions")
    kind = models.CharField(max_length=7, choices=Kind.choices)
    paper = models.ForeignKey(Paper, models.PROTECT, null=True, related_name="decisions")
    """The paper it is about; ..."""
    grader = models.ForeignKey(Member, models.PROTECT, null=True, related_name="+")
    """... of an exclusion, the grader."""
    value = models.CharField(max_length=20, blank=True)
    """A mark, or points off; as it was written."""
    reason = models.CharField(max_length=500)
    made_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    undone_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_because = models.CharField(max_length=500, blank=True)

    class Meta:
        """One of a kind in force for a paper, or for a grader."""

        constraints = (
            models.CheckConstraint(
                condition=Q(kind="exclude", paper=None, grader__isnull=False)
                | (~Q(kind="exclude") & Q(paper__isnull=False, grader=None)),
                name="decision_has_its_subject",
            ),
            models.UniqueConstraint(
                fields=("assignment", "kind", "paper"),
                condition=Q(undone_at=None, paper__isnull=False),
                name="one_decision_a_paper",
            ),
            models.UniqueConstraint(
                fields=("assignment", "kind", "grader"),
                condition=Q(undone_at=None, grader__isnull=False),
                name="one_decision_a_grader",
            ),
        )


class Release(models.Model):
    """Marks or comments, signed off. Students see them once it is published, and until it is withdrawn."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="releases")
    number = models.PositiveIntegerField()
    result = models.ForeignKey(Result, models.PROTECT, null=True, related_name="+")
    settings = models.JSONField(default=dict)
    decisions = models.JSONField(default=list)
    """The decisions, by id, that were in force: with the result and the settings they give the same marks again."""
    marks = models.BooleanField(default=True)
    comments = models.BooleanField(default=True)
    tells = models.BooleanField(default=True)
    """Whether students get an e-mail."""
    signed_off_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    signed_off_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField()
    """When it is to be published; until then it can be withdrawn, and nobody has seen anything."""
    published_at = models.DateTimeField(null=True, blank=True)
    withdrawn_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_because = models.CharField(max_length=500, blank=True)

    class Meta:
        """Numbered one by one, and one waits at a time."""

        constraints = (
            models.UniqueConstraint(fields=("assignment", "number"), name="one_release_a_number"),
            models.UniqueConstraint(
                fields=("assignment",), condition=Q(published_at=None, withdrawn_at=None), name="one_release_waits"
            ),
        )


class Look(models.Model):
    """A student has seen what was released."""

    release = models.ForeignKey(Release, models.CASCADE, related_name="looks")
    member = models.ForeignKey(Member, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """The first time."""

        constraints = (models.UniqueConstraint(fields=("release", "member"), name="one_look_a_member"),)


class HiddenComment(models.Model):
    """A comment that staff keep from the authors of the paper, with the reason."""

    slot = models.OneToOneField(Slot, models.CASCADE, related_name="hidden_comment")
    reason = models.CharField(max_length=500)
    hidden_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    hidden_at = models.DateTimeField(default=timezone.now)


class CommentFeedback(models.Model):
    """What an author says about a comment. Graders never see whose it is, authors never see whose comment it was."""

    class Kind(models.TextChoices):
        """What is said."""

        HELPFUL = "helpful", _("helpful")
        UNHELPFUL = "unhelpful", _("not helpful")
        REPORT = "report", _("report to staff")

    slot = models.ForeignKey(Slot, models.CASCADE, related_name="comment_feedback")
    member = models.ForeignKey(Member, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=9, choices=Kind.choices)
    text = models.CharField(max_length=500, blank=True)
    """Of a report, what is wrong; for staff alone."""
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """One for every author."""

        constraints = (models.UniqueConstraint(fields=("slot", "member"), name="one_feedback_an_author"),)


class Thanks(models.Model):
    """How many of a grader's comments authors found helpful, as the grader is told once, well after the release."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="+")
    member = models.ForeignKey(Member, models.CASCADE, related_name="+")
    helpful = models.PositiveIntegerField()
    shown_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """Once."""

        constraints = (models.UniqueConstraint(fields=("assignment", "member"), name="thanks_once"),)


class WatchedWords(models.Model):
    """Words of a course by which staff look for comments that should not be shown."""

    course = models.OneToOneField(Course, models.CASCADE, related_name="watched_words")
    words = models.TextField(_("words to look for, one per line"), blank=True, max_length=5000)
