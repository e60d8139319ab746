"""Log in, by password or by personal link, and out again."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth import authenticate, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from peerorder.web.people import throttling
from peerorder.web.people.access import anybody
from peerorder.web.people.expiry import courses_of, standing_of
from peerorder.web.people.forms import AddressForm, LoginForm
from peerorder.web.people.links import LinkState, look_up, use_link
from peerorder.web.people.login_events import record_logout
from peerorder.web.people.models import Person
from peerorder.web.people.sessions import begin_session

DEAD = {
    LinkState.UNKNOWN: gettext_lazy("This link is not valid. Part of it may be missing."),
    LinkState.REVOKED: gettext_lazy("This link was revoked."),
    LinkState.REPLACED: gettext_lazy("A newer link has replaced this one. Look for the latest e-mail."),
    LinkState.EXPIRED: gettext_lazy("This link has expired."),
}


def with_secret_address(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Keep the address of a page, which has a token in it, out of what the browser sends along with other requests.

    Proxies write that into their logs. The origin alone still goes along: the check of forged requests needs it.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        response.headers["Referrer-Policy"] = "strict-origin"
        return response

    return wrapped


@anybody
@require_http_methods(["GET", "HEAD", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """Log in by name and password."""
    form = LoginForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["login"]
        with throttling.reserve_log_in(request, name) as attempt:
            person = authenticate(request, username=name, password=form.cleaned_data["password"])
        if person is not None:
            attempt.release()
        if isinstance(person, Person) and not _is_over(person):
            begin_session(request, person)
            answer = redirect(_next(request))
            throttling.trust_device(answer, name)
            return answer
        if person is None:
            text = _(
                "Wrong username or password. Students log in with their personal link; if you have set a password, the "
                "e-mail about it has your username."
            )
            form.add_error(None, text)
        else:
            form.add_error(None, _("Your course has ended, so you can no longer log in. Ask your instructor."))
    return render(request, "people/login.html", {"form": form, "next": request.GET.get("next", "")})


def _is_over(person: Person) -> bool:
    standing = standing_of(person)
    return not standing.is_staff and standing.ends_at is not None and standing.ends_at <= timezone.now()


def _next(request: HttpRequest) -> str:
    """Return where the person wanted to go, if that is a page of ours."""
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if ours else "home"


@anybody
@require_http_methods(["GET", "HEAD", "POST"])
@with_secret_address
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """Log in by personal link. Opening it changes nothing, as mail scanners open links too; its button logs in."""
    link, state = look_up(token)
    if link is None or state is not LinkState.LIVE:
        return _show_dead_link(request, state)
    other = request.user if request.user.is_authenticated and request.user != link.person else None
    # People who are logged in as somebody else agree first, on a page that says so.
    agreed = other is None or request.POST.get("instead_of") == str(other.pk)
    if request.method == "POST" and agreed:
        if not use_link(link):
            return _show_dead_link(request, LinkState.REPLACED)
        begin_session(request, link.person, link)
        return redirect("home")
    context = {"person": link.person, "other": other, "courses": [each.course for each in courses_of(link.person)]}
    return render(request, "people/enter.html", context)


def _show_dead_link(request: HttpRequest, state: LinkState) -> HttpResponse:
    return render(request, "people/dead_link.html", {"why": DEAD[state], "form": AddressForm()}, status=404)


@anybody
@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Forget who this is."""
    if isinstance(request.user, Person):
        record_logout(request.user)
    logout(request)
    messages.success(request, _("You are logged out."))
    return redirect("people:login")
