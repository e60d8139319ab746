"""Move assignments from stage to stage, and delete drafts."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.assignments.services import lock_assignment
from peerorder.web.audit.services import record
from peerorder.web.errors import Refused
from peerorder.web.jobs import services as jobs
from peerorder.web.jobs.models import Job
from peerorder.web.lifecycle.notifications import enqueue_notifications
from peerorder.web.lifecycle.transitions import blockers, due_at, neighbour
from peerorder.web.mail import services as mail
from peerorder.web.papers.authors import add_team_authors
from peerorder.web.papers.models import Paper, PendingSubmission
from peerorder.web.papers.services import discard_pending
from peerorder.web.people.models import Person
from peerorder.web.ranking.handouts import enqueue_first_handout, withdraw_first
from peerorder.web.ranking.models import Handout
from peerorder.web.results.models import Result
from peerorder.web.results.services import request_result


def move(assignment: Assignment, to: Stage, by: Person | None, now: datetime, *, tell: bool = False) -> bool:
    """Move one stage forward or back; return whether anything moved. Called twice, it moves once.

    Raise Refused with the reason if something blocks it. With ``tell``, students for whom something begins are
    e-mailed.
    """
    with transaction.atomic():
        locked = lock_assignment(assignment)
        if locked.stage == to:
            return False
        _move(locked, to, by, now, tell=tell)
    assignment.refresh_from_db()
    return True


def move_if_due(assignment: Assignment, now: datetime) -> bool:
    """Advance if the deadline says so; return whether anything moved."""
    with transaction.atomic():
        locked = lock_assignment(assignment)
        due, to = due_at(locked), neighbour(locked.stage, +1)
        if due is None or to is None or now <= due:
            return False
        _move(locked, to, None, now, tell=locked.tells_students)
    return True


def why_not_deleted(assignment: Assignment) -> str:
    """Return why an assignment cannot be deleted; empty if it can."""
    if assignment.stage != Stage.DRAFT:
        return _(
            "Only drafts can be deleted, and this assignment is open. If nobody has handed in, go back to draft first."
        )
    if Paper.objects.filter(assignment=assignment).exists():
        return _(
            "A paper was handed in, so this assignment cannot be deleted. Students do not see it while it is a draft."
        )
    return ""


def delete(assignment: Assignment, by: Person) -> None:
    """Delete a draft in which nothing was handed in; raise Refused with the reason otherwise."""
    with transaction.atomic():
        locked = lock_assignment(assignment)
        if reason := why_not_deleted(locked):
            raise Refused(reason)
        record("assignment deleted", by, assignment=locked)
        for pending in PendingSubmission.objects.filter(assignment=locked):
            discard_pending(pending)
        locked.delete()
        jobs.forget([assignment.pk])
        mail.forget(assignment_id=[assignment.pk])


def hand_out_again(assignment: Assignment, by: Person) -> Job | None:
    """Enqueue the first hand-out again, where it failed."""
    with transaction.atomic():
        locked = lock_assignment(assignment)
        ready = Handout.objects.filter(assignment=locked, why=Handout.Why.FIRST, ready_at__isnull=False).exists()
        if ready or locked.stage != Stage.RANKING:
            return None
        last = (
            Job.objects.filter(assignment_id=locked.pk, kind="hand-out", about__why="first")
            .order_by("-enqueued_at")
            .first()
        )
        # The person who started ranking has decided whether students are told.
        job = enqueue_first_handout(locked, tell=last is not None and bool(last.about.get("tell")))
        record("hand-out asked again", by, assignment=locked)
    return job


def _move(assignment: Assignment, to: Stage, by: Person | None, now: datetime, *, tell: bool) -> None:
    if blocked := blockers(assignment, to, now):
        raise Refused(" ".join(each.text for each in blocked))
    was = Stage(assignment.stage)
    _set_stage(assignment, to, by, now)
    if was == Stage.HANDING_IN and to == Stage.RANKING:
        add_team_authors(assignment, by)
        # Students are told when their papers are there.
        enqueue_first_handout(assignment, tell=tell)
    elif tell and to in (Stage.HANDING_IN, Stage.RANKING):
        enqueue_notifications(assignment, to)
    if was == Stage.RANKING and to == Stage.HANDING_IN:
        withdraw_first(assignment, by)
    if to == Stage.REVIEW and not Result.objects.filter(assignment=assignment).exists():
        request_result(assignment, None)


def _set_stage(assignment: Assignment, to: Stage, by: Person | None, now: datetime) -> None:
    was = Stage(assignment.stage)
    assignment.leave(now)
    assignment.stage = to
    if to.number < was.number:
        assignment.forget_deadline_that_is_over(now)
    assignment.save(update_fields=["stage", "hand_in_by", "rank_by", "hand_in_ended_at", "rank_ended_at"])
    record("moved", by, assignment=assignment, was=was.value, to=to.value)


def end_review(assignment: Assignment, now: datetime) -> None:
    """Move to the last stage, because a release is published; the assignment is locked."""
    if assignment.stage == Stage.REVIEW:
        _set_stage(assignment, Stage.RELEASED, None, now)


def review_again(assignment: Assignment, by: Person | None, now: datetime) -> None:
    """Go back to review, because what students saw is withdrawn; the assignment is locked."""
    if assignment.stage == Stage.RELEASED:
        _set_stage(assignment, Stage.REVIEW, by, now)
