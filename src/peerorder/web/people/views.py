"""Log in, by password or by personal link, and look after one's own account."""

from django.contrib import messages
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from peerorder.web.errors import refused
from peerorder.web.people import services, throttling
from peerorder.web.people.access import PersonRequest, anybody, is_staff_anywhere, logged_in, staff_anywhere
from peerorder.web.people.forms import DetailsForm, LoginForm, PasswordForm
from peerorder.web.people.models import Person


@anybody
@require_http_methods(["GET", "HEAD", "POST"])
def log_in(request: HttpRequest) -> HttpResponse:
    """By name and password."""
    form = LoginForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["login"]
        with throttling.reserve_log_in(request, name) as attempt:
            person = authenticate(request, username=name, password=form.cleaned_data["password"])
        if person is not None:
            attempt.release()
            login(request, person)
            answer = redirect(_next(request))
            throttling.trust_device(answer, name)
            return answer
        form.add_error(None, _("Name and password do not match. Students come in by their personal link."))
    return render(request, "people/login.html", {"form": form, "next": request.GET.get("next", "")})


def _next(request: HttpRequest) -> str:
    """Where the person wanted to go, if that is a page of ours."""
    wanted = request.POST.get("next", "")
    ours = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if ours else "home"


@anybody
@require_safe
def enter(request: HttpRequest, token: str) -> HttpResponse:
    """By personal link. A good link works however many bad ones came from the same address."""
    person = services.person_behind(token)
    if person is not None:
        login(request, person)
        return redirect("home")
    throttling.reserve_guess(request)
    what = _("This link is not valid, or no longer. Ask your instructor for a new one.")
    return refused(request, _("This link does not work"), what, status=404)


@anybody
@require_POST
def log_out(request: HttpRequest) -> HttpResponse:
    """Forget who this is."""
    logout(request)
    messages.success(request, _("You are logged out."))
    return redirect("people:login")


@logged_in
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: PersonRequest) -> HttpResponse:
    """One's own name, address and password."""
    form = PasswordForm(request.POST or None, instance=request.user)
    if request.method == "POST" and form.is_valid():
        services.set_password(request.user, form.cleaned_data["login"], form.cleaned_data["password"])
        update_session_auth_hash(request, request.user)
        messages.success(request, _("Your password is set. From now on you can log in with it too."))
        return redirect("people:account")
    return _account(request, form, DetailsForm(instance=request.user, prefix="details"))


def _account(request: PersonRequest, form: PasswordForm, details: DetailsForm, status: int = 200) -> HttpResponse:
    # Forms write what was typed to the person, who stands in the head of the page as well.
    person = Person.objects.get(pk=request.user.pk)
    context = {"form": form, "details": details, "person": person, "is_staff": is_staff_anywhere(person)}
    return render(request, "people/account.html", context, status=status)


@staff_anywhere
@require_POST
def details(request: PersonRequest) -> HttpResponse:
    """Change one's name or address. Whoever finds a computer logged in must not take the account away by the latter."""
    person = Person.objects.get(pk=request.user.pk)
    form = DetailsForm(request.POST, instance=person, prefix="details")
    if form.is_valid() and form.changes_address:
        with throttling.reserve(request, "password of", str(person.pk)) as attempt:
            is_right = request.user.check_password(form.cleaned_data["password"])
        if not request.user.has_usable_password():
            form.add_error("password", _("You have no password yet. Set one below first."))
        elif is_right:
            attempt.release()
        else:
            form.add_error("password", _("To change the address, give the password that you have now."))
    if not form.is_valid():
        return _account(request, PasswordForm(instance=request.user), form, status=422)
    services.change_details(request.user, form.cleaned_data["name"], form.cleaned_data["email"])
    messages.success(request, _("Saved."))
    return redirect("people:account")
