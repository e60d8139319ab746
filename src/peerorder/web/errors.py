"""Pages for what went wrong: what it is, and what to do."""

import math

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


class Refused(Exception):
    """It cannot be done, and trying again will not help; people are told this text."""


class Archived(PermissionDenied):
    """Nothing can be changed in a course that is archived."""

    def __init__(self) -> None:
        super().__init__(_("This course is archived: it can be read, and nothing in it can be changed."))


class TooManyRequests(Exception):
    """Somebody asks for too much at once; people are told this text, and when to come back (in seconds)."""

    def __init__(self, what: str, wait: float) -> None:
        super().__init__(what)
        self.wait = max(1, math.ceil(wait))


def too_many(request: HttpRequest, error: TooManyRequests) -> HttpResponse:
    """429: with nothing changed, and when to try again."""
    answer: HttpResponse
    if request.content_type == "application/json":
        answer = JsonResponse({"error": str(error)}, status=429)
    else:
        answer = refused(request, _("Please wait"), str(error), status=429)
    answer.headers["Retry-After"] = str(error.wait)
    return answer


def plain_too_many(request: HttpRequest, error: TooManyRequests) -> HttpResponse:
    """429, as cheaply as can be."""
    if request.content_type == "application/json":
        return too_many(request, error)
    text = f"<!doctype html><html lang=en><title>peerorder</title><h1>{_('Please wait')}</h1><p>{error}"
    return HttpResponse(text, status=429, headers={"Retry-After": str(error.wait)})


def too_large(request: HttpRequest) -> HttpResponse:
    """413, with nothing read."""
    what = _("That is more than is taken here at once. Log in first, or send less.")
    return refused(request, _("Too large"), what, status=413)


def refused(request: HttpRequest, title: str, what: str, *, status: int = 409, back: str = "") -> HttpResponse:
    """A page that says why something cannot be, with nothing changed."""
    template = "error_fragment.html" if getattr(request, "htmx", False) else "error.html"
    return render(request, template, {"title": title, "what": what, "back": back}, status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400."""
    if isinstance(exception, RequestDataTooBig):
        what = _(
            "That is more text than is taken at once. Go back (what you wrote is still there) and make it shorter."
        )
        return refused(request, _("Too long"), what, status=413)
    what = _("The request was not understood. Go back and try again.")
    return refused(request, _("That did not work"), what, status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403."""
    if str(exception or ""):
        what = str(exception)
    elif request.user.is_authenticated:
        what = _("Your role in this course does not allow this. If it should, ask an instructor of the course.")
    else:
        what = _(
            "You are not logged in, or no longer, so what you sent just now was not taken. "
            "Log in, or open your personal link again."
        )
    if request.content_type == "application/json" and request.user.is_authenticated:
        # A script knows by itself what to say to who is not logged in.
        return JsonResponse({"error": what}, status=403)
    title = _("The course is archived") if isinstance(exception, Archived) else _("You do not have access to this page")
    return refused(request, title, what, status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404."""
    what = _("There is nothing here, or nothing that you may see. Check the address, or go to your own pages.")
    return refused(request, _("Not found"), what, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: without anything that could fail once more."""
    return HttpResponse(
        "<!doctype html><html lang=en><title>peerorder</title><h1>Something broke on our side</h1>"
        "<p>What you had saved is safe. Try again in a minute; if it happens again, tell whoever runs this site.",
        status=500,
    )


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without its token, or with an old one: every log-in makes a new one."""
    if request.content_type == "application/json" and request.user.is_authenticated:
        return JsonResponse({"error": _("You logged in after you opened this page. Load it again.")}, status=403)
    what = _(
        "This form was open for too long, or cookies are switched off. Go back, load the page again, and repeat it."
    )
    return refused(request, _("Please try again"), what, status=403)
