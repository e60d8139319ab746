"""Whether somebody may hand in now, and if not, why."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from peerorder.web.assignments.deadlines import with_extension
from peerorder.web.assignments.models import Stage
from peerorder.web.assignments.participation import Participation
from peerorder.web.papers.models import Paper, State
from peerorder.web.papers.queries import ExhaustedQuota, is_distributed


@dataclass(frozen=True)
class SubmissionWindow:
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
    exhausted: ExhaustedQuota | None = None
    """The quota that closed it."""

    def closed_by(self, exhausted: ExhaustedQuota) -> "SubmissionWindow":
        """Return this one, closed by a quota."""
        return replace(self, is_open=False, why=exhausted.why, exhausted=exhausted)


def submission_window(
    participation: Participation, paper: Paper | None, now: datetime, *, staff: bool = False
) -> SubmissionWindow:
    """Return whether a student may hand in. Staff may do it for a student after the deadline too, until the review."""
    assignment = participation.assignment
    deadlines = with_extension(assignment, participation.extension)
    late, times = deadlines.is_late(now), (deadlines.hand_in, deadlines.hand_in_late)
    if paper is not None and is_with_graders(paper):
        why = _("Other students have this paper to rank, so it can no longer be replaced.")
        if paper.withdrawn_at is not None:
            why = _("This paper was withdrawn after students got it to rank, so it can no longer be replaced.")
        return SubmissionWindow(False, late, *times, why=why)
    if participation.takes_paper(now) or (staff and assignment.is_at(Stage.HANDING_IN, Stage.RANKING)):
        return SubmissionWindow(True, late, *times)
    why = _("Handing in is over; ranking has started.")
    if assignment.is_at(Stage.HANDING_IN):
        why = _("The deadline for handing in has passed.")
    elif assignment.is_at(Stage.DRAFT):
        why = _("Handing in has not begun yet.")
    return SubmissionWindow(False, late, *times, why=why)


def is_with_graders(paper: Paper) -> bool:
    """Return whether graders have it. One that they cannot see may still be replaced."""
    if paper.current is not None and paper.current.state == State.BROKEN:
        return False
    return is_distributed(paper)
