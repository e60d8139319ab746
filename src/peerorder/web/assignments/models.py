"""Assignments: one round of peer grading each."""

import secrets
from datetime import datetime, timedelta

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from peerorder.web.courses.models import Course, Member, Section
from peerorder.web.stored_files import random_file

LONGEST_COMMENT = 5000


class Stage(models.TextChoices):
    """The stage of an assignment."""

    DRAFT = "draft", _("draft")
    HANDING_IN = "handing-in", _("handing in")
    RANKING = "ranking", _("ranking")
    REVIEW = "review", _("review")
    RELEASED = "released", _("released")

    @property
    def number(self) -> int:
        """Later stages have higher ones."""
        return list(Stage).index(self)


def secret_seed() -> int:
    """Return a seed that nobody can guess: with it and the roster, anybody knows who grades whom."""
    return secrets.randbits(62)


class Assignment(models.Model):
    """What to hand in, who ranks how much of it until when, and how far it has come."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="assignments")
    title = models.CharField(_("title"), max_length=200)
    stage = models.CharField(max_length=10, choices=Stage.choices, default=Stage.DRAFT)
    sections = models.ManyToManyField(Section, blank=True, related_name="assignments")
    """Whose students take part; all of the course where there are none."""
    created_at = models.DateTimeField(default=timezone.now)

    task = models.TextField(_("task"), blank=True)
    takes_text = models.BooleanField(_("text"), default=True)
    takes_pdf = models.BooleanField(_("PDF"), default=True)
    takes_images = models.BooleanField(_("images"), default=True)
    takes_links = models.BooleanField(_("links"), default=False)
    in_teams = models.BooleanField(_("teams hand in together"), default=False)
    hand_in_by = models.DateTimeField(_("hand in by"), null=True, blank=True)
    late_hours = models.PositiveSmallIntegerField(_("accept late papers for (hours)"), default=0)
    hand_in_ended_at = models.DateTimeField(null=True, editable=False)
    """When it last went on from handing in, ..."""

    papers_each = models.PositiveSmallIntegerField(
        _("papers to rank per student"), default=5, validators=(MinValueValidator(2), MaxValueValidator(50))
    )
    rank_by = models.DateTimeField(_("rank by"), null=True, blank=True)
    rank_ended_at = models.DateTimeField(null=True, editable=False)
    """... and from ranking: staff may end them before the deadline."""
    instructions = models.TextField(_("how to judge"), blank=True)
    solution = models.TextField(_("sample solution"), blank=True)
    ties = models.BooleanField(_("allow ties"), default=True)
    cannot_judge = models.BooleanField(_("allow “cannot judge”"), default=True)
    comments = models.BooleanField(_("ask graders for a comment on every paper"), default=False)
    least_comment = models.PositiveSmallIntegerField(_("minimum comment length (characters)"), default=0)

    moves_by_itself = models.BooleanField(_("advance automatically at the deadlines"), default=True)
    tells_students = models.BooleanField(_("e-mail students when a stage begins"), default=True)
    """At automatic transitions; staff who advance it themselves decide then."""
    remind_hours = models.PositiveSmallIntegerField(_("remind students before each deadline (hours)"), default=24)
    seed = models.BigIntegerField(default=secret_seed, editable=False)

    def __str__(self) -> str:
        return self.title

    @property
    def required_comment(self) -> int:
        """How many characters a comment must have: never more than one can have, whatever was once saved."""
        return min(self.least_comment, LONGEST_COMMENT) if self.comments else 0

    @cached_property
    def attached(self) -> "list[Attachment]":
        """The files that belong to it, the first one first."""
        return list(self.attachments.order_by("pk"))

    def is_at(self, *stages: Stage) -> bool:
        """Return whether it is at one of these stages."""
        return self.stage in stages

    def end_of(self, stage: Stage) -> datetime | None:
        """Return until when everybody could hand in, or rank: the deadline, or the transition that ended it before."""
        deadline, ended = {
            Stage.HANDING_IN: (self.hand_in_by, self.hand_in_ended_at),
            Stage.RANKING: (self.rank_by, self.rank_ended_at),
        }.get(stage, (None, None))
        if Stage(self.stage).number <= stage.number:
            return deadline
        return min((moment for moment in (deadline, ended) if moment is not None), default=None)

    def leave(self, now: datetime) -> None:
        """Remember when the stage ended at which it is."""
        if self.stage == Stage.HANDING_IN:
            self.hand_in_ended_at = now
        elif self.stage == Stage.RANKING:
            self.rank_ended_at = now

    def forget_deadline_that_is_over(self, now: datetime) -> bool:
        """Take away the deadline of this stage if it is over, which would send it forward at once; says whether."""
        name = {Stage.HANDING_IN.value: "hand_in_by", Stage.RANKING.value: "rank_by"}.get(self.stage)
        over = name is not None and getattr(self, name) is not None and getattr(self, name) <= now
        if name is not None and over:
            setattr(self, name, None)
        return over


class Attachment(models.Model):
    """A file that staff give to students, with the task or with the sample solution."""

    LONGEST_NAME = 150

    class Audience(models.TextChoices):
        """When students see it."""

        TASK = "task", _("for the task")
        SOLUTION = "solution", _("with the sample solution")

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="attachments")
    audience = models.CharField(max_length=8, choices=Audience.choices)
    file = models.FileField(upload_to=random_file)
    name = models.CharField(max_length=LONGEST_NAME)
    """What it is called when it is downloaded."""
    size = models.PositiveBigIntegerField()
    added_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.name


class Extensions(models.QuerySet["Extension"]):
    """Extensions of deadlines."""

    def of(self, assignment: Assignment, member: Member) -> "Extension | None":
        """Return what somebody was granted."""
        return self.filter(assignment=assignment, member=member).first()


class Extension(models.Model):
    """More time for one student."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="extensions")
    member = models.ForeignKey(Member, models.CASCADE, related_name="extensions")
    hand_in_by = models.DateTimeField(_("hand in by"), null=True, blank=True)
    rank_by = models.DateTimeField(_("rank by"), null=True, blank=True)
    note = models.CharField(_("reason"), max_length=500, blank=True)
    granted_at = models.DateTimeField(default=timezone.now)

    objects = Extensions.as_manager()

    class Meta:
        """One for a student."""

        constraints = (models.UniqueConstraint(fields=("assignment", "member"), name="one_extension_a_member"),)

    def __str__(self) -> str:
        return f"{self.member}: {self.assignment}"

    @property
    def hand_in_cut(self) -> bool:
        """Whether the time to hand in was still running when staff ended ranking, which ended it too."""
        if self.hand_in_by is None or not self.assignment.is_at(Stage.REVIEW, Stage.RELEASED):
            return False
        late = self.hand_in_by + timedelta(hours=self.assignment.late_hours)
        return late > (self.assignment.rank_ended_at or timezone.now())

    @property
    def rank_cut(self) -> bool:
        """Whether the time to rank was ended by the last step, while it was running."""
        return self.assignment.stage == Stage.RELEASED and self.rank_by is not None and self.rank_by > timezone.now()
