"""Papers that came while others rank, and wait to join them."""

from datetime import datetime

from django.db.models import QuerySet

from peerorder.web.assignments.deadlines import with_extension
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import students_of
from peerorder.web.papers.models import Paper, State
from peerorder.web.ranking.models import Handout, Slot


def waiting_papers(assignment: Assignment) -> QuerySet[Paper]:
    """Return papers of participants that nobody was given to rank; none before papers are distributed."""
    out = Handout.objects.filter(assignment=assignment, why=Handout.Why.FIRST, ready_at__isnull=False)
    if assignment.stage != Stage.RANKING or not out.exists():
        return Paper.objects.none()
    papers = Paper.objects.filter(
        assignment=assignment, withdrawn_at=None, authorships__member__in=students_of(assignment)
    )
    given = Slot.objects.filter(assignment=assignment).order_by().values("paper")
    return papers.filter(current__state__in=(State.READY, State.PREPARING)).exclude(pk__in=given).distinct()


def joins_at(assignment: Assignment, now: datetime) -> datetime | None:
    """Return when those that wait join automatically; None where staff add them."""
    if not assignment.moves_by_itself:
        return None
    granted = Extension.objects.filter(
        assignment=assignment,
        hand_in_by__isnull=False,
        member__authorships__assignment=assignment,
        member__authorships__paper__in=waiting_papers(assignment),
    )
    ends = [with_extension(assignment, each).hand_in_late for each in granted]
    return min((end for end in ends if end is not None and end > now), default=None)
