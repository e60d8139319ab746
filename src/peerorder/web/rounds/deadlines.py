"""Until when somebody may hand in and rank: the deadline, what was granted, and what is taken late."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from peerorder.web.courses.models import Member
from peerorder.web.rounds.models import Assignment, Extension

__all__ = ["Deadlines", "deadlines_of"]


@dataclass(frozen=True)
class Deadlines:
    """The times of one student; None where there is no end."""

    hand_in: datetime | None
    """Until then a paper is on time."""
    hand_in_late: datetime | None
    """Until then it is taken, as a late one."""
    rank: datetime | None

    def may_hand_in(self, now: datetime) -> bool:
        """Whether a paper is still taken."""
        return self.hand_in_late is None or now <= self.hand_in_late

    def is_late(self, now: datetime) -> bool:
        """Whether a paper that is taken now is late."""
        return self.hand_in is not None and now > self.hand_in

    def may_rank(self, now: datetime) -> bool:
        """Whether a ranking is still taken."""
        return self.rank is None or now <= self.rank


def deadlines_of(assignment: Assignment, member: Member) -> Deadlines:
    """The deadlines of a student."""
    return with_extension(assignment, Extension.objects.of(assignment, member))


def with_extension(assignment: Assignment, extension: Extension | None) -> Deadlines:
    """The deadlines of somebody who was granted this; an extension never makes a deadline earlier."""
    hand_in = _later(assignment.hand_in_by, extension.hand_in_by if extension else None)
    late = None if hand_in is None else hand_in + timedelta(hours=assignment.late_hours)
    return Deadlines(hand_in, late, _later(assignment.rank_by, extension.rank_by if extension else None))


def _later(deadline: datetime | None, own: datetime | None) -> datetime | None:
    if deadline is None or own is None:
        return deadline
    return max(deadline, own)
