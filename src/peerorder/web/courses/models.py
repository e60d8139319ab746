"""Courses, who is in them, and the rosters that staff uploaded."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from peerorder.web.people.models import Person


def default_time_zone() -> str:
    """That of the settings."""
    return settings.TIME_ZONE


class Course(models.Model):
    """A class and its staff."""

    name = models.CharField(_("name"), max_length=200)
    time_zone = models.CharField(_("time zone"), max_length=64, default=default_time_zone)
    created_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    """Put away: on nobody's first page, and it can be read but not changed."""

    def __str__(self) -> str:
        return self.name


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
    def is_staff(self) -> bool:
        """Instructor or assistant."""
        return self.role != Role.STUDENT


class RosterUpload(models.Model):
    """A roster as somebody sent it, kept before anything is made of it.

    When somebody on it is erased the content goes, because it cannot be kept without them.
    """

    course = models.ForeignKey(Course, models.CASCADE, related_name="roster_uploads")
    by = models.ForeignKey(Person, models.PROTECT)
    at = models.DateTimeField(default=timezone.now)
    name = models.CharField(max_length=255)
    content = models.BinaryField()
    applied_at = models.DateTimeField(null=True, blank=True)
