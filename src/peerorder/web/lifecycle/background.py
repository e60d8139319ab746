"""What happens to assignments automatically, at their deadlines."""

from datetime import datetime, timedelta

from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from peerorder.web.assignments.deadlines import with_extension
from peerorder.web.assignments.messages import queue_about
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.courses.models import Member, Role
from peerorder.web.errors import Refused
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import background
from peerorder.web.jobs.worker import periodic
from peerorder.web.lifecycle.notifications import notify
from peerorder.web.lifecycle.services import move_if_due
from peerorder.web.lifecycle.transitions import blockers, due_at, neighbour
from peerorder.web.mail.messages import Message
from peerorder.web.papers.models import State
from peerorder.web.ranking.handouts import enqueue_late_handout

# Staff hear of a blocker that goes away soon only after this time.
PATIENCE = timedelta(hours=1)

# The second name is that of jobs from before the upgrade.
for kind in ("notifications", "letters"):
    background(kind, title=gettext_lazy("E-mailing students"))(notify)


@periodic
def advance(now: datetime | None = None) -> int:
    """Make the transitions that are due; return how many. Where one is blocked, tell staff why."""
    now = now or timezone.now()
    over = Q(stage=Stage.HANDING_IN, hand_in_by__lt=now) | Q(stage=Stage.RANKING, rank_by__lt=now)
    moved = 0
    for assignment in Assignment.objects.filter(over, moves_by_itself=True, course__archived_at=None).select_related(
        "course"
    ):
        try:
            moved += move_if_due(assignment, now)
        except Refused as reason:
            _tell_instructors(assignment, str(reason), now)
    return moved


@periodic
def let_late_papers_join(now: datetime | None = None) -> int:
    """Distribute late papers once their extensions are over; return in how many assignments.

    Until then their authors may still replace them, which nobody may once others have the paper.
    """
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
        # Once for everybody whose time is over: if that fails, staff look into it.
        asked = Job.objects.filter(
            assignment_id=assignment.pk, kind="hand-out", about__why="joined", enqueued_at__gt=end
        )
        if end is not None and end < now and assignment.pk not in joined and not asked.exists():
            enqueue_late_handout(assignment)
            joined.add(assignment.pk)
    return len(joined)


def _tell_instructors(assignment: Assignment, reason: str, now: datetime) -> None:
    """E-mail the instructors, once for every deadline."""
    due, to = due_at(assignment), neighbour(assignment.stage, +1)
    if due is None or to is None:
        return
    if now - due < PATIENCE and all(each.passes for each in blockers(assignment, to, now)):
        return
    subject = _("“%(title)s” could not advance") % {"title": assignment.title}
    body = _(
        "The deadline of “%(title)s” (%(course)s) has passed, but the assignment could not advance to "
        "the stage “%(step)s”:\n\n"
        "%(reason)s\n\nIt will advance automatically once this is resolved. Open the assignment: {link}\n"
    ) % {"title": assignment.title, "course": assignment.course.name, "step": to.label, "reason": reason}
    staff = Member.objects.filter(course=assignment.course, role=Role.INSTRUCTOR, removed_at=None)
    key = f"stuck {assignment.pk} {assignment.stage} {due.isoformat()}"
    message = Message(subject[:200], body)
    messages = {f"{key} {each.person_id}": (each.person, message) for each in staff.select_related("person")}
    queue_about(assignment, messages)
