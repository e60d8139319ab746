"""What happens to assignments by the clock."""

from datetime import datetime, timedelta

from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.courses.models import Member, Role
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Refused, background
from peerorder.web.jobs.worker import at_every_tick
from peerorder.web.mail.services import queue
from peerorder.web.papers.models import State
from peerorder.web.rounds.deadlines import with_extension
from peerorder.web.rounds.life import due_at, neighbour, obstacles
from peerorder.web.rounds.models import Assignment, Extension, Stage
from peerorder.web.rounds.services import move_if_due
from peerorder.web.rounds.telling import tell

__all__ = ["go_on", "let_late_papers_join"]

# What passes by itself is no news before that long.
PATIENCE = timedelta(hours=1)

background("letters")(tell)


@at_every_tick
def go_on(now: datetime | None = None) -> int:
    """Make the steps that are due; gives how many were made. Where one cannot be, staff are told why."""
    now = now or timezone.now()
    over = Q(stage=Stage.HANDING_IN, hand_in_by__lt=now) | Q(stage=Stage.RANKING, rank_by__lt=now)
    moved = 0
    for assignment in Assignment.objects.filter(over, moves_by_itself=True, course__archived_at=None).select_related(
        "course"
    ):
        try:
            moved += move_if_due(assignment, now)
        except Refused as reason:
            _tell(assignment, str(reason), now)
    return moved


@at_every_tick
def let_late_papers_join(now: datetime | None = None) -> int:
    """Give papers to those whose own time for handing in is over, and theirs to others; gives in how many rounds.

    Before that they may still replace their papers, which nobody may once others have it.
    """
    from peerorder.web.ranking.handouts import ask_for_late

    now = now or timezone.now()
    waiting = Extension.objects.filter(
        assignment__course__archived_at=None,
        assignment__stage=Stage.RANKING,
        assignment__moves_by_itself=True,
        assignment__handouts__why="first",
        assignment__handouts__ready_at__isnull=False,
        hand_in_by__lt=now,
        member__removed_at=None,
        member__authorships__assignment=F("assignment"),
        member__authorships__paper__current__state=State.READY,
        member__authorships__paper__withdrawn_at=None,
        member__authorships__paper__slots=None,
    ).select_related("assignment")
    joined = set()
    for extension in waiting:
        assignment, end = extension.assignment, with_extension(extension.assignment, extension).hand_in_late
        # Once for everybody whose time is over: what could not be done then is for staff to look at.
        asked = Job.objects.filter(assignment=assignment, kind="hand-out", about__why="joined", asked_at__gt=end)
        if end is not None and end < now and assignment.pk not in joined and not asked.exists():
            ask_for_late(assignment)
            joined.add(assignment.pk)
    return len(joined)


def _tell(assignment: Assignment, reason: str, now: datetime) -> None:
    """Write to the instructors, once for every deadline."""
    due, to = due_at(assignment), neighbour(assignment.stage, +1)
    if due is None or to is None:
        return
    if now - due < PATIENCE and all(each.passes for each in obstacles(assignment, to, now)):
        return
    subject = _("“%(title)s” could not go on") % {"title": assignment.title}
    body = _(
        "The deadline of “%(title)s” (%(course)s) is over, but it could not go on to the next step, “%(step)s”:\n\n"
        "%(reason)s\n\nIt goes on as soon as that is mended. Your page: {link}\n"
    ) % {"title": assignment.title, "course": assignment.course.name, "step": to.label, "reason": reason}
    for member in Member.objects.filter(course=assignment.course, role=Role.INSTRUCTOR, removed_at=None).select_related(
        "person"
    ):
        key = f"stuck {assignment.pk} {assignment.stage} {due.isoformat()} {member.person_id}"
        queue(member.person, key, subject[:200], body, assignment)
