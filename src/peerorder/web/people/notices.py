"""Messages to people about their own account, so that nothing is changed behind their back. They carry no link."""

import uuid

from django.conf import settings
from django.utils.translation import gettext as _

from peerorder.web.mail.messages import LINK, Message
from peerorder.web.mail.services import queue
from peerorder.web.people.models import Person


def tell_of_password(person: Person) -> None:
    """Say that the password was set or changed."""
    what = _(
        "the password of your account with the log-in name %(login)s was set or changed. Your earlier personal links "
        "no longer work, and you are logged out on your other devices."
    )
    _tell(person, person.email, _("Your password was changed"), what % {"login": person.login})


def tell_of_address(person: Person, before: str) -> None:
    """Say to the previous address that it no longer counts."""
    what = _("the e-mail address of your account was changed. From now on messages go to another address.")
    _tell(person, before, _("Your e-mail address was changed"), what)


def _tell(person: Person, to: str, subject: str, what: str) -> None:
    if not to:
        return
    name = person.name.replace(LINK, "")
    hello = _("Hello %(name)s,") % {"name": name} if name else _("Hello,")
    not_you = _(
        "If that was not you, ask for a new link at %(address)s, end all sessions on your account page, and tell your "
        "instructor or site administrator."
    ) % {"address": f"{settings.PUBLIC_URL}/login/"}
    body = f"{hello}\n\n{what}\n\n{not_you}\n"
    queue(person, f"notice {uuid.uuid4().hex}", Message(subject, body.replace(LINK, "")), to=to)
