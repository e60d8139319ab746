"""Courses, who is in them or invited to be, and the rosters that staff uploaded."""

from calendar import monthrange
from datetime import date

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _

from peerorder.web.people.models import Person


def default_time_zone() -> str:
    """That of the settings."""
    return settings.TIME_ZONE


def a_year_after(day: date) -> date:
    """Return the same day of the next year."""
    return date(day.year + 1, day.month, min(day.day, 28) if day.month == 2 else day.day)


def months_after(day: date, months: int) -> date:
    """Return the same day ``months`` months later, or the last day of that month."""
    years, month = divmod(day.month - 1 + months, 12)
    year, month = day.year + years, month + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def default_end() -> date:
    """Return the day on which a course ends that is made today."""
    return a_year_after(timezone.localdate())


RETENTION_MONTHS = 24
"""Long enough for appeals and re-examinations; personal data must not be kept for ever without a reason."""


class Course(models.Model):
    """A class and its staff."""

    name = models.CharField(_("name"), max_length=200)
    time_zone = models.CharField(_("time zone"), max_length=64, default=default_time_zone)
    created_at = models.DateTimeField(default=timezone.now)
    ends_on = models.DateField(_("end of the course"), default=default_end)
    """The last day on which students' personal links work."""
    archived_at = models.DateTimeField(null=True, blank=True)
    """Put away: on nobody's first page, and it can be read but not changed."""
    retention_months = models.PositiveSmallIntegerField(
        _("erase personal data after"), null=True, blank=True, default=RETENTION_MONTHS
    )
    """How long after its end the people in it are erased; None for never."""
    erasure_warned_for = models.DateField(null=True, blank=True)
    """The date of erasure that instructors were last warned of, ..."""
    erasure_warned_at = models.DateTimeField(null=True, blank=True)
    """... and when they first were: nothing is erased before they have had a week."""
    erased_at = models.DateTimeField(null=True, blank=True)
    """When everybody in it was erased."""

    def __str__(self) -> str:
        return self.name

    @property
    def erased_on(self) -> date | None:
        """The day on which the people in it are erased, unless they were or never will be."""
        if self.retention_months is None or self.erased_at is not None:
            return None
        return months_after(self.ends_on, self.retention_months)


class Section(models.Model):
    """A part of a course, with its own meetings; rounds may pool several."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="sections")
    name = models.CharField(max_length=200)

    class Meta:
        """Names are unique."""

        constraints = (models.UniqueConstraint(fields=("course", "name"), name="one_section_a_name"),)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What somebody is in a course."""

    INSTRUCTOR = "instructor", _("instructor")
    ASSISTANT = "assistant", _("assistant")
    STUDENT = "student", _("student")


class Member(models.Model):
    """A person in a course."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="members")
    person = models.ForeignKey(Person, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    student = models.CharField(_("student id"), max_length=200, blank=True)
    """The id on the roster, as it stands there."""
    section = models.ForeignKey(Section, models.SET_NULL, null=True, blank=True, related_name="members")
    team = models.CharField(_("team"), max_length=200, blank=True)
    """Students with the same text hand in together."""
    joined_at = models.DateTimeField(default=timezone.now)
    removed_at = models.DateTimeField(null=True, blank=True)
    """No longer on the roster: sees nothing, is asked nothing; what was handed in and ranked stays."""

    class Meta:
        """A person is in a course once, and so is an id."""

        constraints = (
            models.UniqueConstraint(fields=("course", "person"), name="once_in_a_course"),
            models.UniqueConstraint(fields=("course", "student"), condition=~Q(student=""), name="one_student_an_id"),
        )

    def __str__(self) -> str:
        return str(self.person)

    @property
    def display_name(self) -> str:
        """What staff call them: the name, or else the id or the address."""
        if self.person.erased_at is not None:
            return gettext("Erased person")
        return self.person.name or self.student or self.person.email or str(self.pk)

    @property
    def is_staff(self) -> bool:
        """Instructor or assistant."""
        return self.role != Role.STUDENT


class Invitation(models.Model):
    """Somebody who was asked to be staff of a course. Only a digest of the token is kept, as of personal links.

    Sending an invitation again revokes it and makes a new one, so that every row is one token that was given away.
    """

    course = models.ForeignKey(Course, models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices)
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    """Where it was sent. It finds no account: the account is that of the person who accepts."""
    student = models.CharField(max_length=200, blank=True)
    """The id on the roster, where the invitation came from one."""
    digest = models.CharField(max_length=64, unique=True, null=True, blank=True)
    """Of the token; None until the e-mail with it is sent."""
    emailed = models.BooleanField(default=False)
    """Whether the token went by e-mail and to nobody else, so that having it proves having the address."""
    invited_by = models.ForeignKey(Person, models.SET_NULL, null=True, related_name="+")
    invited_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(Person, models.SET_NULL, null=True, blank=True, related_name="+")
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Counted by day for the limits."""

        indexes = (models.Index(fields=("course", "invited_at")),)

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def state(self) -> str:
        """Accepted, revoked, expired or open."""
        if self.accepted_at is not None:
            return "accepted"
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at <= timezone.now() else "open"


class RosterUpload(models.Model):
    """A roster as somebody sent it, kept before anything is made of it.

    When somebody on it is erased the content goes, with what was read in it, because it cannot be kept without them.
    """

    course = models.ForeignKey(Course, models.CASCADE, related_name="roster_uploads")
    by = models.ForeignKey(Person, models.PROTECT)
    at = models.DateTimeField(default=timezone.now)
    name = models.CharField(max_length=255)
    content = models.BinaryField()
    parsed = models.JSONField(null=True)
    """What was read in it, once, in the sandbox: see ``roster.rows_of``. Its content is never read again."""
    applied_at = models.DateTimeField(null=True, blank=True)
