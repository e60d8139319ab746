"""What is done for every request: limits, the headers that keep pages safe, and a line in the log."""

import hashlib
import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from peerorder.web.budgets import BUCKETS, one_request
from peerorder.web.errors import TooManyRequests, bad_request, not_found, plain_too_many, too_large, too_many
from peerorder.web.people.access import View, takes_files

Next = Callable[[HttpRequest], HttpResponseBase]

# Nothing from elsewhere, nothing inline: what a paper says can run nowhere.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
MOST_ANONYMOUS = 64 * 2**10
"""Bytes that anybody may send without being logged in, ..."""
MOST_FORM = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 2**20
"""... and a person to a page that takes no files."""
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
logger = logging.getLogger("peerorder.requests")


def security_headers(next_: Next) -> Next:
    """Put a strict policy on every answer, and pages about people in no shared cache."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = next_(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return middleware


def request_log(next_: Next) -> Next:
    """Log a line for every request, without names: who, what, how it ended, how long it took."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        begin = time.perf_counter()
        number = uuid.uuid4().hex[:12]
        response = next_(request)
        response.headers["X-Request-Id"] = number
        match = request.resolver_match
        person = getattr(request, "user", None)
        logger.info(
            "%s %s %d",
            request.method,
            # The route, not the path: paths of personal links hold tokens.
            match.route if match else "?",
            response.status_code,
            extra={
                "request": number,
                "person": person.pk if person is not None and match else None,
                "milliseconds": round(1000 * (time.perf_counter() - begin), 1),
            },
        )
        return response

    return middleware


class CompressPages(GZipMiddleware):
    """Pages compressed, and nothing else: pictures and archives are already, and answers in JSON are short.

    What an attacker could learn from the length of a page: docs/decisions/0026-compressed-pages.md.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress a page for a browser that takes it."""
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            return response
        return super().process_response(request, response)


class Limits:
    """What one person may send, and ask for in a short time; checked before anything else is done for a request."""

    def __init__(self, next_: Next) -> None:
        self.next = next_

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Count the request of somebody who may be logged in."""
        cookie = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if not cookie:
            return self.next(request)
        session = hashlib.sha256(cookie.encode()).hexdigest()
        try:
            with one_request(BUCKETS.person_behind(session), _size(request)):
                response = self.next(request)
        except TooManyRequests as error:
            # Without a template: it must be cheap.
            return plain_too_many(request, error)
        if (person := getattr(request, "user", None)) is not None and person.pk is not None:
            BUCKETS.remember(session, person.pk)
        return response

    def process_view(self, request: HttpRequest, view: View, *_rest: object) -> HttpResponse | None:
        """Refuse what is too large, before anything of it is read."""
        if (size := _size(request)) <= MOST_ANONYMOUS:
            return None
        most = MOST_ANONYMOUS
        if request.user.is_authenticated:
            # A single file that is too large is left out, and the form says so.
            most = 2 * settings.LARGEST_UPLOAD + MOST_FORM if takes_files(view) else MOST_FORM
        return too_large(request) if size > most else None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer for whatever refused to do more."""
        return too_many(request, exception) if isinstance(exception, TooManyRequests) else None


def _size(request: HttpRequest) -> int:
    """Return the size of a body; one that does not say so is never read."""
    try:
        return max(0, int(request.META.get("CONTENT_LENGTH") or 0))
    except ValueError:
        return 0


class ControlCharacters:
    """Refuses what no database keeps and nobody types: NUL anywhere, other control characters in addresses."""

    def __init__(self, next_: Next) -> None:
        self.next = next_

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Hand the request on."""
        return self.next(request)

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        """Look at the path, the query and, where one was sent, the form; views read JSON themselves."""
        # Forms are read by now: the token against forged requests is in them.
        forms = (request.GET, request.POST) if request.method == "POST" else (request.GET,)
        sent = (text for form in forms for name, values in form.lists() for text in (name, *values))
        if CONTROL.search(request.path_info):
            return not_found(request)
        if any("\0" in text for text in sent):
            return bad_request(request)
        return None
