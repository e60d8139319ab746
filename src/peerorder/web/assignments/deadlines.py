"""Until when somebody may hand in and rank: the deadline, what was granted, and what is taken late."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Member


@dataclass(frozen=True)
class Deadlines:
    """The times of one student; None where there is no end."""

    hand_in: datetime | None
    """Until then a paper is on time."""
    hand_in_late: datetime | None
    """Until then it is taken, as a late one."""
    rank: datetime | None

    def may_hand_in(self, now: datetime) -> bool:
        """Return whether a paper is still accepted."""
        return self.hand_in_late is None or now <= self.hand_in_late

    def is_late(self, now: datetime) -> bool:
        """Return whether a paper that is accepted now is late."""
        return self.hand_in is not None and now > self.hand_in

    def may_rank(self, now: datetime) -> bool:
        """Return whether a ranking is still accepted."""
        return self.rank is None or now <= self.rank


def deadlines_of(assignment: Assignment, member: Member) -> Deadlines:
    """Return the deadlines of a student."""
    return with_extension(assignment, Extension.objects.of(assignment, member))


def with_extension(assignment: Assignment, extension: Extension | None) -> Deadlines:
    """Return the deadlines of somebody who was granted this; an extension never makes a deadline earlier.

    Where staff went on before the deadline, it is the step that counts.
    """
    hand_in = _later(assignment.end_of(Stage.HANDING_IN), extension.hand_in_by if extension else None)
    late = None if hand_in is None else hand_in + timedelta(hours=assignment.late_hours)
    rank = _later(assignment.end_of(Stage.RANKING), extension.rank_by if extension else None)
    return Deadlines(hand_in, late, rank)


def _later(deadline: datetime | None, own: datetime | None) -> datetime | None:
    if deadline is None or own is None:
        return deadline
    return max(deadline, own)


def ranking_begins(assignment: Assignment) -> datetime | None:
    """Return when ranking begins automatically: when late papers are no longer accepted. None where staff begin it."""
    if not assignment.moves_by_itself or assignment.hand_in_by is None:
        return None
    return assignment.hand_in_by + timedelta(hours=assignment.late_hours)


def takes_paper(assignment: Assignment, extension: Extension | None, now: datetime) -> bool:
    """Return whether a paper of somebody who was granted this is accepted now.

    While papers are handed in, until the deadline; while they are ranked, only from students with an extension that is
    not over: such a paper joins the round late. Nothing is taken where the course is archived.
    """
    if assignment.course.archived_at is not None:
        return False
    if assignment.stage == Stage.HANDING_IN:
        return with_extension(assignment, extension).may_hand_in(now)
    if assignment.stage == Stage.RANKING and extension is not None and extension.hand_in_by is not None:
        return now <= extension.hand_in_by + timedelta(hours=assignment.late_hours)
    return False


def takes_ranking(assignment: Assignment, extension: Extension | None, now: datetime) -> bool:
    """Return whether a ranking of somebody who was granted this is accepted now.

    While papers are ranked, until the deadline; in the review, only from students with an extension that is not over.
    Nothing is taken where the course is archived.
    """
    if assignment.course.archived_at is not None:
        return False
    if assignment.stage == Stage.RANKING:
        return with_extension(assignment, extension).may_rank(now)
    own = extension.rank_by if extension is not None else None
    return assignment.stage == Stage.REVIEW and own is not None and now <= own


def may_see_solution(assignment: Assignment, extension: Extension | None, now: datetime, *, ranks: bool) -> bool:
    """Return whether a student may see the sample solution.

    While papers are ranked only who ranks, and cannot hand in any more: everybody else might still be granted more
    time. From the review on nobody can hand in, and all may see it.
    """
    if assignment.stage == Stage.RANKING:
        return ranks and not takes_paper(assignment, extension, now)
    return assignment.is_at(Stage.REVIEW, Stage.RELEASED)
