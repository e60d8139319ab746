"""People, and the ways in: personal links, sessions, tokens that confirm something."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class People(BaseUserManager["Person"]):
    """People who are still somebody."""

    def create_user(self, login: str | None, password: str | None = None, **fields: Any) -> "Person":
        """Create a person, who can log in by password if there is one."""
        person = self.model(login=login, **fields)
        person.set_password(password)
        person.save()
        return person


class Person(AbstractBaseUser):
    """Somebody with an account. A student has one for every course, so that no course can reach into another."""

    login = models.CharField(_("username"), max_length=254, unique=True, null=True, blank=True)
    name = models.CharField(_("name"), max_length=200, blank=True)
    email = models.EmailField(_("e-mail"), blank=True)
    email_verified_at = models.DateTimeField(null=True, blank=True)
    """When a message to this address was answered; empty where the address is only somebody's word."""
    is_active = models.BooleanField(default=True)
    makes_courses = models.BooleanField(default=False)
    """Staff of the site: may make courses of their own."""
    created_at = models.DateTimeField(default=timezone.now)
    erased_at = models.DateTimeField(null=True, blank=True)

    USERNAME_FIELD = "login"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = People()

    def __str__(self) -> str:
        return self.name or self.login or self.email or str(_("Somebody"))


class Link(models.Model):
    """A personal link. Only a digest of its token is kept: who reads the database cannot log in with it."""

    class Kind(models.TextChoices):
        """How a link gets to its person."""

        MAILED = "mailed", _("sent by e-mail")
        SHOWN = "shown", _("created by staff to pass on")
        ONCE = "once", _("created on the command line, works once")

    person = models.ForeignKey(Person, models.CASCADE, related_name="links")
    digest = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.MAILED)
    made_at = models.DateTimeField(default=timezone.now)
    sent_to = models.EmailField(blank=True)
    """The address of the message that carries it; entering with it verifies that address."""
    printed = models.BooleanField(default=False)
    """It stands in a mail that was printed where the app was started: it works, but nobody has got it."""
    last_used_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    """Set once another link replaces this one. The end of the course, or of a day for staff, counts besides."""
    revoked_at = models.DateTimeField(null=True, blank=True)


class Session(AbstractBaseSession):
    """Where somebody is logged in. The key is a digest of what the cookie carries (see ``people.sessions``)."""

    person = models.ForeignKey(Person, models.CASCADE, null=True, related_name="sessions")
    link = models.ForeignKey(Link, models.SET_NULL, null=True, related_name="sessions")
    """The link by which they entered; revoking it ends the session."""
    made_at = models.DateTimeField(default=timezone.now)
    last_seen_at = models.DateTimeField(default=timezone.now)
    """Kept coarsely: every request would be a write otherwise."""
    device = models.CharField(max_length=100, blank=True)

    class Meta:
        """Not that of Django, which has no app of ours."""


class Confirmation(models.Model):
    """A message with a secret that is to be answered once: a forgotten password, a new address.

    The token is made when the message is sent, and only its digest is kept.
    """

    class Purpose(models.TextChoices):
        """What the answer does."""

        PASSWORD = "password", _("a new password")
        ADDRESS = "address", _("another e-mail address")

    person = models.ForeignKey(Person, models.CASCADE, related_name="confirmations")
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    email = models.EmailField()
    digest = models.CharField(max_length=64, unique=True, null=True)
    made_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()


class MailRequest(models.Model):
    """Somebody typed an address to be sent their link, or a way to a new password. The worker looks who that is.

    So the answer takes the same time for every address. Rows are deleted once they are dealt with.
    """

    class Purpose(models.TextChoices):
        """What is asked for."""

        LINK = "link", _("a personal link")
        PASSWORD = "password", _("a new password")

    email = models.EmailField()
    purpose = models.CharField(max_length=10, choices=Purpose.choices)
    at = models.DateTimeField(default=timezone.now)


class Attempt(models.Model):
    """A log-in that failed, so that guessing can be slowed down. The key is a digest of an account or an address."""

    key = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """By key and time."""

        indexes = (models.Index(fields=("key", "at")),)
