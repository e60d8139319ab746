"""Who is logged in: Django's sessions in the database, and its check of passwords.

The two questions that every request asks are written out (see ``peerorder.web.database.sql``).
"""

import hashlib
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import connection
from django.utils import timezone

from peerorder.web.database.sql import columns, fetch_all, fetch_one
from peerorder.web.people.models import Person

SESSION = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"
PERSON = f"SELECT {columns(Person)} FROM people_person WHERE id = %s"


def digest(session_key: str) -> str:
    """Return what the database keeps of a session key: 160 bits of its SHA-256, as much as the column holds."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:40]


class SessionStore(db.SessionStore):
    """Sessions in the database, under digests of their keys: reading the database is not enough to log in.

    ``session_key`` is what the cookie carries, everywhere but in the table.
    """

    def load(self) -> dict[str, Any]:
        """Return what the session holds: nothing if it is over, or never was."""
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        rows = fetch_all(SESSION, digest(self.session_key or ""), now)
        if not rows:
            # It gets a key of ours if anything is put into it, never one that somebody thought up.
            self._session_key = None
            return {}
        return dict(self.decode(rows[0][0]))

    async def aload(self) -> dict[str, Any]:
        """Return what the session holds."""
        return await sync_to_async(self.load)()

    def exists(self, session_key: str) -> bool:
        """Return whether there is a session of this key."""
        return super().exists(digest(session_key))

    async def aexists(self, session_key: str) -> bool:
        """Return whether there is a session of this key."""
        return await super().aexists(digest(session_key))

    def create_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        """Return the row that keeps the session."""
        row = super().create_model_instance(data)
        row.session_key = digest(row.session_key)
        return row

    async def acreate_model_instance(self, data: dict[str, Any]) -> AbstractBaseSession:
        """Return the row that keeps the session."""
        row = await super().acreate_model_instance(data)
        row.session_key = digest(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session of this key, or this session."""
        if key := session_key or self.session_key:
            super().delete(digest(key))

    async def adelete(self, session_key: str | None = None) -> None:
        """Delete the session of this key, or this session."""
        if key := session_key or self.session_key:
            await super().adelete(digest(key))


class People(ModelBackend):
    """People by the number in their session."""

    def get_user(self, user_id: int) -> Person | None:
        """Return the person, unless the account is closed."""
        person = fetch_one(Person, PERSON, user_id)
        return person if person is not None and self.user_can_authenticate(person) else None
