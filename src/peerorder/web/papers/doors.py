"""Whether somebody may hand in now, and if not, why."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from peerorder.web.courses.models import Member
from peerorder.web.papers.models import Paper, State
from peerorder.web.ranking.models import Slot
from peerorder.web.rounds.deadlines import takes_paper, with_extension
from peerorder.web.rounds.models import Assignment, Extension, Stage

__all__ = ["Door", "door_for"]


@dataclass(frozen=True)
class Door:
    """Open or closed."""

    is_open: bool
    late: bool = False
    """What comes now is late."""
    deadline: datetime | None = None
    """Until then a paper is on time."""
    end: datetime | None = None
    """Until then it is taken."""
    why: str = ""
    """Why it is closed."""


def door_for(
    assignment: Assignment, member: Member, paper: Paper | None, now: datetime, *, staff: bool = False
) -> Door:
    """Whether a student may hand in. Staff may do it for a student after the deadline too, until the review."""
    extension = Extension.objects.of(assignment, member)
    deadlines = with_extension(assignment, extension)
    late, times = deadlines.is_late(now), (deadlines.hand_in, deadlines.hand_in_late)
    if paper is not None and is_out(paper):
        why = _("The paper is with those who rank it. From now on it stays as it is.")
        return Door(False, late, *times, why=why)
    if staff and assignment.is_at(Stage.HANDING_IN, Stage.RANKING):
        return Door(True, late, *times)
    if takes_paper(assignment, extension, now):
        return Door(True, late, *times)
    if assignment.is_at(Stage.HANDING_IN):
        return Door(False, late, *times, why=_("The time for handing in is over."))
    if assignment.is_at(Stage.DRAFT):
        return Door(False, late, *times, why=_("Handing in has not begun yet."))
    return Door(False, late, *times, why=_("Handing in is over; the papers are being ranked or have been."))


def is_out(paper: Paper) -> bool:
    """Whether graders have it. One that they cannot see may still be replaced."""
    if paper.current is not None and paper.current.state == State.BROKEN:
        return False
    return Slot.written.filter(paper=paper).exists()
