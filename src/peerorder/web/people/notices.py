"""Messages to people about their own account, so that nothing is changed behind their back. They carry no link."""

import uuid
from collections.abc import Iterable

from django.conf import settings
from django.utils.translation import gettext as _

from peerorder.web.mail.messages import LINK, Message, greeting
from peerorder.web.mail.registry import Addressee
from peerorder.web.mail.services import queue_messages
from peerorder.web.people.models import Person


def tell_of_password(person: Person) -> None:
    """Say that the password was set or changed."""
    what = _(
        "the password of your account with the log-in name %(login)s was set or changed. Your earlier personal links "
        "no longer work, and you are logged out on your other devices."
    )
    _tell([(person, person.email)], _("Your password was changed"), what % {"login": person.login})


def tell_of_addresses(changed: Iterable[tuple[Person, str]]) -> None:
    """Say to the previous addresses of people that they no longer count, but not what the new ones are."""
    what = _(
        "the e-mail address of your account was changed. From now on messages go to another address, and personal "
        "links that were sent to this one no longer work."
    )
    _tell(changed, _("Your e-mail address was changed"), what)


def _tell(people: Iterable[tuple[Person, str]], subject: str, what: str) -> None:
    not_you = _(
        "If that was not you, ask for a new link at %(address)s, end all sessions on your account page, and tell your "
        "instructor or site administrator."
    ) % {"address": f"{settings.PUBLIC_URL}/login/"}
    messages = {}
    for person, to in people:
        body = f"{greeting(person.name)}\n\n{what}\n\n{not_you}\n".replace(LINK, "")
        addressee = Addressee(to, pk=person.pk, is_active=person.is_active)
        messages[f"notice {uuid.uuid4().hex}"] = (addressee, Message(subject, body))
    queue_messages(messages)
