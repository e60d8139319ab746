"""Personal links of the members of a course: make, send, revoke."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.queries import manages, members_with_own_account
from peerorder.web.errors import Refused
from peerorder.web.mail.messages import LINK, Message, site_language
from peerorder.web.mail.services import queue_messages
from peerorder.web.people.links import link_number, make_link, make_links, revoke_access, revoke_link
from peerorder.web.people.models import Link, Person


def link_for(member: Member, by: Person) -> str:
    """Return a new link for one member, to be shown once."""
    with transaction.atomic():
        if not manages(member):
            raise Refused(
                _("You cannot create links for a person with their own account. They can request one when they log in.")
            )
        link = make_link(member.person)
        # Log-ins name the link as well, so that log-ins with a link created by staff can be told apart.
        record("link made", by, course=member.course, member=member.pk, link=link_number(link))
    return link


def links_for(course: Course, by: Person, members: Sequence[Member]) -> list[str]:
    """Return a new link for each member; the links that they have keep working."""
    with transaction.atomic():
        links = make_links([member.person for member in members])
        record("links exported", by, course=course, links=len(links))
    return links


@site_language()
def send_links(course: Course, by: Person, members: Sequence[Member], once: str) -> int:
    """E-mail everybody a personal link; a second call with the same ``once`` sends nothing."""
    subject = _("Your personal link for %(course)s") % {"course": course.name}
    body = _(
        "Hello,\n\nhere is your personal link for %(course)s:\n\n{link}\n\n"
        "Open it to hand in and to rank papers; you need no password. Please keep it to yourself, because anybody who "
        "has it can act in your name.\n"
    ) % {"course": course.name.replace(LINK, "")}
    with transaction.atomic():
        message = Message(subject, body)
        new = queue_messages(
            {f"links {once} {member.pk}": (member.person, message) for member in members}, course_id=course.pk
        )
        if new:
            record("links sent", by, course=course, mails=new)
    return new


def revoke_member_access(member: Member, by: Person) -> int:
    """Revoke the links, password and sessions of one member; return how many links there were."""
    with transaction.atomic():
        if not manages(member):
            raise Refused(
                _("You cannot revoke links of a person with their own account. They can do so on their account page.")
            )
        revoked = revoke_access([member.person])
        record("links revoked", by, course=member.course, member=member.pk, links=revoked)
    return revoked


def revoke_member_link(member: Member, by: Person, link: Link) -> bool:
    """Revoke one link of a student and end the sessions begun with it; return whether it was live."""
    with transaction.atomic():
        if not manages(member):
            raise Refused(
                _("You cannot revoke links of a person with their own account. They can do so on their account page.")
            )
        return revoke_link(link, by, course=member.course)


def revoke_student_access(course: Course, by: Person) -> int:
    """Do the same for all students of the course, also removed ones; return how many links there were."""
    with transaction.atomic():
        students = Member.objects.filter(course=course, role=Role.STUDENT).select_related("person")
        own = members_with_own_account(course).values("pk")
        revoked = revoke_access([member.person for member in students.exclude(pk__in=own)])
        record("links revoked", by, course=course, links=revoked)
    return revoked
