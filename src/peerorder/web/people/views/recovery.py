"""For people who cannot get in: their link again, or a new password, by e-mail; and answers to such messages."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from peerorder.web.errors import refused
from peerorder.web.mail.services import is_set_up
from peerorder.web.people import confirmations, throttling
from peerorder.web.people.access import anybody
from peerorder.web.people.addresses import confirm_address
from peerorder.web.people.forms import AddressForm, NewPasswordForm
from peerorder.web.people.models import Confirmation, MailRequest
from peerorder.web.people.passwords import reset_password
from peerorder.web.people.recovery import request_mail
from peerorder.web.people.views.entering import with_secret_address

# Behind one address may be a whole class that has lost its links.
MOST_BY_CLIENT = 50


@anybody
@require_http_methods(["GET", "HEAD", "POST"])
def send_link(request: HttpRequest) -> HttpResponse:
    """Send somebody their link again."""
    return _request_by_mail(request, MailRequest.Purpose.LINK, "people/send_link.html")


@anybody
@require_http_methods(["GET", "HEAD", "POST"])
def send_reset(request: HttpRequest) -> HttpResponse:
    """Send somebody a way to a new password."""
    return _request_by_mail(request, MailRequest.Purpose.PASSWORD, "people/send_reset.html")


def _request_by_mail(request: HttpRequest, purpose: MailRequest.Purpose, template: str) -> HttpResponse:
    """Give every address the same answer, known or not."""
    form, sent = AddressForm(request.POST or None), False
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"]
        throttling.reserve(request, f"{purpose} from", throttling.address_of(request), most=MOST_BY_CLIENT)
        throttling.reserve(request, f"{purpose} to", email)
        request_mail(email, purpose)
        sent = True
    status = 422 if request.method == "POST" and not sent else 200
    return render(request, template, {"form": form, "sent": sent, "sends": is_set_up()}, status=status)


@anybody
@require_http_methods(["GET", "HEAD", "POST"])
@with_secret_address
def reset(request: HttpRequest, token: str) -> HttpResponse:
    """Choose a new password, with the token of a message."""
    asked = confirmations.find(token, Confirmation.Purpose.PASSWORD)
    if asked is None:
        return _show_expired(request, _("Ask for another e-mail on the log-in page."))
    form = NewPasswordForm(request.POST or None, person=asked.person)
    if request.method == "POST" and form.is_valid():
        if not reset_password(asked, form.cleaned_data["password"]):
            return _show_expired(request, _("Ask for another e-mail on the log-in page."))
        messages.success(request, _("Your new password is set. Log in with it now."))
        return redirect("people:login")
    return render(request, "people/reset.html", {"form": form, "person": asked.person})


@anybody
@require_http_methods(["GET", "HEAD", "POST"])
@with_secret_address
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm one's address, with the token of a message to it."""
    asked = confirmations.find(token, Confirmation.Purpose.ADDRESS)
    if asked is None or (request.method == "POST" and not confirm_address(asked)):
        return _show_expired(request, _("Ask for another e-mail on your account page."))
    if request.method == "POST":
        messages.success(request, _("Your e-mail address is confirmed."))
        return redirect("people:account")
    return render(request, "people/confirm.html", {"asked": asked})


def _show_expired(request: HttpRequest, cure: str) -> HttpResponse:
    text = _("It was already used, or it has expired.")
    return refused(request, _("This link does not work"), f"{text} {cure}", status=404)
