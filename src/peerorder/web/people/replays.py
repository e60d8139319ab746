"""Do again, after a restore, what closed a way into an account since the backup.

A new password ended the old one and the links before it. The old ones must not come back with the backup, so after a
restore such a person has neither, and gets a new link or a new password as anybody who has lost theirs.
"""

from peerorder.web.audit.ledger import Entry
from peerorder.web.people.links import revoke_access, revoke_links
from peerorder.web.people.models import Link, Person


def revoke_links_again(entry: Entry) -> bool:
    """Revoke the links of somebody."""
    person = _person(entry)
    if person is None or not Link.objects.filter(person=person, revoked_at=None).exists():
        return False
    revoke_links([person.pk])
    return True


def revoke_access_again(entry: Entry) -> bool:
    """Close every way in for somebody."""
    person = _person(entry)
    return person is not None and close([person])


def remove_again(entry: Entry) -> bool:
    """Close an account of staff for good."""
    person = _person(entry)
    if person is None or not person.is_active:
        return False
    close([person])
    Person.objects.filter(pk=person.pk).update(is_active=False, makes_courses=False, login=None)
    return True


def close(people: list[Person]) -> bool:
    """Close every way in for those who have one; return whether there were any."""
    live = set(Link.objects.filter(person__in=people, revoked_at=None).values_list("person", flat=True))
    open_to = [person for person in people if person.pk in live or person.has_usable_password()]
    if open_to:
        revoke_access(open_to)
    return bool(open_to)


def _person(entry: Entry) -> Person | None:
    """Return whom a line is about; somebody who came later has only got the same id."""
    number = entry.details.get("person") or entry.by or 0
    return Person.objects.filter(pk=number, created_at__lte=entry.at, erased_at=None).first()
