"""Somebody's own name and e-mail address. An address counts once a message to it was answered."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from peerorder.web.audit.services import record
from peerorder.web.database.batches import batches
from peerorder.web.people import confirmations
from peerorder.web.people.expiry import links_in_force
from peerorder.web.people.models import Confirmation, Link, Person
from peerorder.web.people.notices import tell_of_addresses


def change_name(person: Person, name: str) -> None:
    """Change the name that others see."""
    with transaction.atomic():
        if Person.objects.filter(pk=person.pk).exclude(name=name).update(name=name):
            record("account changed", person, fields=["name"])


def request_address(person: Person, email: str) -> None:
    """Ask for an answer from an address, the present one or another; until then nothing changes."""
    with transaction.atomic():
        confirmations.send_confirmation(person, Confirmation.Purpose.ADDRESS, email)
        record("address asked for", person, person=person.pk)


def confirm_address(asked: Confirmation) -> bool:
    """Take the address of somebody who answered a message to it; return False if the token was used meanwhile.

    The previous address is told, and links that were sent there end.
    """
    now = timezone.now()
    with transaction.atomic():
        if not confirmations.spend(asked):
            return False
        person = Person.objects.select_for_update().get(pk=asked.person_id)
        before = person.email
        person.email, person.email_verified_at = asked.email, now
        person.save(update_fields=["email", "email_verified_at"])
        if before != person.email:
            record("account changed", person, fields=["email"])
            leave_addresses([(person, before)])
        else:
            record("address verified", person, person=person.pk)
    return True


def leave_addresses(changed: Sequence[tuple[Person, str]]) -> None:
    """Tell the previous addresses of people, whose new ones are saved, and end links that were sent there."""
    now = timezone.now()
    for some in batches([person.pk for person, _before in changed]):
        mailed = Link.objects.filter(links_in_force(now), person__in=some, kind=Link.Kind.MAILED)
        mailed.exclude(sent_to=F("person__email")).update(revoked_at=now)
    tell_of_addresses(changed)
