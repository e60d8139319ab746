"""Change who somebody is in a course, and who is in it."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.courses.queries import manages
from peerorder.web.courses.services.rosters import sections_by_name
from peerorder.web.database import advisory_locks
from peerorder.web.errors import Refused
from peerorder.web.people.models import Person


def add_student(
    course: Course, by: Person, *, student: str, name: str = "", email: str = "", section: str = "", team: str = ""
) -> Member:
    """One more student."""
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=course.pk)
        if course.members.filter(student=student).exists():
            raise Refused(_("There is somebody with this id already; look for them in the list, removed ones too."))
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
        if manages(member):
            person = Person.objects.filter(pk=member.person_id)
            person.exclude(email=email).update(email_verified_at=None)
            person.update(name=name, email=email)
        member.section = sections_by_name(member.course, [section])[section] if section else None
        member.team = team
        member.save(update_fields=["section", "team"])
        record("member changed", by, course=member.course, member=member.pk)


def remove_member(member: Member, by: Person) -> None:
    """Take somebody out of the course. What they handed in and ranked stays, and they can be put back."""
    with transaction.atomic():
        advisory_locks.lock(course=member.course_id)
        course = Course.objects.select_for_update().get(pk=member.course_id)
        others = course.members.filter(role=Role.INSTRUCTOR, removed_at=None).exclude(pk=member.pk)
        if member.role == Role.INSTRUCTOR and not others.exists():
            raise Refused(_("This is the only instructor of the course. Add another one first."))
        if Member.objects.filter(pk=member.pk, removed_at=None).update(removed_at=timezone.now()):
            record("member removed", by, course=course, member=member.pk)


def put_back(member: Member, by: Person) -> None:
    """Undo a removal."""
    with transaction.atomic():
        if member.person.erased_at is not None:
            raise Refused(_("This person was erased and cannot come back. Add them as somebody new."))
        if Member.objects.filter(pk=member.pk).exclude(removed_at=None).update(removed_at=None):
            record("member put back", by, course=member.course, member=member.pk)


def add_staff(course: Course, by: Person, *, name: str, email: str, role: Role) -> Member:
    """One more instructor or assistant.

    Somebody who makes courses here keeps that one account. Anybody else gets a new one for this course, whatever
    their address: everybody can claim an address, and must not get into other people's courses by it.
    """
    with transaction.atomic():
        Course.objects.select_for_update().get(pk=course.pk)
        there = course.members.exclude(role=Role.STUDENT).filter(person__email__iexact=email).first()
        if there is not None:
            if there.removed_at is None and there.role == role:
                raise Refused(_("Somebody with this address is staff of the course already."))
            if there.role == Role.INSTRUCTOR and there.removed_at is None:
                raise Refused(_("This is an instructor of the course. Remove them first, then add them again."))
            there.role, there.removed_at = role, None
            there.save(update_fields=["role", "removed_at"])
            record("staff changed", by, course=course, member=there.pk, role=str(role))
            return there
        person = Person.objects.filter(email__iexact=email, makes_courses=True, is_active=True).first()
        if person is None:
            person = Person.objects.create_user(None, name=name, email=email)
        member = Member.objects.create(course=course, person=person, role=role)
        record("staff added", by, course=course, member=member.pk, role=str(role))
    return member
