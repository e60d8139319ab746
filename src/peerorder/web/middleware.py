"""What is done for every request: the headers that keep pages safe, and a line in the log."""

import logging
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from peerorder.web.errors import TooManyRequests, too_many

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
logger = logging.getLogger("peerorder.requests")


def security_headers(next_: Next) -> Next:
    """A strict policy on every answer, and pages about people in no shared cache."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = next_(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return middleware


def request_log(next_: Next) -> Next:
    """A line for every request, without names: who, what, how it ended, how long it took."""

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


class Limits:
    """Tells people who ask for too much to wait."""

    def __init__(self, next_: Next) -> None:
        self.next = next_

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Hand the request on."""
        return self.next(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer for whatever refused to do more."""
        return too_many(request, exception) if isinstance(exception, TooManyRequests) else None
