"""Personal links and passwords."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from peerorder.web.audit.services import record
from peerorder.web.database import advisory_locks
from peerorder.web.database.batches import batches
from peerorder.web.people.models import Link, Person

# How exactly the last use of a link is kept; every request would be a write otherwise.
USE = timedelta(minutes=5)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# Links.


def make_link(person: Person, *, printed: bool = False) -> str:
    """A new personal link, as an address. It is known now and never again: only a digest is kept."""
    return make_links([person], printed=printed)[0]


def make_links(people: Sequence[Person], *, printed: bool = False) -> list[str]:
    """A new personal link for each of many, in their order; ``printed`` where no mail server will take it to them."""
    tokens = [secrets.token_urlsafe(24) for _ in people]
    made = (
        Link(person=person, digest=_digest(token), printed=printed)
        for person, token in zip(people, tokens, strict=True)
    )
    Link.objects.bulk_create(made, batch_size=1000)
    return [settings.PUBLIC_URL + reverse("people:enter", args=[token]) for token in tokens]


def forget_link(address: str) -> None:
    """Take back a link that never reached anybody."""
    Link.objects.filter(digest=_digest(address.rstrip("/").rpartition("/")[2])).delete()


def person_behind(token: str) -> Person | None:
    """Whose link this is, if it is still good."""
    link = (
        Link.objects.select_related("person")
        .filter(digest=_digest(token), revoked_at=None, person__is_active=True, person__erased_at=None)
        .first()
    )
    if link is None:
        return None
    now = timezone.now()
    if link.last_used_at is None or now - link.last_used_at > USE:
        Link.objects.filter(pk=link.pk).update(last_used_at=now)
    return link.person


def revoke_access(people: Iterable[Person]) -> int:
    """Close every way in: links, passwords, and wherever they are logged in now; return how many links there were.

    Whoever found a link may have set a password with it, so revoking the link alone would not do.
    """
    numbers = [person.pk for person in people]
    with transaction.atomic():
        advisory_locks.lock(access=0)
        # Sessions are bound to the password's hash, and end with it. An unusable one fits nobody, so all may share it.
        unusable = make_password(None)
        revoked = 0
        for some in batches(numbers):
            Person.objects.filter(pk__in=some).update(password=unusable)
            revoked += Link.objects.filter(person__in=some, revoked_at=None).update(revoked_at=timezone.now())
    return revoked


# Passwords.


def set_password(person: Person, login: str, password: str) -> None:
    """Let somebody log in by password from now on. Raises PermissionDenied if their access was revoked meanwhile."""
    before = person.password
    person.login = login
    person.set_password(password)
    with transaction.atomic():
        same = Person.objects.filter(pk=person.pk, password=before)
        if not same.update(login=login, password=person.password):
            raise PermissionDenied
        record("password set", person)


def change_details(person: Person, name: str, email: str) -> None:
    """Another name that others see, or another address for mails."""
    with transaction.atomic():
        there = Person.objects.select_for_update().get(pk=person.pk)
        fields = [field for field, value in (("name", name), ("email", email)) if getattr(there, field) != value]
        if fields:
            there.name, there.email = name, email
            there.save(update_fields=fields)
            record("account changed", person, fields=fields)
