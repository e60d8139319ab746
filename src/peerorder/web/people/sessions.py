"""Who is logged in, and where: Django's sessions in a table of our own, and its check of passwords.

The two questions that every request asks are written out (see ``peerorder.web.database.sql``).
"""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth import SESSION_KEY, login
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.db import connection, transaction
from django.http import HttpRequest
from django.utils import timezone

from peerorder.web.audit.services import record
from peerorder.web.database.sql import columns, fetch_all, fetch_one
from peerorder.web.people.devices import describe_device
from peerorder.web.people.expiry import session_end, standing_of
from peerorder.web.people.login_events import record_login
from peerorder.web.people.models import Link, Person, Session

SESSION = "SELECT session_data, last_seen_at < %s FROM people_session WHERE session_key = %s AND expire_date > %s"
PERSON = f"SELECT {columns(Person)} FROM people_person WHERE id = %s"
# How exactly it is kept when a session was last used; every request would be a write otherwise.
COARSE = timedelta(minutes=15)
# Somebody who entered so recently may set a first password, or another address.
FRESH = timedelta(minutes=15)
# Of one person; the one that was not used for longest ends first.
MOST = 20
ENTERED_AT, LINK, DEVICE = "entered_at", "link", "device"


def digest(session_key: str) -> str:
    """Return what the database keeps of a session key: 160 bits of its SHA-256, as much as the column holds."""
    return hashlib.sha256(session_key.encode()).hexdigest()[:40]


class SessionStore(db.SessionStore):
    """Sessions in the database, under digests of their keys: reading the database is not enough to log in.

    ``session_key`` is what the cookie carries, everywhere but in the table.
    """

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """Return the table, which knows whose session it is."""
        return Session

    def load(self) -> dict[str, Any]:
        """Return what the session holds: nothing if it is over, or never was."""
        now = timezone.now()
        stale, still = (connection.ops.adapt_datetimefield_value(time) for time in (now - COARSE, now))
        rows = fetch_all(SESSION, stale, digest(self.session_key or ""), still)
        if not rows or (rows[0][1] and not _touch(digest(self.session_key or ""), now)):
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

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """Return the row that keeps the session. All its columns follow from what the session holds, and the time."""
        now = timezone.now()
        if SESSION_KEY in data:
            data.setdefault(ENTERED_AT, now.isoformat())
        plain = super().create_model_instance(data)
        row = Session(
            session_key=digest(plain.session_key),
            session_data=plain.session_data,
            person_id=data.get(SESSION_KEY),
            link_id=data.get(LINK),
            device=data.get(DEVICE, ""),
            made_at=datetime.fromisoformat(data[ENTERED_AT]) if SESSION_KEY in data else now,
            last_seen_at=now,
            expire_date=plain.expire_date,
        )
        if row.person is not None:
            row.expire_date = session_end(standing_of(row.person), row.made_at, now)
        return row

    async def acreate_model_instance(self, data: dict[str, Any]) -> Session:
        """Return the row that keeps the session."""
        return await sync_to_async(self.create_model_instance)(data)

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session of this key, or this session."""
        if key := session_key or self.session_key:
            super().delete(digest(key))

    async def adelete(self, session_key: str | None = None) -> None:
        """Delete the session of this key, or this session."""
        if key := session_key or self.session_key:
            await super().adelete(digest(key))


def _touch(key: str, now: datetime) -> bool:
    """Note that a session is used, and return whether it still may be: its course may have ended meanwhile."""
    session = Session.objects.select_related("person").filter(pk=key).first()
    if session is None:
        return False
    end = session.expire_date
    if session.person is not None:
        end = session_end(standing_of(session.person), session.made_at, now)
    Session.objects.filter(pk=key).update(last_seen_at=now, expire_date=end)
    return end > now


class People(ModelBackend):
    """People by the number in their session."""

    def get_user(self, user_id: int) -> Person | None:
        """Return the person, unless the account is closed."""
        person = fetch_one(Person, PERSON, user_id)
        return person if person is not None and self.user_can_authenticate(person) else None


# What people do with them.


def begin_session(request: HttpRequest, person: Person, link: Link | None = None) -> None:
    """Log somebody in, by a link or by a password. It takes the place of the session that the browser had."""
    login(request, person)
    request.session[ENTERED_AT] = timezone.now().isoformat()
    request.session[DEVICE] = describe_device(request.headers.get("User-Agent", ""))
    request.session[LINK] = link.pk if link else None
    others = Session.objects.filter(person=person).exclude(pk=current_session(request))
    surplus = others.order_by("-last_seen_at").values_list("pk", flat=True)[MOST - 1 :]
    Session.objects.filter(pk__in=list(surplus)).delete()
    record_login(person, link)


def entered_recently(request: HttpRequest) -> bool:
    """Return whether the person proved a few minutes ago who they are."""
    entered_at = request.session.get(ENTERED_AT)
    return entered_at is not None and timezone.now() - datetime.fromisoformat(entered_at) < FRESH


def current_session(request: HttpRequest) -> str:
    """Return the key, in the table, of the session of a request."""
    return digest(request.session.session_key or "")


def live_sessions(person: Person) -> list[Session]:
    """Return where somebody is logged in, the last used first."""
    return list(Session.objects.filter(person=person, expire_date__gt=timezone.now()).order_by("-last_seen_at"))


def end_sessions(person: Person, *, keep: str = "") -> int:
    """Log somebody out everywhere, or everywhere but here; return how many sessions that were."""
    return Session.objects.filter(person=person).exclude(pk=keep).delete()[0]


def end_own_sessions(person: Person, *, only: str = "", keep: str = "") -> int:
    """End one session of somebody, or all but one, on their word; return how many that were."""
    keys = [session.pk for session in live_sessions(person) if session.pk != keep and only in ("", session.pk)]
    with transaction.atomic():
        ended = Session.objects.filter(pk__in=keys).delete()[0]
        if ended:
            record("sessions ended", person, sessions=ended)
    return ended


def purge_sessions(now: datetime | None = None) -> None:
    """Delete sessions that are over."""
    over = Session.objects.filter(expire_date__lt=now or timezone.now())
    if over.exists():
        over.delete()
