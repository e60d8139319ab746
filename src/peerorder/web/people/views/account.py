"""One's own account: name and address, password, sessions and links."""

from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.http import require_http_methods, require_POST

from peerorder.web.mail.services import is_set_up
from peerorder.web.people import throttling
from peerorder.web.people.access import PersonRequest, is_staff_anywhere, logged_in, staff_anywhere
from peerorder.web.people.addresses import change_name, request_address
from peerorder.web.people.confirmations import pending_address
from peerorder.web.people.forms import DetailsForm, PasswordForm
from peerorder.web.people.links import end_all_access, live_links, revoke_link, revoke_own_links
from peerorder.web.people.models import Link, Person
from peerorder.web.people.passwords import set_password
from peerorder.web.people.sessions import current_session, end_own_sessions, entered_recently, live_sessions


@logged_in
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: PersonRequest) -> HttpResponse:
    """Show everything about one's account; set a password."""
    if request.method != "POST":
        return _page(request)
    form = PasswordForm(request.POST, person=request.user)
    if form.is_valid():
        _check_who(request, form)
    if not form.is_valid():
        return _page(request, form, status=422)
    set_password(request.user, form.cleaned_data["password"], keep=current_session(request))
    update_session_auth_hash(request, request.user)
    messages.success(
        request,
        _("Your password is set. Your username is %(login)s. Your earlier links no longer work.")
        % {"login": request.user.login},
    )
    return redirect("people:account")


def _check_who(request: PersonRequest, form: PasswordForm | DetailsForm) -> None:
    """Add an error to a form unless it is the person: by their password, or because they entered just now."""
    if not request.user.has_usable_password():
        if not entered_recently(request):
            text = _("For your safety, open your personal link again, then repeat this within 15 minutes.")
            form.add_error(None, text)
        return
    with throttling.reserve(request, "password of", str(request.user.pk)) as attempt:
        is_right = request.user.check_password(form.cleaned_data["current"])
    if is_right:
        attempt.release()
    else:
        form.add_error("current", _("This is not your current password."))


def _page(
    request: PersonRequest, form: PasswordForm | None = None, details: DetailsForm | None = None, status: int = 200
) -> HttpResponse:
    # Checking a password may have written a new hash of it, and forms what was typed.
    person = Person.objects.get(pk=request.user.pk)
    context = {
        "form": form or PasswordForm(person=person),
        "details": details or DetailsForm(person=person, prefix="details"),
        "person": person,
        "pending": pending_address(person),
        "is_staff": is_staff_anywhere(person),
        "sessions": live_sessions(person),
        "here": current_session(request),
        "links": live_links(person),
    }
    return render(request, "people/account.html", context, status=status)


@staff_anywhere
@require_POST
def details(request: PersonRequest) -> HttpResponse:
    """Change one's name, or ask for another address."""
    form = DetailsForm(request.POST, person=request.user, prefix="details")
    if form.is_valid() and form.changes_address:
        _check_who(request, form)
    if not form.is_valid():
        return _page(request, details=form, status=422)
    change_name(request.user, form.cleaned_data["name"])
    if form.changes_address:
        request_address(request.user, form.cleaned_data["email"])
        _tell_of_message(request, form.cleaned_data["email"])
    else:
        messages.success(request, _("Saved."))
    return redirect("people:account")


@logged_in
@require_POST
def verify(request: PersonRequest) -> HttpResponse:
    """Ask for an answer from the address that one has."""
    throttling.reserve(request, "verify the address of", str(request.user.pk))
    if request.user.email:
        request_address(request.user, request.user.email)
        _tell_of_message(request, request.user.email)
    return redirect("people:account")


def _tell_of_message(request: PersonRequest, email: str) -> None:
    """Say where to find the message that confirms an address, or that it reaches nobody."""
    if is_set_up():
        messages.success(
            request, _("We sent an e-mail to %(email)s. Open the link in it to confirm the address.") % {"email": email}
        )
    else:
        messages.warning(
            request, _("No mail server is set up, so no e-mail could be sent to %(email)s.") % {"email": email}
        )


@logged_in
@require_POST
def end(request: PersonRequest) -> HttpResponse:
    """End one session, or all but this one."""
    current, key = current_session(request), request.POST.get("session", "")
    if key == current:
        logout(request)
        return redirect("people:login")
    ended = end_own_sessions(request.user, only=key, keep=current)
    messages.success(request, ngettext("%(n)d session ended.", "%(n)d sessions ended.", ended) % {"n": ended})
    return redirect("people:account")


@logged_in
@require_POST
def revoke(request: PersonRequest) -> HttpResponse:
    """Revoke one link, or all."""
    number = request.POST.get("link", "")
    if number:
        link = Link.objects.filter(pk=int(number), person=request.user).first() if number.isdecimal() else None
        revoked = int(link is not None and revoke_link(link, request.user, keep=current_session(request)))
    else:
        revoked = revoke_own_links(request.user, keep=current_session(request))
    messages.success(request, ngettext("%(n)d link revoked.", "%(n)d links revoked.", revoked) % {"n": revoked})
    return redirect("people:account")


@logged_in
@require_POST
def end_all(request: PersonRequest) -> HttpResponse:
    """End all sessions, this one too, and all links; the password too, where that is ticked."""
    password = bool(request.POST.get("password"))
    # A session that somebody left open proves nothing, and nobody could come back without an address.
    if password and not (request.user.email and entered_recently(request)):
        text = _("Nothing was changed. To remove your password, open a new personal link first, then try again.")
        messages.error(request, text)
        return redirect("people:account")
    end_all_access(request.user, password=password)
    logout(request)
    messages.success(request, _("All your sessions and links have ended. You can ask for a new link here."))
    return redirect("people:login")
