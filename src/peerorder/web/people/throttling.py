"""Slow down guessing: of passwords, and of who has an account.

Every attempt is reserved before anything is checked, and given back when it succeeds: however many come at once, no
more than the limit get through. Nobody can lock a person out from elsewhere, because attempts count by account *and*
network. A device that has logged in to an account before carries a cookie and counts alone (`device cookies`_, as OWASP
calls them), so not even neighbours behind the same address can lock its owner out. While an account is guessed at from
many networks, each network has fewer attempts.

Checking a password costs half a second of processor time on purpose. So only a few are checked at a time, for names
that exist and for those that do not.

.. _device cookies: https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
"""

import hashlib
import ipaddress
import secrets
import threading
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Self

from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.database import advisory_locks
from peerorder.web.errors import TooManyRequests
from peerorder.web.people.models import Attempt

WINDOW = timedelta(minutes=15)
MOST_BY_NETWORK = 10
"""For one account, from one network, or from one device that it knows."""
ATTACK, MOST_UNDER_ATTACK = 50, 3
"""After this many for one account from anywhere, each network has fewer."""
# Behind one address may be a whole campus, whose people mistype their passwords too.
MOST_BY_ADDRESS = 1000
MOST_HASHED_AT_ONCE = 2
"""Passwords that a process checks at a time; one more for devices that the account knows."""

DEVICE_COOKIE = "peerorder_device"
DEVICE_COOKIE_AGE = timedelta(days=365)
SALT = "peerorder.people.device"

_knows_device: ContextVar[bool] = ContextVar("knows_device", default=False)
_places = {known: threading.BoundedSemaphore(1 if known else MOST_HASHED_AT_ONCE) for known in (False, True)}


@dataclass(frozen=True)
class Reservation:
    """An attempt that counts, until it is released; as a context it is released if anything fails inside."""

    attempts: tuple[int, ...]
    known_device: bool = False

    def __enter__(self) -> Self:
        _knows_device.set(self.known_device)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        _knows_device.set(False)
        if kind is not None:
            self.release()

    def release(self) -> None:
        """Count it no longer: it was no guess."""
        Attempt.objects.filter(pk__in=self.attempts).delete()


def reserve_log_in(request: HttpRequest, login: str) -> Reservation:
    """Reserve an attempt to log in by password; raises TooManyRequests. Release it once the password was right."""
    if device := _known_device(request, login):
        return replace(_reserve({f"device {device}": MOST_BY_NETWORK}), known_device=True)
    return reserve(request, "log in", login)


def reserve(request: HttpRequest, purpose: str, account: str, most: int = MOST_BY_NETWORK) -> Reservation:
    """Reserve an attempt on an account, a known one or not; raises TooManyRequests where there were too many.

    ``purpose`` keeps attempts of different kinds apart. A form whose attempts never succeed (as one that asks for a
    message) just never releases them.
    """
    address = address_of(request)
    everywhere = f"{purpose} {account.lower()}"
    attacked = _count(everywhere, timezone.now() - WINDOW) >= ATTACK
    by_network = min(most, MOST_UNDER_ATTACK) if attacked else most
    limits = {f"{everywhere} {_network(address)}": by_network, f"address {address}": MOST_BY_ADDRESS}
    return _reserve(limits, counted=everywhere)


def reserve_guess(request: HttpRequest) -> Reservation:
    """Reserve an attempt that names no account, as a link that does not work; raises TooManyRequests."""
    return _reserve({f"address {address_of(request)}": MOST_BY_ADDRESS})


def _reserve(limits: Mapping[str, int], counted: str = "") -> Reservation:
    now = timezone.now()
    keys = {_digest(key): most for key, most in limits.items()}
    with transaction.atomic():
        # One after another for each key, so that nobody counts while somebody else is about to add.
        for key in sorted(keys):
            advisory_locks.lock(attempt=int(key[:7], 16))
        for key, most in keys.items():
            if Attempt.objects.filter(key=key, at__gt=now - WINDOW).count() >= most:
                text = _("Too many attempts. Wait 15 minutes, or open your personal link.")
                raise TooManyRequests(text, WINDOW.total_seconds())
        every = [*keys, *([_digest(counted)] if counted else [])]
        made = [Attempt.objects.create(key=key, at=now) for key in every]
    return Reservation(tuple(attempt.pk for attempt in made))


def _count(key: str, since: datetime) -> int:
    return Attempt.objects.filter(key=_digest(key), at__gt=since).count()


def forget_old_attempts(now: datetime | None = None) -> None:
    """Delete attempts that no longer count."""
    old = Attempt.objects.filter(at__lt=(now or timezone.now()) - WINDOW)
    if old.exists():
        old.delete()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# Where a request comes from.


def address_of(request: HttpRequest) -> str:
    """Return where a request comes from: what the proxy in front says, which speaks for the last hop alone."""
    if settings.ENVIRONMENT.production and (hops := request.headers.get("X-Forwarded-For", "")):
        return hops.rpartition(",")[2].strip()
    return str(request.META.get("REMOTE_ADDR", ""))


def _network(address: str) -> str:
    """Return the network of an address: what one customer of a provider usually has."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network(f"{address}/{24 if parsed.version == 4 else 48}", strict=False))


# Devices that an account knows.


def trust_device(response: HttpResponseBase, login: str) -> None:
    """Leave a cookie after a log-in by password: from now on attempts from this device count alone."""
    value = signing.dumps([secrets.token_hex(16), _digest(login.lower())], salt=SALT)
    response.set_cookie(
        DEVICE_COOKIE,
        value,
        max_age=DEVICE_COOKIE_AGE,
        path="/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _known_device(request: HttpRequest, login: str) -> str:
    """Return the name of the device, if it has logged in to this account before."""
    try:
        device, account = signing.loads(request.COOKIES.get(DEVICE_COOKIE, ""), salt=SALT, max_age=DEVICE_COOKIE_AGE)
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return str(device) if account == _digest(login.lower()) else ""


# Passwords.


class LimitedHasher(PBKDF2PasswordHasher):
    """Django's own, a few at a time: a storm of log-ins must not take every processor. Others are told to wait."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> Any:
        """Hash a password, if there is a place; raises TooManyRequests."""
        place = _places[_knows_device.get()]
        if not place.acquire(blocking=False):
            raise TooManyRequests(_("Many people are logging in just now. Try again in a few seconds."), 3)
        try:
            return super().encode(password, salt, iterations)
        finally:
            place.release()
