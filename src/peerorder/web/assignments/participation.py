"""Whether what a student sends counts: decided in the transaction that writes it, by how things are then.

A request may take its time: its body comes slowly, or a file is looked at. Meanwhile staff may end a stage, archive the
course, remove the student or revoke their access. So the checks at the entrance (``access``) are repeated when it is
written, under locks that such changes wait for: what is sent counts before a change, or not at all.
"""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property

from django.core.exceptions import PermissionDenied

from peerorder.web.assignments.deadlines import takes_paper, takes_ranking
from peerorder.web.assignments.models import Assignment, Extension
from peerorder.web.courses.models import Course, Member
from peerorder.web.database import advisory_locks
from peerorder.web.database.sql import columns, fetch_one
from peerorder.web.errors import Archived

# Links and passwords are revoked by another hash of the password, to which sessions are bound as well.
PARTICIPATION = f"""
    SELECT {columns(Assignment, "assignment")} FROM rounds_assignment assignment
    JOIN courses_course course ON course.id = assignment.course_id
    JOIN courses_member member ON member.id = %s
    JOIN courses_member actor ON actor.id = %s
    JOIN people_person person ON person.id = actor.person_id
    WHERE assignment.id = %s AND course.archived_at IS NULL AND member.removed_at IS NULL
    AND actor.removed_at IS NULL AND person.is_active AND person.password = %s
"""


class Participation:
    """The part of a student in an assignment, with its deadlines."""

    def __init__(self, assignment: Assignment, member: Member) -> None:
        self.assignment = assignment
        self.member = member

    @cached_property
    def extension(self) -> Extension | None:
        """What the student was granted."""
        return Extension.objects.of(self.assignment, self.member)

    def takes_paper(self, now: datetime) -> bool:
        """Return whether a paper that came at this time counts."""
        return self._takes(takes_paper, now)

    def takes_ranking(self, now: datetime) -> bool:
        """Return whether a ranking that came at this time counts."""
        return self._takes(takes_ranking, now)

    def _takes(self, takes: Callable[[Assignment, Extension | None, datetime], bool], now: datetime) -> bool:
        # Most are in time by the common deadline, and need no look at what was granted to whom.
        return takes(self.assignment, None, now) or takes(self.assignment, self.extension, now)


def lock_participation(
    assignment: Assignment, member: Member, by: Member | None = None, *, exclusive: bool = False
) -> Participation:
    """Re-read the part of a student in an assignment; it stays as it is until the transaction ends.

    ``by`` is somebody of the staff who acts for the student. With ``exclusive``, nobody else locks the assignment
    meanwhile. Raises PermissionDenied if the person who acts, or the student, is no longer let in, and Archived where
    the course is.
    """
    if exclusive:
        advisory_locks.share(access=0, course=assignment.course_id)
        advisory_locks.lock(assignment=assignment.pk)
    else:
        advisory_locks.share(access=0, course=assignment.course_id, assignment=assignment.pk)
    actor = by or member
    locked = fetch_one(Assignment, PARTICIPATION, member.pk, actor.pk, assignment.pk, actor.person.password)
    if locked is None:
        archived = Course.objects.filter(pk=assignment.course_id).exclude(archived_at=None).exists()
        raise Archived if archived else PermissionDenied
    locked.course = assignment.course
    return Participation(locked, member)
