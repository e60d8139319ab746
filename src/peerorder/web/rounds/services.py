"""Make and change assignments, and lead them through their life."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from peerorder.web.courses.models import Course
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Refused
from peerorder.web.log.services import record
from peerorder.web.papers.models import Held, Paper
from peerorder.web.people.models import Person
from peerorder.web.rounds.life import due_at, neighbour, obstacles
from peerorder.web.rounds.locks import locks
from peerorder.web.rounds.models import Assignment, Stage

__all__ = ["change", "delete", "hand_out_again", "make", "move", "move_if_due", "why_not_deleted"]


def make(course: Course, values: Mapping[str, Any], by: Person) -> Assignment:
    """A new assignment, as a draft."""
    plain = {name: value for name, value in values.items() if name != "sections"}
    with transaction.atomic():
        assignment = Assignment.objects.create(course=course, **plain)
        assignment.sections.set(values.get("sections", ()))
        record("assignment made", by, assignment=assignment)
    return assignment


def change(assignment: Assignment, values: Mapping[str, Any], changed: Iterable[str], by: Person) -> None:
    """Change fields of an assignment; refused where one of them was locked while the form was open."""
    names = [name for name in changed if name in values]
    if not names:
        return
    with transaction.atomic():
        there = _locked(assignment)
        reasons = locks(there)
        for name in names:
            if name in reasons:
                raise Refused(reasons[name])
        for name in names:
            if name == "sections":
                there.sections.set(values[name])
            else:
                setattr(there, name, values[name])
        there.save(update_fields=[name for name in names if name != "sections"])
        record("assignment changed", by, assignment=there, fields=names)


def move(assignment: Assignment, to: Stage, by: Person | None, now: datetime, *, tell: bool = False) -> bool:
    """Go one step forward or back; gives whether anything moved. Asked twice, it moves once.

    Refused with the reason where something stands in the way. With ``tell``, students get a mail if something begins
    for them.
    """
    with transaction.atomic():
        there = _locked(assignment)
        if there.stage == to:
            return False
        _move(there, to, by, now, tell=tell)
    assignment.refresh_from_db()
    return True


def move_if_due(assignment: Assignment, now: datetime) -> bool:
    """Go on where the deadline says so; gives whether anything moved."""
    with transaction.atomic():
        there = _locked(assignment)
        due, to = due_at(there), neighbour(there.stage, +1)
        if due is None or to is None or now <= due:
            return False
        _move(there, to, None, now, tell=there.tells_students)
    return True


def why_not_deleted(assignment: Assignment) -> str:
    """Why an assignment cannot be deleted; empty where it can."""
    if assignment.stage != Stage.DRAFT:
        return _(
            "Only a draft can be deleted, and this one was opened. Go back to the draft first, if nobody handed in."
        )
    if Paper.objects.filter(assignment=assignment).exists():
        return _("A paper was handed in, so it cannot be deleted. It can stay as a draft, which students do not see.")
    return ""


def delete(assignment: Assignment, by: Person) -> None:
    """Delete a draft in which nothing was handed in; refused with the reason where it is no such one."""
    from peerorder.web.papers.services import let_go

    with transaction.atomic():
        there = _locked(assignment)
        if reason := why_not_deleted(there):
            raise Refused(reason)
        record("assignment deleted", by, assignment=there)
        for held in Held.objects.filter(assignment=there):
            let_go(held)
        there.delete()


def hand_out_again(assignment: Assignment, by: Person) -> Job | None:
    """Ask once more for the first hand-out, where it failed."""
    from peerorder.web.ranking.handouts import ask_for_first
    from peerorder.web.ranking.models import HandOut

    with transaction.atomic():
        there = _locked(assignment)
        ready = HandOut.objects.filter(assignment=there, why=HandOut.Why.FIRST, ready_at__isnull=False).exists()
        if ready or there.stage != Stage.RANKING:
            return None
        last = Job.objects.filter(assignment=there, kind="hand-out", about__why="first").order_by("-asked_at").first()
        # Whoever made the step has decided whether students are told.
        job = ask_for_first(there, tell=last is not None and bool(last.about.get("tell")))
        record("hand-out asked again", by, assignment=there)
    return job


def _locked(assignment: Assignment) -> Assignment:
    return Assignment.objects.select_for_update().get(pk=assignment.pk)


def _move(there: Assignment, to: Stage, by: Person | None, now: datetime, *, tell: bool) -> None:
    # Papers and hand-outs build on the life of assignments in turn.
    from peerorder.web.papers.authors import settle_teams
    from peerorder.web.ranking.handouts import ask_for_first, withdraw_first
    from peerorder.web.rounds.telling import ask_to_tell

    if found := obstacles(there, to, now):
        raise Refused(" ".join(each.text for each in found))
    was = Stage(there.stage)
    there.leave(now)
    there.stage = to
    if to.number < was.number:
        there.forget_deadline_that_is_over(now)
    there.save(update_fields=["stage", "hand_in_by", "rank_by", "hand_in_ended_at", "rank_ended_at"])
    record("moved", by, assignment=there, was=was.value, to=to.value)
    if was == Stage.HANDING_IN and to == Stage.RANKING:
        settle_teams(there, by)
        # Students are told when their papers are there.
        ask_for_first(there, tell=tell)
    elif tell and to in (Stage.HANDING_IN, Stage.RANKING):
        ask_to_tell(there, to)
    if was == Stage.RANKING and to == Stage.HANDING_IN:
        withdraw_first(there, by)
