"""Record who logs in and out, and who tries to, in the audit log."""

import threading
import time
from typing import Any

from django.contrib.auth.signals import user_login_failed
from django.dispatch import receiver
from django.utils.crypto import salted_hmac

from peerorder.web.audit.services import record
from peerorder.web.people.models import Link, Person
from peerorder.web.people.registry import course_of_account

MINUTE = 60.0


class Budget:
    """At most this many in a minute; the others are counted. Failed log-ins must not fill the table."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._began, self._spent, self._left_out = 0.0, 0, 0

    def spend(self) -> int | None:
        """Return how many were left out since the last one that was not; None if this one is to be left out."""
        with self._lock:
            now = time.monotonic()
            if now - self._began >= MINUTE or not self._began:
                self._began, self._spent = now, 0
            if self._spent >= self._most:
                self._left_out += 1
                return None
            self._spent += 1
            left_out, self._left_out = self._left_out, 0
            return left_out


FAILURES = Budget(20)


def name_digest(name: str) -> str:
    """Return what is recorded of a name that somebody typed: equal for equal names, and nobody can tell which."""
    return salted_hmac("peerorder.people.login_events", name.casefold(), algorithm="sha256").hexdigest()[:32]


def record_failure(name: str) -> None:
    """Record that somebody failed to log in under a name."""
    left_out = FAILURES.spend()
    if left_out is not None:
        if left_out:
            record("log-ins failed", None, attempts=left_out)
        person = Person.objects.filter(login=name).first()
        # Also for nobody: how long the answer takes must not tell which names there are.
        course = course_of_account.only(person or Person())
        if person is None:
            record("unknown log-in failed", None, name=name_digest(name))
        else:
            record("log-in failed", None, course=course, person=person.pk, name=name_digest(name))


def record_login(person: Person, link: Link | None = None) -> None:
    """Record that somebody logged in, and by which link: one that staff made may have been used by staff."""
    course = course_of_account.only(person)
    if link is None:
        record("logged in", person, course=course)
    else:
        record("logged in by link", person, course=course, link=link.pk, way=link.kind)


def record_logout(person: Person) -> None:
    """Record that somebody logged out."""
    record("logged out", person, course=course_of_account.only(person))


@receiver(user_login_failed)
def on_failure(credentials: dict[str, Any], **_signal: Any) -> None:
    """Record a wrong password or name."""
    record_failure(str(credentials.get("username") or ""))
