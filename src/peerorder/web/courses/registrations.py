"""What this app tells the apps below it."""

from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people.models import Person
from peerorder.web.people.registry import course_of_account, staff_checks


@staff_checks
def is_staff_of_a_course(person: Person) -> bool:
    """Return whether somebody is staff of a course."""
    return person.memberships.filter(removed_at=None).exclude(role=Role.STUDENT).exists()


@course_of_account
def course_of_student(person: Person) -> Course | None:
    """Return the course of a student's account."""
    if person.makes_courses:
        return None
    members = list(Member.objects.filter(person=person).select_related("course")[:2])
    return members[0].course if len(members) == 1 and not members[0].is_staff else None
