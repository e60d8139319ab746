"""E-mails are in the language of the site, whatever the person reads who causes them; and nothing in them is missed."""

import re

import pytest
from django.utils import translation

from peerorder.web.courses.models import Role
from peerorder.web.courses.services.invitations import Invitee, invite
from peerorder.web.courses.services.links import send_links
from peerorder.web.courses.services.members import change_role
from peerorder.web.mail.messages import LINK, compose
from peerorder.web.mail.models import Mail
from peerorder.web.mail.registry import KINDS
from peerorder.web.people import notices
from peerorder.web.people.confirmations import send_confirmation
from peerorder.web.people.models import Confirmation
from tests import pseudo_locale

GIVEN = re.compile(r"https?://\S+|\b(?:Algorithms|Ida|Asa|Bo|Tove|peerorder)\b|\{link\}")


@pytest.fixture
def foreign_site(pseudo_catalogues):
    """A site in the pseudo-locale, where somebody looks at a page in English."""
    with pseudo_locale.spoken_by_django(pseudo_catalogues), translation.override("en"):
        yield


def missed(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", GIVEN.sub(" ", pseudo_locale.outside(text)))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_message(foreign_site, kind, students):
    names = {name for text in KINDS[kind] for name in re.findall(r"%\((\w+)\)", str(text))}
    message = compose(kind, students[0].person, **dict.fromkeys(names, 7))
    assert (missed(message.subject), missed(message.body)) == ([], [])
    assert LINK in message.body


def test_messages_that_people_cause(foreign_site, course, instructor, assistant, students):
    by = instructor.person
    send_links(course, by, students[:1], "once")
    invite(course, by, [Invitee("Tove", "tove@example.org", Role.INSTRUCTOR)])
    change_role(assistant, by, Role.INSTRUCTOR)
    for purpose in Confirmation.Purpose:
        send_confirmation(by, purpose, "ida@example.org")
    notices.tell_of_password(by)
    notices.tell_of_removed_password(by)
    notices.tell_of_addresses([(by, "before@example.org")])
    mails = list(Mail.objects.all())
    assert len(mails) == 8
    for mail in mails:
        assert (missed(mail.subject), missed(mail.body)) == ([], []), mail.key
        assert pseudo_locale.OPEN in mail.subject
    assert translation.get_language() == "en"
