"""Error pages: what happened, why, and what to do."""

import math

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext as _


class Refused(Exception):
    """Something cannot be done, and trying again will not help; the page shows this text."""


class Archived(PermissionDenied):
    """Nothing can be changed in a course that is archived."""

    def __init__(self) -> None:
        super().__init__(_("This course is archived: you can read it, but nothing in it can be changed."))


class TooManyRequests(Exception):
    """Somebody sends too many requests; the page shows this text, and after how many seconds to try again."""

    def __init__(self, what: str, wait: float) -> None:
        super().__init__(what)
        self.wait = max(1, math.ceil(wait))


def too_many(request: HttpRequest, error: TooManyRequests) -> HttpResponse:
    """Return 429, with the time to try again; nothing has changed."""
    answer: HttpResponse
    if request.content_type == "application/json":
        answer = JsonResponse({"error": str(error)}, status=429)
    else:
        answer = refused(request, _("Too many requests"), str(error), status=429)
    answer.headers["Retry-After"] = str(error.wait)
    return answer


def plain_too_many(request: HttpRequest, error: TooManyRequests) -> HttpResponse:
    """Return 429 without a template, to be cheap."""
    if request.content_type == "application/json":
        return too_many(request, error)
    heading = _("Please wait")
    text = f"<!doctype html><html lang={get_language()}><title>peerorder</title><h1>{heading}</h1><p>{error}"
    return HttpResponse(text, status=429, headers={"Retry-After": str(error.wait)})


def too_large(request: HttpRequest) -> HttpResponse:
    """Return 413; nothing was read."""
    text = _("This request is larger than the site accepts. Log in first, or upload a smaller file.")
    return refused(request, _("Request too large"), text, status=413)


def refused(request: HttpRequest, title: str, what: str, *, status: int = 409, back: str = "") -> HttpResponse:
    """Return a page that says why something cannot be done; nothing has changed."""
    template = "error_fragment.html" if getattr(request, "htmx", False) else "error.html"
    return render(request, template, {"title": title, "what": what, "back": back}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return 400."""
    if isinstance(exception, RequestDataTooBig):
        message = _(
            "This is more text than the site accepts at once. Go back, where your text is still there, and shorten it."
        )
        return refused(request, _("Text too long"), message, status=413)
    message = _("The browser sent something that the site does not understand. Go back and try again.")
    return refused(request, _("Invalid request"), message, status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return 403."""
    if str(exception or ""):
        text = str(exception)
    elif request.user.is_authenticated:
        text = _("Your role in this course does not give you access. If it should, ask an instructor of the course.")
    else:
        text = _(
            "You are not logged in, so what you just sent was not saved. Log in, or open your personal link again."
        )
    if request.content_type == "application/json" and request.user.is_authenticated:
        # Scripts have their own message for people who are not logged in.
        return JsonResponse({"error": text}, status=403)
    title = _("The course is archived") if isinstance(exception, Archived) else _("You do not have access to this page")
    return refused(request, title, text, status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Return 404."""
    text = _("This page does not exist, or you do not have access to it. Check the address, or go to your own pages.")
    return refused(request, _("Page not found"), text, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return 500, without anything that could fail again."""
    return HttpResponse(
        "<!doctype html><html lang=en><title>peerorder</title><h1>The server had a problem</h1>"
        "<p>What you saved is safe. Try again in a minute; if this happens again, tell your site administrator.",
        status=500,
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return 403 for a form without its token, or with one from before the last log-in."""
    if request.content_type == "application/json" and request.user.is_authenticated:
        return JsonResponse({"error": _("You logged in after you opened this page. Reload it.")}, status=403)
    text = _("This form was open for too long, or cookies are turned off. Go back, reload the page and try again.")
    return refused(request, _("The form has expired"), text, status=403)
