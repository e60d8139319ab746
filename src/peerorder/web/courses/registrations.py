"""What this app tells the apps below it."""

from peerorder.web.courses.models import Role
from peerorder.web.people.models import Person
from peerorder.web.people.registry import staff_checks


@staff_checks
def is_staff_of_a_course(person: Person) -> bool:
    """Return whether somebody is staff of a course."""
    return person.memberships.filter(removed_at=None).exclude(role=Role.STUDENT).exists()
