"""Do again, after a restore, what ended somebody's access to a course since the backup."""

from django.utils import timezone

from peerorder.web.audit.ledger import Entry
from peerorder.web.courses.models import Course, Invitation, Member, Role
from peerorder.web.courses.queries import members_with_own_account
from peerorder.web.people.replays import close, revoke_links_again


def revoke_again(entry: Entry) -> bool:
    """Revoke the access of a member, or of all students of a course, or the links of somebody who revoked their own."""
    if entry.course is None:
        return revoke_links_again(entry)
    members = Member.objects.filter(course=entry.course, joined_at__lte=entry.at).select_related("person")
    if "member" in entry.details:
        members = members.filter(pk=entry.details["member"])
    else:
        courses = Course.objects.filter(pk=entry.course)
        own = [member.pk for course in courses for member in members_with_own_account(course)]
        members = members.filter(role=Role.STUDENT).exclude(pk__in=own)
    return close([member.person for member in members])


def remove_again(entry: Entry) -> bool:
    """Take a member out of the course."""
    members = Member.objects.filter(pk=entry.details["member"], joined_at__lte=entry.at, removed_at=None)
    return bool(members.update(removed_at=timezone.now()))


def put_back_again(entry: Entry) -> bool:
    """Put back somebody whom a line before has removed."""
    removed = Member.objects.filter(pk=entry.details["member"], joined_at__lte=entry.at, removed_at__isnull=False)
    return bool(removed.filter(person__erased_at=None).update(removed_at=None))


def change_role_again(entry: Entry) -> bool:
    """Give a member the role that they were given."""
    members = Member.objects.filter(pk=entry.details["member"], joined_at__lte=entry.at)
    after = entry.details.get("after")
    return after in Role.values and bool(members.exclude(role=after).update(role=after))


def revoke_invitation_again(entry: Entry) -> bool:
    """Revoke an invitation."""
    invitations = Invitation.objects.filter(pk=entry.details["invitation"], invited_at__lte=entry.at, revoked_at=None)
    return bool(invitations.update(revoked_at=timezone.now()))
