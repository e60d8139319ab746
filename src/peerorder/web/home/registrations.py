"""What this app tells the apps below it: how erasures are done again after a restore."""

from typing import Any

from peerorder.web.audit import ledger
from peerorder.web.audit.ledger import Entry
from peerorder.web.audit.registry import REPLAYS
from peerorder.web.courses.models import Course, Member
from peerorder.web.courses.queries import is_elsewhere
from peerorder.web.database.registry import manifest_entries
from peerorder.web.home.course_deletion import delete_course, must_stay
from peerorder.web.home.erasure import erase_member
from peerorder.web.home.retention import erase_course


def erase_again(entry: Entry) -> bool:
    """Erase a member who came back."""
    member = Member.objects.select_related("person", "course").filter(pk=entry.details["member"]).first()
    if member is None or not _is_same(member.person.created_at.isoformat(), entry) or member.person.erased_at:
        return False
    erase_member(member, None, account=not is_elsewhere(member))
    return True


def erase_course_again(entry: Entry) -> bool:
    """Erase everybody in a course that came back."""
    course = _course(entry)
    if course is None or course.erased_at is not None:
        return False
    erase_course(course)
    return True


def delete_course_again(entry: Entry) -> bool:
    """Delete a course that came back."""
    course = _course(entry)
    if course is None or must_stay(course):
        return False
    delete_course(course, None)
    return True


def _course(entry: Entry) -> Course | None:
    course = Course.objects.filter(pk=entry.course or 0).first()
    return course if course is not None and _is_same(course.created_at.isoformat(), entry) else None


def _is_same(since: str, entry: Entry) -> bool:
    """Return whether a row is the one that the line means: ids are given again after a restore, moments are not."""
    return bool(entry.details.get("since", since) == since)


@manifest_entries
def ledger_head() -> dict[str, Any]:
    """Return the last line of the ledger: what comes after it is done again when the backup is restored."""
    ledger.write(everything=True)
    return {"ledger": ledger.head()}


REPLAYS |= {
    "person erased": erase_again,
    "course erased": erase_course_again,
    "course deleted": delete_course_again,
}
