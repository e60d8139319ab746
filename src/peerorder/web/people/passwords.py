"""Passwords and usernames.

Usernames are made by the app, never chosen: nobody can find out by trying which ones are taken, or take one that
somebody else will want. Staff log in by their address once it is verified, everybody else by a name with a random end.
"""

import secrets

from django.contrib.auth.hashers import make_password as hash_password
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from peerorder.web.audit.services import record
from peerorder.web.database import advisory_locks
from peerorder.web.people import confirmations
from peerorder.web.people.expiry import standing_of
from peerorder.web.people.links import revoke_links
from peerorder.web.people.models import Confirmation, Person
from peerorder.web.people.notices import tell_of_password
from peerorder.web.people.sessions import end_sessions

# Without those that are easily mistaken for another.
CHARACTERS = "abcdefghjkmnpqrstuvwxyz23456789"


def set_password(person: Person, password: str, *, keep: str = "") -> None:
    """Set somebody's password, and give them a username if they have none.

    Their links and their other sessions end; the session ``keep`` goes on. Raises PermissionDenied if their access was
    revoked meanwhile.
    """
    hashed = hash_password(password)
    with transaction.atomic():
        _set(person, hashed, keep=keep)
        record("password set", person, person=person.pk)


def reset_password(asked: Confirmation, password: str) -> bool:
    """Set the password of somebody who answered the message for it; return False if the token was used meanwhile."""
    hashed = hash_password(password)
    with transaction.atomic():
        if not confirmations.spend(asked):
            return False
        person = Person.objects.select_for_update().get(pk=asked.person_id)
        _set(person, hashed)
        record("password reset", person, person=person.pk)
        if person.email_verified_at is None and person.email == asked.email:
            Person.objects.filter(pk=person.pk).update(email_verified_at=asked.made_at)
    return True


def make_password(person: Person) -> str:
    """Make a new password for somebody, who is to be told it; their links and sessions end."""
    password = secrets.token_urlsafe(12)
    hashed = hash_password(password)
    with transaction.atomic():
        _set(person, hashed)
        record("password made", None, person=person.pk)
    return password


def _set(person: Person, hashed: str, *, keep: str = "") -> None:
    # Hashing takes long on purpose, and others who save wait for this lock.
    advisory_locks.lock(access=0)
    before, person.password = person.password, hashed
    same = Person.objects.filter(pk=person.pk, password=before)
    if not same.update(password=person.password):
        raise PermissionDenied
    if not person.login:
        assign_login(person)
    revoke_links([person.pk])
    end_sessions(person, keep=keep)
    Confirmation.objects.filter(person=person).delete()
    tell_of_password(person)


def assign_login(person: Person, wanted: str = "") -> None:
    """Give somebody a username: the wanted one or, for staff, the verified address; if it is free."""
    if not wanted and person.email_verified_at is not None and standing_of(person).is_staff:
        wanted = person.email
    candidates = [wanted] if wanted else []
    stem = slugify(person.name)[:30] or "account"
    candidates += [f"{stem}-{''.join(secrets.choice(CHARACTERS) for _ in range(6))}" for _ in range(10)]
    for login in candidates:
        try:
            with transaction.atomic():
                Person.objects.filter(pk=person.pk).update(login=login)
        except IntegrityError:
            continue
        person.login = login
        return
