"""Who is logged in: the checks that need no course.

Every view wears one of the decorators of this module, of ``courses.access`` or of ``assignments.access``. They find
what the address names, check the person's part in it, and hand both on.
"""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from peerorder.web.people.expiry import standing_of
from peerorder.web.people.models import Person

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails

View = Callable[..., HttpResponseBase]


class PersonRequest(HttpRequest):
    """A request of somebody who is logged in."""

    user: Person
    htmx: "HtmxDetails"


def anybody(view: View) -> View:
    """Let everybody in, logged in or not."""
    return mark(view, "anybody")


def logged_in(view: View) -> View:
    """Let in everybody who is logged in."""
    return _guard(view, "logged in", lambda _person: True)


def course_makers(view: View) -> View:
    """Let in people who may make courses."""
    return _guard(view, "makes courses", lambda person: person.makes_courses)


def staff_anywhere(view: View) -> View:
    """Let in people who make courses, or are staff of one: their accounts are their own, and no roster's."""
    return _guard(view, "staff anywhere", is_staff_anywhere)


def is_staff_anywhere(person: Person) -> bool:
    """Return whether somebody makes courses, or is staff of one."""
    return standing_of(person).is_staff


def _guard(view: View, label: str, allows: Callable[[Person], bool]) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return log_in_first(request)
        if not allows(request.user):
            raise PermissionDenied(_("Your account does not allow this. If it should, ask your site administrator."))
        return view(request, *args, **kwargs)

    return mark(guarded, label)


def log_in_first(request: HttpRequest) -> HttpResponse:
    """Send a reader to the log-in page; refuse anything else."""
    if request.method in ("GET", "HEAD"):
        return redirect_to_login(request.get_full_path())
    raise PermissionDenied


def accepts_files(view: View) -> View:
    """Let a view take files; all others are sent none."""
    view.accepts_files = True  # type: ignore[attr-defined]
    return view


def takes_files(view: View) -> bool:
    """Return whether a view takes files."""
    return bool(getattr(view, "accepts_files", False))


def mark(view: View, allowed: object) -> View:
    """Write on a view who may enter, so that the table of who may reach what can be checked."""
    view.allowed = allowed  # type: ignore[attr-defined]
    return view
