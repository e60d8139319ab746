"""Do again, after a restore, what ended somebody's access to a course since the backup."""

from django.utils import timezone

from peerorder.web.audit.ledger import Entry
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.queries import with_own_account
from peerorder.web.people.models import Link
from peerorder.web.people.services import revoke_access


def revoke_again(entry: Entry) -> bool:
    """Revoke the access of a member, or of all students of a course, who had it at the time."""
    members = Member.objects.filter(course=entry.course or 0, joined_at__lte=entry.at).select_related("person")
    if "member" in entry.details:
        members = members.filter(pk=entry.details["member"])
    else:
        own = {
            member.pk for course in Course.objects.filter(pk=entry.course or 0) for member in with_own_account(course)
        }
        members = members.filter(role=Role.STUDENT).exclude(pk__in=own)
    people = [member.person for member in members if _has_a_way_in(member)]
    if people:
        revoke_access(people)
    return bool(people)


def _has_a_way_in(member: Member) -> bool:
    links = Link.objects.filter(person=member.person, revoked_at=None)
    return member.person.has_usable_password() or links.exists()


def remove_again(entry: Entry) -> bool:
    """Take a member out of the course."""
    there = Member.objects.filter(pk=entry.details["member"], joined_at__lte=entry.at, removed_at=None)
    return bool(there.update(removed_at=timezone.now()))


def put_back_again(entry: Entry) -> bool:
    """Put back somebody whom a line before has removed."""
    Member.objects.filter(pk=entry.details["member"], removed_at__isnull=False, person__erased_at=None).update(
        removed_at=None
    )
    return False
