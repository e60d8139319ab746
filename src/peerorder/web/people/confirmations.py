"""Messages with a secret that is to be answered once, within a short time: a forgotten password, another address.

The token is made when the message is sent, and only its digest is kept.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.mail.messages import LINK, Message, greeting, site_language
from peerorder.web.mail.services import queue
from peerorder.web.people.links import address_with, digest, new_token, token_of
from peerorder.web.people.models import Confirmation, Person

Purpose = Confirmation.Purpose
LIFETIME = {Purpose.PASSWORD: timedelta(hours=1), Purpose.ADDRESS: timedelta(hours=24)}
ROUTES = {Purpose.PASSWORD: "people:reset", Purpose.ADDRESS: "people:confirm-address"}


def send_confirmation(person: Person, purpose: Confirmation.Purpose, email: str) -> None:
    """Send a message to be answered. It takes the place of an earlier one of its purpose."""
    with transaction.atomic():
        Confirmation.objects.filter(person=person, purpose=purpose).delete()
        ends_at = timezone.now() + LIFETIME[purpose]
        asked = Confirmation.objects.create(person=person, purpose=purpose, email=email, ends_at=ends_at)
        message = _message(person, purpose)
        queue(person, f"confirmation {asked.pk}", message, to=email, link="confirmation", link_id=asked.pk)


@site_language()
def _message(person: Person, purpose: Confirmation.Purpose) -> Message:
    if purpose == Purpose.PASSWORD:
        subject = _("Reset your password")
        text = _(
            "somebody, probably you, asked to reset the password of your account (username %(login)s). "
            "Open this link within an hour to choose a new one; it works once:"
        ) % {"login": person.login}
        else_ = _("If that was not you, ignore this e-mail: your password stays the same.")
    else:
        subject = _("Confirm your e-mail address")
        text = _("open this link within 24 hours to confirm the e-mail address of your account; it works once:")
        else_ = _("If you did not ask for this, ignore this e-mail: nothing changes.")
    return Message(subject, f"{greeting(person.name)}\n\n{text.replace(LINK, '')}\n\n{LINK}\n\n{else_}\n")


def make_address(pk: int) -> str:
    """Make the token of a message that is about to be sent, and return the address with it."""
    asked, token = Confirmation.objects.filter(pk=pk).first(), new_token()
    if asked is None:
        # It was answered by an earlier try of the same message, or another one took its place.
        return ""
    asked.digest, asked.ends_at = digest(token), timezone.now() + LIFETIME[Purpose(asked.purpose)]
    asked.save(update_fields=["digest", "ends_at"])
    return address_with(ROUTES[Purpose(asked.purpose)], token)


def forget_address(address: str) -> None:
    """Take back a token that never reached anybody."""
    Confirmation.objects.filter(digest=digest(token_of(address))).update(digest=None)


def find(token: str, purpose: Confirmation.Purpose) -> Confirmation | None:
    """Return what a token answers, if it still may."""
    asked = Confirmation.objects.select_related("person").filter(
        digest=digest(token), purpose=purpose, ends_at__gt=timezone.now(), person__is_active=True
    )
    if purpose == Purpose.PASSWORD:
        # Somebody else may have the address that the account had.
        asked = asked.filter(person__email=F("email"))
    return asked.first()


def spend(asked: Confirmation) -> bool:
    """Use a token up, in the transaction that does what it allows; return False where somebody was faster."""
    return Confirmation.objects.filter(pk=asked.pk, digest=asked.digest).delete()[0] > 0


def pending_address(person: Person) -> Confirmation | None:
    """Return the address that somebody was asked to confirm, if they still can."""
    return person.confirmations.filter(purpose=Purpose.ADDRESS, ends_at__gt=timezone.now()).last()


def purge() -> None:
    """Delete what can no longer be answered."""
    old = Confirmation.objects.filter(ends_at__lt=timezone.now())
    if old.exists():
        old.delete()
