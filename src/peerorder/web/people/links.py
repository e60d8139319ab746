"""Personal links: make, look up, use, replace and revoke them.

Of a token only its digest is kept. A new link replaces the earlier ones of its kind: the last one goes on for a week,
because people open the message that they find first; all older ones end at once. So nobody has more than two live links
by e-mail, and two that staff made.
"""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import Enum

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone

from peerorder.web.audit.services import Row, record
from peerorder.web.database import advisory_locks
from peerorder.web.database.batches import batches
from peerorder.web.people.expiry import link_end, links_in_force, standing_of
from peerorder.web.people.models import Confirmation, Link, Person, Session
from peerorder.web.people.notices import tell_of_removed_password
from peerorder.web.secret_addresses import redact

GRACE = timedelta(days=7)


def digest(token: str) -> str:
    """Return what the database keeps of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """Return a token that nobody guesses, 192 bits, and that is recognised in a log wherever it stands."""
    while redact(token := secrets.token_urlsafe(24)) == token:
        continue
    return token


def address_with(route: str, token: str) -> str:
    """Return the whole address of a page by its token."""
    return str(settings.PUBLIC_URL + reverse(route, args=[token]))


def token_of(address: str) -> str:
    """Return the token in an address."""
    return address.rstrip("/").rpartition("/")[2]


# Make.


def make_link(person: Person, kind: Link.Kind = Link.Kind.SHOWN) -> str:
    """Make a personal link, and return its address. It is known now and never again: only a digest is kept."""
    return make_links([person], kind)[0]


def make_links(people: Sequence[Person], kind: Link.Kind = Link.Kind.SHOWN) -> list[str]:
    """Make a personal link for each of many, in their order; each replaces the earlier ones of its kind."""
    tokens = [new_token() for _ in people]
    with transaction.atomic():
        for some in batches([person.pk for person in people]):
            _replace(some, kind)
        made = (
            Link(person=person, digest=digest(token), kind=kind) for person, token in zip(people, tokens, strict=True)
        )
        Link.objects.bulk_create(made, batch_size=1000)
    return [address_with("people:enter", token) for token in tokens]


def make_mailed_link(person: Person, to: str, *, printed: bool) -> str:
    """Make the link of a message that is about to be sent; ``printed`` where no mail server will take it anywhere."""
    token = new_token()
    Link.objects.create(person=person, digest=digest(token), kind=Link.Kind.MAILED, sent_to=to, printed=printed)
    return address_with("people:enter", token)


def replace_mailed(address: str) -> None:
    """Let a link that was sent take the place of those sent before it. Until then these are all that people have."""
    link = Link.objects.get(digest=digest(token_of(address)))
    _replace([link.person_id], Link.Kind.MAILED, before=link.pk)


def _replace(people: Sequence[int], kind: Link.Kind, before: int | None = None) -> None:
    now = timezone.now()
    live = Link.objects.filter(links_in_force(now), person__in=people, kind=kind)
    if before is not None:
        live = live.filter(pk__lt=before)
    newest = list(live.values("person").annotate(newest=Max("pk")).values_list("newest", flat=True))
    live.exclude(pk__in=newest).update(ends_at=now)
    for some in batches(newest):
        Link.objects.filter(pk__in=some, ends_at=None).update(ends_at=now + GRACE)


def link_number(address: str) -> int:
    """Return the id of a link, by which the audit log knows it."""
    return Link.objects.values_list("pk", flat=True).get(digest=digest(token_of(address)))


def forget_link(address: str) -> None:
    """Take back a link that never reached anybody."""
    Link.objects.filter(digest=digest(token_of(address))).delete()


# Use.


class LinkState(Enum):
    """Whether a link works, or why not."""

    LIVE = "live"
    UNKNOWN = "unknown"
    REVOKED = "revoked"
    REPLACED = "replaced"
    EXPIRED = "expired"


def look_up(token: str, now: datetime | None = None) -> tuple[Link | None, LinkState]:
    """Return the link of a token, and whether it works. Nothing changes."""
    link = Link.objects.select_related("person").filter(digest=digest(token)).first()
    if link is None or not link.person.is_active or link.person.erased_at is not None:
        return None, LinkState.UNKNOWN
    return link, _state(link, now or timezone.now())


def _state(link: Link, now: datetime) -> LinkState:
    if link.revoked_at is not None:
        return LinkState.REVOKED
    if link.ends_at is not None and link.ends_at <= now:
        return LinkState.REPLACED
    return LinkState.LIVE if link_end(link, standing_of(link.person)) > now else LinkState.EXPIRED


def use_link(link: Link) -> bool:
    """Note that somebody enters by a link; return False if it was revoked, replaced or used up meanwhile.

    Entering by a link that was sent by e-mail answers that message, and so verifies the address.
    """
    now = timezone.now()
    with transaction.atomic():
        changes = {"last_used_at": now} | ({"ends_at": now} if link.kind == Link.Kind.ONCE else {})
        if not Link.objects.filter(links_in_force(now), pk=link.pk).update(**changes):
            return False
        if link.sent_to and not link.printed:
            person = Person.objects.filter(pk=link.person_id, email=link.sent_to, email_verified_at=None)
            person.update(email_verified_at=now)
    return True


def live_links(person: Person) -> list[tuple[Link, datetime]]:
    """Return the links of somebody that work, with their ends, the newest first."""
    now, standing = timezone.now(), standing_of(person)
    links = Link.objects.filter(links_in_force(now), person=person).order_by("-made_at", "-pk")
    return [(link, end) for link in links if (end := link_end(link, standing)) > now]


# Revoke.


def revoke_link(link: Link, by: Person | None, *, keep: str = "", course: Row | None = None) -> bool:
    """Revoke one link and end the sessions begun with it, but for one to ``keep``; return whether it was live.

    The audit log has it under a course, where staff of the course do it for a student.
    """
    with transaction.atomic():
        now = timezone.now()
        revoked = Link.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=now)
        if revoked:
            Session.objects.filter(link=link).exclude(pk=keep).delete()
            record("link revoked", by, course=course, person=link.person_id, link=link.pk)
    return bool(revoked)


def revoke_links(people: Sequence[int]) -> int:
    """Revoke all links of some people, by id; return how many worked before."""
    now, revoked = timezone.now(), 0
    for some in batches(people):
        links = Link.objects.filter(person__in=some, revoked_at=None)
        revoked += links.filter(links_in_force(now)).count()
        links.update(revoked_at=now)
    return revoked


def revoke_own_links(person: Person, *, keep: str = "") -> int:
    """Revoke all links of somebody, on their word, and end the sessions begun with them but for one to ``keep``."""
    with transaction.atomic():
        Session.objects.filter(person=person, link__isnull=False).exclude(pk=keep).delete()
        revoked = revoke_links([person.pk])
        record("links revoked", person, links=revoked)
    return revoked


def revoke_access(people: Iterable[Person]) -> int:
    """Close every way in: links, passwords, and wherever they are logged in now; return how many links there were.

    Somebody who found a link may have set a password with it, so revoking the link alone is not enough.
    """
    numbers = [person.pk for person in people]
    with transaction.atomic():
        advisory_locks.lock(access=0)
        # Sessions are bound to the password's hash, and end with it. An unusable one fits nobody, so all may share it.
        unusable = make_password(None)
        for some in batches(numbers):
            Person.objects.filter(pk__in=some).update(password=unusable)
            Session.objects.filter(person__in=some).delete()
            Confirmation.objects.filter(person__in=some).delete()
        return revoke_links(numbers)


def end_all_access(person: Person, *, password: bool = False) -> int:
    """End all sessions and links of somebody, on their word; return how many links there were.

    Their ``password`` ends as well where they say so, because somebody else may have set it.
    """
    with transaction.atomic():
        advisory_locks.lock(access=0)
        if password and person.has_usable_password():
            revoked = revoke_access([person])
            record("password removed", person, person=person.pk)
            tell_of_removed_password(person)
        else:
            Session.objects.filter(person=person).delete()
            revoked = revoke_links([person.pk])
        record("access ended", person, person=person.pk, links=revoked)
    return revoked
