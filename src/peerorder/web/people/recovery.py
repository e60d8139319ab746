"""For people who cannot get in: their link again, or a way to a new password, by e-mail.

The page gives the same answer for every address, after the same work: it notes the address, and the worker looks
later who that is.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.jobs.services import enqueue
from peerorder.web.mail.messages import LINK, Message, greeting
from peerorder.web.mail.services import queue
from peerorder.web.people import confirmations
from peerorder.web.people.expiry import courses_of
from peerorder.web.people.models import Confirmation, MailRequest, Person

# Nobody gets the same message twice in this time, however often it is asked for.
PAUSE = timedelta(minutes=10)
# Of one address: a student has an account in every course.
MOST_ACCOUNTS = 20


def request_mail(email: str, purpose: MailRequest.Purpose) -> None:
    """Note that somebody asked for an e-mail to an address, known or not."""
    with transaction.atomic():
        MailRequest.objects.create(email=email, purpose=purpose)
        enqueue("mail requests", key="mail requests")


def answer_requests() -> int:
    """Queue the messages that were asked for; return how many."""
    messages = 0
    for request in MailRequest.objects.order_by("pk")[:1000]:
        with transaction.atomic():
            answer = _send_links if request.purpose == MailRequest.Purpose.LINK else _send_resets
            messages += answer(request)
            request.delete()
    return messages


def _accounts(email: str) -> list[Person]:
    people = Person.objects.filter(email__iexact=email, is_active=True, erased_at=None)
    return list(people.order_by("-pk")[:MOST_ACCOUNTS])


def _send_links(request: MailRequest) -> int:
    return sum(_send_link(person, request.at) for person in _accounts(request.email))


def _send_link(person: Person, moment: datetime) -> bool:
    running = [course.course for course in courses_of(person) if course.is_staff or course.ends_at > timezone.now()]
    if not running and not person.makes_courses:
        return False
    of = ", ".join(running).replace(LINK, "") or _("peerorder")
    body = _(
        "here is your new personal link for %(courses)s:\n\n%(link)s\n\nPlease keep it to yourself. If you did not "
        "ask for it, ignore this e-mail."
    ) % {"courses": of, "link": LINK}
    message = Message(_("Your personal link for %(courses)s") % {"courses": of}, f"{greeting(person.name)}\n\n{body}\n")
    return queue(person, f"link again {person.pk} {_slot(moment)}", message)


def _send_resets(request: MailRequest) -> int:
    people = [person for person in _accounts(request.email) if person.has_usable_password()]
    recent = Confirmation.objects.filter(purpose=Confirmation.Purpose.PASSWORD, made_at__gt=request.at - PAUSE)
    already = set(recent.filter(person__in=people).values_list("person", flat=True))
    for person in people:
        if person.pk not in already:
            confirmations.send_confirmation(person, Confirmation.Purpose.PASSWORD, person.email)
    return len(people) - len(already)


def _slot(moment: datetime) -> int:
    return int(moment.timestamp() // PAUSE.total_seconds())
