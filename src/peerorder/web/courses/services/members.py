"""Change who somebody is in a course, and who is in it."""

import uuid

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.queries import manages
from peerorder.web.courses.services.rosters import sections_by_name
from peerorder.web.database import advisory_locks
from peerorder.web.errors import Refused
from peerorder.web.mail.messages import LINK, Message, site_language
from peerorder.web.mail.services import queue
from peerorder.web.people.addresses import leave_addresses
from peerorder.web.people.models import Person


def add_student(
    course: Course, by: Person, *, student: str, name: str = "", email: str = "", section: str = "", team: str = ""
) -> Member:
    """One more student."""
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=course.pk)
        if course.members.filter(student=student).exists():
            raise Refused(
                _("Somebody in this course already has this ID. Look in the list, also among removed people.")
            )
        person = Person.objects.create_user(None, name=name, email=email)
        found = sections_by_name(course, [section])[section] if section else None
        member = Member.objects.create(
            course=course, person=person, role=Role.STUDENT, student=student, section=found, team=team
        )
        record("student added", by, course=course, member=member.pk)
    return member


def change_member(member: Member, by: Person, *, name: str, email: str, section: str, team: str) -> None:
    """Another name, address, section or team."""
    with transaction.atomic():
        member = Member.objects.select_for_update().select_related("person", "course").get(pk=member.pk)
        person = member.person
        if manages(member):
            previous, person.name = person.email, name
            if email != previous:
                # Nobody has answered a message there yet.
                person.email, person.email_verified_at = email, None
            person.save(update_fields=["name", "email", "email_verified_at"])
            if email != previous:
                leave_addresses([(person, previous)])
        member.section = sections_by_name(member.course, [section])[section] if section else None
        member.team = team
        member.save(update_fields=["section", "team"])
        record("member changed", by, course=member.course, member=member.pk)


def remove_member(member: Member, by: Person) -> None:
    """Take somebody out of the course. What they handed in and ranked stays, and they can be put back."""
    with transaction.atomic():
        advisory_locks.lock(course=member.course_id)
        course = Course.objects.select_for_update().get(pk=member.course_id)
        member = Member.objects.get(pk=member.pk)
        _keep_an_instructor(course, member)
        if Member.objects.filter(pk=member.pk, removed_at=None).update(removed_at=timezone.now()):
            record("member removed", by, course=course, member=member.pk)


def put_back(member: Member, by: Person) -> None:
    """Undo a removal."""
    with transaction.atomic():
        if member.person.erased_at is not None:
            raise Refused(_("This person was erased and cannot be put back. Add a new person instead."))
        if Member.objects.filter(pk=member.pk).exclude(removed_at=None).update(removed_at=None):
            record("member put back", by, course=member.course, member=member.pk)


def change_role(member: Member, by: Person, role: Role) -> bool:
    """Make an assistant an instructor, or the other way round, and tell them; return whether anything changed."""
    with transaction.atomic():
        course = Course.objects.select_for_update().get(pk=member.course_id)
        member = Member.objects.select_related("person").get(pk=member.pk)
        if not member.is_staff or role == Role.STUDENT:
            raise Refused(_("Students and staff have different accounts. To make a student staff, invite them."))
        if member.removed_at is not None:
            raise Refused(_("This person was removed from the course. Put them back first."))
        if member.role == role:
            return False
        _keep_an_instructor(course, member)
        before, member.role = member.role, role
        member.save(update_fields=["role"])
        record("role changed", by, course=course, member=member.pk, before=before, after=str(role))
        with site_language():
            words = {"course": course.name, "role": role.label, "by": str(by)}
            subject = _("Your role in %(course)s") % words
            body = _("Hello,\n\n%(by)s changed your role in %(course)s: you are now %(role)s.\n") % words
        message = Message(subject, body.replace(LINK, ""))
        queue(member.person, f"role {member.pk} {uuid.uuid4().hex}", message, course_id=course.pk)
    return True


def _keep_an_instructor(course: Course, without: Member) -> None:
    """Refuse what would leave a course without an instructor. Call it while the course is locked."""
    others = course.members.filter(role=Role.INSTRUCTOR, removed_at=None, person__is_active=True)
    if without.role == Role.INSTRUCTOR and not others.exclude(pk=without.pk).exists():
        raise Refused(_("This is the only instructor of the course. Invite another one first."))
