"""How far people are, in a sentence for the card of an assignment: for a student, and for staff."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member, Role
from peerorder.web.papers.models import Authorship
from peerorder.web.ranking.content import judged
from peerorder.web.ranking.models import Ballot, Problem, Slot
from peerorder.web.ranking.queries import finished


def rankings_of(mine: Sequence[Member]) -> dict[int, str]:
    """For every assignment in which somebody ranks, how far that is; ``mine`` are the memberships of one person."""
    asked: dict[int, set[str]] = {}
    slots = Slot.objects.filter(grader__in=mine, paper__withdrawn_at=None).order_by()
    for assignment, token in slots.values_list("assignment", "token"):
        asked.setdefault(assignment, set()).add(token)
    ballots = Ballot.objects.filter(grader__in=mine).select_related("submission")
    by_assignment = {ballot.assignment_id: ballot for ballot in ballots}
    return {assignment: _ranking(tokens, by_assignment.get(assignment)) for assignment, tokens in asked.items()}


def answered_for(mine: Sequence[Member]) -> dict[int, int]:
    """For every assignment, how many of somebody's reports of problems were answered."""
    answered = Problem.objects.filter(slot__grader__in=mine, answered_at__isnull=False)
    return dict(answered.order_by().values_list("slot__assignment").annotate(Count("pk")))


def _ranking(asked: set[str], ballot: Ballot | None) -> str:
    """Papers that one cannot judge are dealt with, too."""
    done = len(asked & judged(ballot.content)) if ballot is not None else 0
    about = {"done": done, "papers": len(asked)}
    if ballot is None:
        return ngettext("%(papers)d paper waits for you.", "%(papers)d papers wait for you.", len(asked)) % about
    if ballot.submission is None:
        return _("%(done)d of %(papers)d ranked, saved, not handed in yet.") % about
    if done < len(asked):
        return _("Handed in; %(done)d of %(papers)d are ranked, because papers joined later.") % about
    if not ballot.has_submitted(ballot.content):
        return _("Handed in, and changed since: hand it in again, or the earlier one counts.")
    return _("Your ranking is handed in.")


def staff_progress(assignments: Iterable[Assignment]) -> dict[int, str]:
    """For every assignment, how many are done; a handful of questions to the database however many there are."""
    found = list(assignments)
    students = _students(found)
    wrote = _by_assignment(
        Authorship.objects.filter(
            assignment__in=found,
            paper__current__isnull=False,
            paper__withdrawn_at=None,
            member__removed_at=None,
            member__role=Role.STUDENT,
        )
    )
    graders = _by_assignment(Slot.objects.filter(assignment__in=found, grader__removed_at=None), "grader")
    ranked = _by_assignment(finished(Ballot.objects.filter(assignment__in=found, grader__removed_at=None)))
    said = {}
    for each in found:
        about = {
            "wrote": wrote.get(each.pk, 0),
            "students": students[each.pk],
            "ranked": ranked.get(each.pk, 0),
            "graders": graders.get(each.pk, 0),
        }
        said[each.pk] = str(_sentence(Stage(each.stage), about["graders"])) % about
    return said


def _sentence(stage: Stage, graders: int) -> str:
    if stage == Stage.DRAFT:
        return _("Students do not see it yet: open it when it is ready.")
    if stage == Stage.HANDING_IN:
        return _("%(wrote)d of %(students)d students have handed in.")
    if stage == Stage.RANKING and not graders:
        return _("Papers are being handed out.")
    if stage == Stage.RANKING:
        return _("%(ranked)d of %(graders)d students are done with ranking.")
    if stage == Stage.REVIEW:
        return _("Ranking is over: %(ranked)d of %(graders)d students were done. Look at it, then release it.")
    return _("Finished: %(ranked)d of %(graders)d students were done with ranking.")


def _by_assignment(rows: Any, what: str = "pk") -> dict[int, int]:
    return dict(rows.order_by().values_list("assignment").annotate(Count(what, distinct=True)))


def _students(assignments: list[Assignment]) -> dict[int, int]:
    """How many take part in each: those of its sections, or of the whole course."""
    here = Member.objects.filter(
        course__in={each.course_id for each in assignments}, role=Role.STUDENT, removed_at=None
    )
    rows = here.order_by().values_list("course", "section").annotate(Count("pk"))
    many = {(course, section): number for course, section, number in rows}
    found = {}
    for each in assignments:
        sections = {section.pk for section in each.sections.all()}
        found[each.pk] = sum(
            number
            for (course, section), number in many.items()
            if course == each.course_id and (not sections or section in sections)
        )
    return found
