"""The stages of an assignment: which comes next, when, and what blocks the way there."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.deadlines import ranking_begins
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.jobs.models import Job
from peerorder.web.lifecycle.queries import count
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.models import Ballot
from peerorder.web.results.mark_sheets import release_in_force
from peerorder.web.results.release_audience import waiting_release

FEWEST_PAPERS = 3


@dataclass(frozen=True)
class Blocker:
    """Why a transition is not possible, and what to do about it."""

    text: str
    passes: bool = False
    """It goes away soon, without anybody's help."""


def neighbour(stage: str, by: int) -> Stage | None:
    """Return the stage after (+1) or before (-1) this one, if there is one."""
    stages = list(Stage)
    index = Stage(stage).number + by
    return stages[index] if 0 <= index < len(stages) else None


def due_at(assignment: Assignment) -> datetime | None:
    """Return when the next stage starts automatically; None where staff start it.

    Ranking begins when late papers are no longer accepted; papers with a longer extension are added later. Review
    begins when nobody has time left to rank, so that staff do not review half of the rankings.
    """
    if not assignment.moves_by_itself:
        return None
    if assignment.stage == Stage.HANDING_IN:
        return ranking_begins(assignment)
    if assignment.stage == Stage.RANKING and assignment.rank_by is not None:
        last = Extension.objects.filter(assignment=assignment).aggregate(last=Max("rank_by"))["last"]
        return max(assignment.rank_by, last) if last is not None else assignment.rank_by
    return None


def blockers(assignment: Assignment, to: Stage, now: datetime) -> list[Blocker]:
    """Return what blocks a transition, forward or back."""
    if to not in (neighbour(assignment.stage, +1), neighbour(assignment.stage, -1)):
        text = _("Assignments move one stage at a time, and this one is now in “%(stage)s”. Reload its page.")
        return [Blocker(text % {"stage": assignment.get_stage_display()})]
    return CHECKS[Stage(assignment.stage), to](assignment, now)


def _to_open(assignment: Assignment, now: datetime) -> list[Blocker]:
    result = []
    if assignment.hand_in_by is not None and assignment.hand_in_by <= now:
        result.append(Blocker(_("The deadline for handing in has passed. Set a later one first.")))
    return result


def _to_rank(assignment: Assignment, now: datetime) -> list[Blocker]:
    counts = count(assignment)
    result = []
    if counts.preparing:
        text = ngettext(
            "%(papers)d paper is still being prepared. Try again in a minute.",
            "%(papers)d papers are still being prepared. Try again in a minute.",
            counts.preparing,
        )
        result.append(Blocker(text % {"papers": counts.preparing}, passes=True))
    in_time = counts.ready + counts.preparing
    if in_time < FEWEST_PAPERS:
        text = ngettext(
            "Only %(there)d paper has been handed in; at least %(needed)d are needed. "
            "Set a later deadline, or give students extensions.",
            "Only %(there)d papers have been handed in; at least %(needed)d are needed. "
            "Set a later deadline, or give students extensions.",
            in_time,
        )
        result.append(Blocker(text % {"there": in_time, "needed": FEWEST_PAPERS}))
    elif assignment.papers_each > in_time - 1:
        text = _(
            "Each student should rank %(each)d papers, but there are only %(others)d by other students. "
            "Choose %(others)d or fewer in the settings."
        )
        result.append(Blocker(text % {"each": assignment.papers_each, "others": in_time - 1}))
    if assignment.rank_by is not None and assignment.rank_by <= now:
        result.append(Blocker(_("The deadline for ranking has passed. Set a later one first.")))
    return result


def _to_review(assignment: Assignment, now: datetime) -> list[Blocker]:
    if is_being_distributed(assignment):
        return [Blocker(_("Papers are being distributed. Wait until that is done."), passes=True)]
    if not Ballot.objects.filter(assignment=assignment, submission__isnull=False).exists():
        return [Blocker(_("Nobody has handed in a ranking, so there is nothing to review. Set a later deadline."))]
    return []


def _back_to_draft(assignment: Assignment, now: datetime) -> list[Blocker]:
    papers = Paper.objects.filter(assignment=assignment, current__isnull=False).count()
    if not papers:
        return []
    text = ngettext(
        "%(papers)d paper was handed in, and its author would no longer see it. Change the settings instead.",
        "%(papers)d papers were handed in, and their authors would no longer see them. Change the settings instead.",
        papers,
    )
    return [Blocker(text % {"papers": papers})]


def _back_to_handing_in(assignment: Assignment, now: datetime) -> list[Blocker]:
    if is_being_distributed(assignment):
        return [Blocker(_("Papers are being distributed. Wait until that is done."), passes=True)]
    begun = Ballot.objects.filter(assignment=assignment).count()
    if not begun:
        return []
    text = ngettext(
        "%(begun)d student has started ranking, and that work would be lost. "
        "Give students who still want to hand in an extension instead.",
        "%(begun)d students have started ranking, and that work would be lost. "
        "Give students who still want to hand in an extension instead.",
        begun,
    )
    return [Blocker(text % {"begun": begun})]


def _to_release(assignment: Assignment, now: datetime) -> list[Blocker]:
    return [Blocker(_("To publish results, sign them off on the page “Release”."))]


def _back_to_review(assignment: Assignment, now: datetime) -> list[Blocker]:
    if release_in_force(assignment) is None:
        return []
    return [Blocker(_("Students can see a release. Withdraw it on the page “Release” to return to review."))]


def _back_to_ranking(assignment: Assignment, now: datetime) -> list[Blocker]:
    if waiting_release(assignment) is None:
        return []
    return [Blocker(_("A release is scheduled. Withdraw it first, on the page “Release”."))]


def is_being_distributed(assignment: Assignment) -> bool:
    """Return whether a hand-out waits or is being made."""
    busy = (Job.State.WAITING, Job.State.RUNNING)
    return Job.objects.filter(assignment_id=assignment.pk, kind="hand-out", state__in=busy).exists()


CHECKS: dict[tuple[Stage, Stage], Callable[[Assignment, datetime], list[Blocker]]] = {
    (Stage.DRAFT, Stage.HANDING_IN): _to_open,
    (Stage.HANDING_IN, Stage.RANKING): _to_rank,
    (Stage.RANKING, Stage.REVIEW): _to_review,
    (Stage.REVIEW, Stage.RELEASED): _to_release,
    (Stage.HANDING_IN, Stage.DRAFT): _back_to_draft,
    (Stage.RANKING, Stage.HANDING_IN): _back_to_handing_in,
    (Stage.REVIEW, Stage.RANKING): _back_to_ranking,
    (Stage.RELEASED, Stage.REVIEW): _back_to_review,
}
"""What is checked before a transition."""
