"""Messages to people about their own account, so that nothing is changed behind their back. They carry no link."""

import uuid
from collections.abc import Iterable

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _

from peerorder.web.mail.messages import LINK, Message, greeting, site_language
from peerorder.web.mail.registry import Addressee
from peerorder.web.mail.services import queue_messages
from peerorder.web.people.models import Person


@site_language()
def tell_of_password(person: Person) -> None:
    """Say that the password was set or changed."""
    text = _(
        "the password of your account (username %(login)s) was set or changed. Your earlier personal links "
        "no longer work, and you are logged out on your other devices."
    )
    not_you = _(
        "If that was not you, choose “Reset my password by e-mail” at %(address)s: that replaces the "
        "password and ends all sessions and links. Then tell your instructor or site administrator."
    ) % {"address": f"{settings.PUBLIC_URL}{reverse('people:send-reset')}"}
    _tell([(person, person.email)], _("Your password was changed"), text % {"login": person.login}, not_you)


@site_language()
def tell_of_removed_password(person: Person) -> None:
    """Say that the password was removed."""
    text = _(
        "the password of your account was removed, and all its sessions and personal links were ended. You now log "
        "in with a personal link; you can ask for one at %(address)s."
    )
    _tell(
        [(person, person.email)],
        _("Your password was removed"),
        text % {"address": f"{settings.PUBLIC_URL}{reverse('people:send-link')}"},
        _("If that was not you, tell your instructor or site administrator."),
    )


@site_language()
def tell_of_addresses(changed: Iterable[tuple[Person, str]]) -> None:
    """Say to the previous addresses of people that they no longer count, but not what the new ones are."""
    text = _(
        "the e-mail address of your account at %(address)s was changed. From now on e-mails go to another address, "
        "and personal links that were sent to this one no longer work."
    ) % {"address": f"{settings.PUBLIC_URL}/login/"}
    not_you = _("If that was not you, tell your instructor or site administrator right away.")
    _tell(changed, _("Your e-mail address was changed"), text, not_you)


def _tell(people: Iterable[tuple[Person, str]], subject: str, what: str, not_you: str) -> None:
    messages = {}
    for person, to in people:
        body = f"{greeting(person.name)}\n\n{what}\n\n{not_you}\n".replace(LINK, "")
        addressee = Addressee(to, pk=person.pk, is_active=person.is_active)
        messages[f"notice {uuid.uuid4().hex}"] = (addressee, Message(subject, body))
    queue_messages(messages)
