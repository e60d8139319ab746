"""Invite somebody to be staff of a course, and let them accept.

An invitation finds no account, because everybody can claim an address. It becomes a membership of the account with
which it is accepted: the one that somebody is logged in with, or a new one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Invitation, Member, Role
from peerorder.web.errors import Refused
from peerorder.web.mail.messages import LINK, Message, greeting, site_language, written_time
from peerorder.web.mail.models import Mail
from peerorder.web.mail.registry import Addressee
from peerorder.web.mail.services import is_set_up, queue
from peerorder.web.people.links import address_with, digest, new_token, token_of
from peerorder.web.people.models import Person

LIFE = timedelta(days=7)
KEPT = timedelta(days=30)
"""How long an invitation is kept after its end, for its page to say what became of it."""
DAY = timedelta(days=1)
LINK_KIND = "invitation"
MOST, MOST_TO_AN_ADDRESS = 100, 5
"""Invitations a day, of a course or by a person: enough for the assistants of a large course, too few to send spam."""


@dataclass(frozen=True)
class Invitee:
    """Somebody to invite."""

    name: str
    email: str
    role: Role
    student: str = ""
    """The id on the roster, if there is one."""


# Inviting.


def invite(course: Course, by: Person, invitees: Sequence[Invitee]) -> list[Invitation]:
    """Invite people, by e-mail where a mail server is set up; otherwise ``link_to_show`` has a link to pass on."""
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=course.pk)
        _check_limits(course, by, invitees)
        now = timezone.now()
        invitations = [
            Invitation.objects.create(
                course=course, invited_by=by, invited_at=now, expires_at=now + LIFE, **vars(invitee)
            )
            for invitee in invitees
        ]
        for invitation in invitations:
            record("staff invited", by, course=course, invitation=invitation.pk, role=invitation.role)
            if is_set_up():
                _queue(course, by, invitation)
    return invitations


def _check_limits(course: Course, by: Person, invitees: Sequence[Invitee]) -> None:
    today = Invitation.objects.filter(invited_at__gt=timezone.now() - DAY)
    # Also by the person: it takes a moment to make another course.
    if today.filter(Q(course=course) | Q(invited_by=by)).count() + len(invitees) > MOST:
        message = _("You have sent %(most)d invitations in 24 hours, which is the limit. Send the others tomorrow.")
        raise Refused(message % {"most": MOST})
    for email in {invitee.email.lower() for invitee in invitees}:
        if today.filter(email__iexact=email).count() >= MOST_TO_AN_ADDRESS:
            message = _(
                "%(email)s has received %(most)d invitations in 24 hours, which is the limit. Try again tomorrow."
            )
            raise Refused(message % {"email": email, "most": MOST_TO_AN_ADDRESS})


def _queue(course: Course, by: Person, invitation: Invitation) -> None:
    """Queue the message. Its token is made when it is sent."""
    to, message = Addressee(invitation.email, invitation.name), _message(course, by, invitation)
    link = {"link": LINK_KIND, "link_id": invitation.pk}
    queue(to, f"invitation {invitation.pk}", message, course_id=course.pk, **link)


@site_language()
def _message(course: Course, by: Person, invitation: Invitation) -> Message:
    words = {
        "by": str(by),
        "role": invitation.get_role_display(),
        "course": course.name,
        "until": written_time(invitation.expires_at),
    }
    words = {key: text.replace(LINK, "") for key, text in words.items()}
    body = _(
        "%(by)s invites you to be %(role)s of %(course)s.\n\n"
        "Open this link to see the invitation and to accept it. It works once, until %(until)s:\n\n{link}\n\n"
        "If you have a staff account here already, log in before you open the link: the course is added to it.\n"
        "If you did not expect this e-mail, ignore it.\n"
    )
    return Message(_("Invitation to %(course)s") % words, f"{greeting(invitation.name)}\n\n{body % words}")


def link_to_show(invitation: Invitation) -> str:
    """Return a link for the instructor to pass on, where no mail server is set up; nothing where it goes by e-mail."""
    return "" if is_set_up() else make_link(invitation, emailed=False)


def make_link(invitation: Invitation, *, emailed: bool) -> str:
    """Make the link of an invitation, as an address. It is known now and never again: only a digest is kept."""
    token = new_token()
    Invitation.objects.filter(pk=invitation.pk).update(digest=digest(token), emailed=emailed)
    return address_with("courses:invitation", token)


def make_mailed_link(pk: int, *, printed: bool) -> str:
    """Make the link of a message that is about to be sent; nothing if the invitation has ended meanwhile."""
    invitation = Invitation.objects.filter(pk=pk).first()
    if invitation is None or invitation.state != "open":
        return ""
    # What is printed where the app was started proves nobody's address.
    return make_link(invitation, emailed=not printed)


def forget_link(address: str) -> None:
    """Take back a link that never reached anybody."""
    Invitation.objects.filter(digest=digest(token_of(address))).update(digest=None, emailed=False)


def invite_again(invitation: Invitation, by: Person) -> Invitation:
    """Replace an invitation that is open or has expired by a new one; the old link ends."""
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=invitation.course_id)
        invitation.refresh_from_db()
        if invitation.state not in ("open", "expired"):
            raise Refused(_("This invitation was accepted or revoked. Invite the person again."))
        Invitation.objects.filter(pk=invitation.pk).update(revoked_at=timezone.now())
        invitee = Invitee(invitation.name, invitation.email, Role(invitation.role), invitation.student)
        (new,) = invite(invitation.course, by, [invitee])
    return new


def revoke(invitation: Invitation, by: Person) -> None:
    """End an invitation that nobody has accepted."""
    with transaction.atomic():
        course = Course.objects.select_for_update().get(pk=invitation.course_id)
        waiting = Invitation.objects.filter(pk=invitation.pk, accepted_at=None)
        if not waiting.exists():
            raise Refused(
                _("This invitation has been accepted in the meantime. Remove the person from the course instead.")
            )
        if waiting.filter(revoked_at=None).update(revoked_at=timezone.now()):
            record("invitation revoked", by, course=course, invitation=invitation.pk)


def forget_old() -> None:
    """Delete invitations that ended long ago, with their messages if nobody accepted; the audit log has their ids."""
    ended = Invitation.objects.filter(expires_at__lt=timezone.now() - KEPT)
    for invitation in ended:
        with transaction.atomic():
            if invitation.accepted_at is None:
                Mail.objects.filter(link=LINK_KIND, link_id=invitation.pk).delete()
            invitation.delete()


# Accepting.


def find(token: str) -> Invitation | None:
    """Return the invitation of a token, whatever became of it."""
    return Invitation.objects.select_related("course", "invited_by").filter(digest=digest(token)).first()


def why_closed(invitation: Invitation) -> str:
    """Return why nobody can accept an invitation any more; nothing where somebody can."""
    if invitation.state == "accepted":
        return _("This invitation has already been accepted. If you accepted it, log in.")
    if invitation.state == "revoked":
        return _("This invitation was revoked or replaced by a newer one. Look for a newer e-mail, or ask for one.")
    if invitation.state == "expired":
        return _("This invitation has expired. Ask the person who invited you to send it again.")
    if invitation.course.archived_at is not None:
        return _("The course of this invitation is archived, so you cannot join it. Ask the person who invited you.")
    instructors = invitation.course.members.filter(role=Role.INSTRUCTOR, removed_at=None, person__is_active=True)
    if not instructors.filter(person=invitation.invited_by_id).exists():
        return _(
            "The person who invited you is no longer an instructor of the course. Ask another instructor to invite you."
        )
    return ""


def why_not_for(invitation: Invitation, person: Person) -> str:
    """Return why an account cannot accept an invitation; nothing where it can."""
    if person.memberships.filter(role=Role.STUDENT).exists():
        return _(
            "You are logged in as a student. A student's account belongs to one course and cannot become staff. "
            "Log out and open the invitation again: it then makes an account of its own."
        )
    if person.memberships.filter(course=invitation.course_id, removed_at=None).exists():
        return _(
            "You are already staff of this course. An instructor can change your role on your page. "
            "If the invitation is for somebody else, pass it on."
        )
    return ""


def accept(invitation: Invitation, person: Person | None) -> Member:
    """Make somebody staff, with their account or with a new one: all of it or nothing. Refuse what is not open.

    Having a token that went by e-mail proves having the address, so that of a new account counts as verified, and so
    does the same address of the account that accepts.
    """
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=invitation.course_id)
        invitation = Invitation.objects.select_related("course").get(pk=invitation.pk)
        if why := why_closed(invitation) or (why_not_for(invitation, person) if person is not None else ""):
            raise Refused(why)
        now = timezone.now()
        verified_at = now if invitation.emailed else None
        if person is None:
            person = Person.objects.create_user(
                None, name=invitation.name, email=invitation.email, email_verified_at=verified_at
            )
        elif verified_at is not None:
            same = Person.objects.filter(pk=person.pk, email=invitation.email, email_verified_at=None)
            same.update(email_verified_at=verified_at)
        member = _join(invitation, person)
        # The account has name and address from now on; a second copy would outlive its erasure.
        Invitation.objects.filter(pk=invitation.pk).update(accepted_by=person, accepted_at=now, name="", email="")
        # Erasing the account deletes the message as well.
        Mail.objects.filter(link=LINK_KIND, link_id=invitation.pk).update(person_id=person.pk)
        record("invitation accepted", person, course=invitation.course, member=member.pk, role=invitation.role)
    return member


def _join(invitation: Invitation, person: Person) -> Member:
    """Return the membership: a new one, or that of somebody who was removed."""
    course, role = invitation.course, invitation.role
    member, _new = Member.objects.get_or_create(course=course, person=person, defaults={"role": role})
    member.role, member.removed_at = role, None
    # Somebody else may have got the id meanwhile.
    if not member.student and not course.members.filter(student=invitation.student).exists():
        member.student = invitation.student
    member.save(update_fields=["role", "removed_at", "student"])
    return member
