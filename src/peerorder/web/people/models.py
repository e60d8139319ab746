"""People and their personal links."""

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class People(BaseUserManager["Person"]):
    """People who are still somebody."""

    def create_user(self, login: str | None, password: str | None = None, **fields: Any) -> "Person":
        """A person who can log in by password if there is one."""
        person = self.model(login=login, **fields)
        person.set_password(password)
        person.save()
        return person


class Person(AbstractBaseUser):
    """Somebody with an account. A student has one for every course, so that no course can reach into another."""

    login = models.CharField(_("log-in name"), max_length=254, unique=True, null=True, blank=True)
    name = models.CharField(_("name"), max_length=200, blank=True)
    email = models.EmailField(_("e-mail"), blank=True)
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

    person = models.ForeignKey(Person, models.CASCADE, related_name="links")
    digest = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField(default=timezone.now)
    printed = models.BooleanField(default=False)
    """It stands in a mail that was printed where the app was started: it works, but nobody has got it."""
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)


class Attempt(models.Model):
    """A log-in that failed, so that guessing can be slowed down. The key is a digest of an account or an address."""

    key = models.CharField(max_length=64)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        """By key and time."""

        indexes = (models.Index(fields=("key", "at")),)
