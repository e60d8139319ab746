"""Who is logged in: Django's sessions in the database, and its check of passwords.

The two questions that every request asks are written out (see ``peerorder.web.sql``).
"""

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.db import connection
from django.utils import timezone

from peerorder.web.people.models import Person
from peerorder.web.sql import first, rows

__all__ = ["People", "SessionStore"]

SESSION = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"
PERSON = "SELECT * FROM people_person WHERE id = %s"


class SessionStore(db.SessionStore):
    """Sessions in the database."""

    def load(self) -> dict[str, Any]:
        """What the session holds; nothing where it is over, or never was."""
        found = rows(SESSION, self.session_key, connection.ops.adapt_datetimefield_value(timezone.now()))
        if not found:
            # It gets a key of ours if anything is put into it, never one that somebody thought up.
            self._session_key = None
            return {}
        return dict(self.decode(found[0][0]))


class People(ModelBackend):
    """People by the number in their session."""

    def get_user(self, user_id: int) -> Person | None:
        """The person, unless the account is closed."""
        person = first(Person, PERSON, user_id)
        return person if person is not None and self.user_can_authenticate(person) else None
