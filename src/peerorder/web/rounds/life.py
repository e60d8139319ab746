"""The life of an assignment: which step comes next, what stands in its way, and what it does."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerorder.web.jobs.models import Job
from peerorder.web.papers.models import Paper
from peerorder.web.ranking.models import Ballot
from peerorder.web.rounds.models import Assignment, Extension, Stage
from peerorder.web.rounds.queries import Counts, count

__all__ = ["Obstacle", "consequences", "due_at", "neighbour", "obstacles"]

FEWEST_PAPERS = 3


@dataclass(frozen=True)
class Obstacle:
    """Why a step cannot be made, and the cure."""

    text: str
    passes: bool = False
    """It goes away by itself, soon."""


def neighbour(stage: str, by: int) -> Stage | None:
    """The stage after (+1) or before (-1) this one, if there is one."""
    stages = list(Stage)
    at = Stage(stage).number + by
    return stages[at] if 0 <= at < len(stages) else None


def due_at(assignment: Assignment) -> datetime | None:
    """When the next step is made by itself; None where it is made by hand.

    Ranking begins when late papers are no longer taken; what comes still later, by an extension, joins then. Review
    begins when nobody has time left to rank, so that staff do not look at half of it.
    """
    if not assignment.moves_by_itself:
        return None
    if assignment.stage == Stage.HANDING_IN and assignment.hand_in_by is not None:
        return assignment.hand_in_by + timedelta(hours=assignment.late_hours)
    if assignment.stage == Stage.RANKING and assignment.rank_by is not None:
        last = Extension.objects.filter(assignment=assignment).aggregate(last=Max("rank_by"))["last"]
        return max(assignment.rank_by, last) if last is not None else assignment.rank_by
    return None


def obstacles(assignment: Assignment, to: Stage, now: datetime) -> list[Obstacle]:
    """What stands in the way of a step, forward or back."""
    check = CHECKS.get((Stage(assignment.stage), to))
    if check is None:
        what = _("An assignment goes one step at a time, and this one is at “%(stage)s”. Load its page again.")
        return [Obstacle(what % {"stage": assignment.get_stage_display()})]
    return check(assignment, now)


def _to_open(assignment: Assignment, now: datetime) -> list[Obstacle]:
    found = []
    if assignment.hand_in_by is not None and assignment.hand_in_by <= now:
        found.append(Obstacle(_("The deadline for handing in is over already. Set a later one first.")))
    return found


def _to_rank(assignment: Assignment, now: datetime) -> list[Obstacle]:
    counts = count(assignment)
    found = []
    if counts.preparing:
        what = ngettext(
            "%(papers)d paper is still being prepared. Try again in a minute.",
            "%(papers)d papers are still being prepared. Try again in a minute.",
            counts.preparing,
        )
        found.append(Obstacle(what % {"papers": counts.preparing}, passes=True))
    there = counts.ready + counts.preparing
    if there < FEWEST_PAPERS:
        what = _(
            "%(there)d papers are there, and peer grading needs %(needed)d or more. "
            "Set a later deadline, or give students more time by extensions."
        )
        found.append(Obstacle(what % {"there": there, "needed": FEWEST_PAPERS}))
    elif assignment.papers_each > there - 1:
        what = _(
            "Each student is to rank %(each)d papers, but there are only %(others)d by others. "
            "Change that to %(others)d or fewer in the settings."
        )
        found.append(Obstacle(what % {"each": assignment.papers_each, "others": there - 1}))
    if assignment.rank_by is not None and assignment.rank_by <= now:
        found.append(Obstacle(_("The deadline for ranking is over already. Set a later one first.")))
    return found


def _to_review(assignment: Assignment, now: datetime) -> list[Obstacle]:
    if being_handed_out(assignment):
        return [Obstacle(_("Papers are being handed out. Wait until that is done."), passes=True)]
    if not Ballot.objects.filter(assignment=assignment, handed_in__isnull=False).exists():
        return [Obstacle(_("Nobody has handed in a ranking, so there is nothing to review. Set a later deadline."))]
    return []


def _back_to_draft(assignment: Assignment, now: datetime) -> list[Obstacle]:
    papers = Paper.objects.filter(assignment=assignment, current__isnull=False).count()
    if not papers:
        return []
    what = ngettext(
        "%(papers)d paper was handed in, and its author could no longer see it. Change the settings instead.",
        "%(papers)d papers were handed in, and their authors could no longer see them. Change the settings instead.",
        papers,
    )
    return [Obstacle(what % {"papers": papers})]


def _back_to_handing_in(assignment: Assignment, now: datetime) -> list[Obstacle]:
    if being_handed_out(assignment):
        return [Obstacle(_("Papers are being handed out. Wait until that is done."), passes=True)]
    begun = Ballot.objects.filter(assignment=assignment).count()
    if not begun:
        return []
    what = ngettext(
        "%(begun)d student has begun to rank, and that work would be lost. "
        "Give those who still want to hand in more time by an extension.",
        "%(begun)d students have begun to rank, and that work would be lost. "
        "Give those who still want to hand in more time by an extension.",
        begun,
    )
    return [Obstacle(what % {"begun": begun})]


def _nothing(assignment: Assignment, now: datetime) -> list[Obstacle]:
    return []


def being_handed_out(assignment: Assignment) -> bool:
    """Whether a hand-out waits or is being made."""
    busy = (Job.State.WAITING, Job.State.RUNNING)
    return Job.objects.filter(assignment=assignment, kind="hand-out", state__in=busy).exists()


CHECKS: dict[tuple[Stage, Stage], Callable[[Assignment, datetime], list[Obstacle]]] = {
    (Stage.DRAFT, Stage.HANDING_IN): _to_open,
    (Stage.HANDING_IN, Stage.RANKING): _to_rank,
    (Stage.RANKING, Stage.REVIEW): _to_review,
    (Stage.REVIEW, Stage.RELEASED): _nothing,
    (Stage.HANDING_IN, Stage.DRAFT): _back_to_draft,
    (Stage.RANKING, Stage.HANDING_IN): _back_to_handing_in,
    (Stage.REVIEW, Stage.RANKING): _nothing,
    (Stage.RELEASED, Stage.REVIEW): _nothing,
}


def consequences(assignment: Assignment, to: Stage, now: datetime) -> list[str]:
    """What a step does, in sentences, for whoever is about to make it."""
    counts = count(assignment)
    return [sentence for sentence in SAYS[Stage(assignment.stage), to](assignment, counts, now) if sentence]


def _say_open(assignment: Assignment, counts: Counts, now: datetime) -> list[str]:
    return [
        _("%(students)d students see the assignment and can hand in%(until)s.")
        % {"students": counts.students, "until": _until(assignment.hand_in_by)},
        "" if counts.students else _("There are no students yet: whoever joins the course later sees it then."),
        _by_itself(assignment, Stage.HANDING_IN, assignment.hand_in_by),
        _("You can come back to the draft as long as nobody has handed in."),
    ]


def _say_rank(assignment: Assignment, counts: Counts, now: datetime) -> list[str]:
    early = assignment.hand_in_by is not None and now < assignment.hand_in_by
    extended = Extension.objects.filter(assignment=assignment, hand_in_by__gt=now).count()
    return [
        _("%(papers)d papers are there, %(without)d students have not handed in; each student will rank %(each)d.")
        % {"papers": counts.ready, "without": counts.without_paper, "each": assignment.papers_each},
        _("It is earlier than the deadline (%(when)s): whoever has not handed in can no longer do so.")
        % {"when": _moment(assignment.hand_in_by)}
        if early
        else "",
        _("Papers of students with an extension join later; at present that is %(extended)d.") % {"extended": extended}
        if extended
        else "",
        _("%(broken)d papers cannot be shown to anybody and are left out.") % {"broken": counts.broken}
        if counts.broken
        else "",
        _("The papers are handed out, which takes seconds, and students can rank%(until)s.")
        % {"until": _until(assignment.rank_by)},
        _by_itself(assignment, Stage.RANKING, assignment.rank_by),
        _("You can come back as long as nobody has begun to rank."),
    ]


def _say_review(assignment: Assignment, counts: Counts, now: datetime) -> list[str]:
    extended = Extension.objects.filter(assignment=assignment, rank_by__gt=now).count()
    return [
        _("%(done)d of %(graders)d students have handed in their rankings; the others no longer can.")
        % {"done": counts.handed_in, "graders": counts.graders},
        _("Only whoever has an extension can still rank: that is %(extended)d at present.") % {"extended": extended}
        if extended
        else "",
        _("It is earlier than the deadline (%(when)s).") % {"when": _moment(assignment.rank_by)}
        if assignment.rank_by is not None and now < assignment.rank_by
        else "",
        _("You can come back at any time."),
    ]


def _say_release(assignment: Assignment, counts: Counts, now: datetime) -> list[str]:
    return [_("Students are told that results follow."), _("You can come back at any time.")]


def _say_draft(assignment: Assignment, counts: Counts, now: datetime) -> list[str]:
    return [_("Students no longer see the assignment. Nobody has handed in, so nothing is lost.")]


def _say_hand_in_again(assignment: Assignment, counts: Counts, now: datetime) -> list[str]:
    return [
        _("The papers that were handed out are taken back. Nobody has begun to rank, so nothing is lost."),
        _("Students can hand in and replace their papers again."),
        _cleared(assignment.hand_in_by, now),
    ]


def _say_rank_again(assignment: Assignment, counts: Counts, now: datetime) -> list[str]:
    return [_("Students can go on ranking, and change what they handed in."), _cleared(assignment.rank_by, now)]


def _say_review_again(assignment: Assignment, counts: Counts, now: datetime) -> list[str]:
    return [_("Students are no longer told that results follow.")]


SAYS: dict[tuple[Stage, Stage], Callable[[Assignment, Counts, datetime], list[str]]] = {
    (Stage.DRAFT, Stage.HANDING_IN): _say_open,
    (Stage.HANDING_IN, Stage.RANKING): _say_rank,
    (Stage.RANKING, Stage.REVIEW): _say_review,
    (Stage.REVIEW, Stage.RELEASED): _say_release,
    (Stage.HANDING_IN, Stage.DRAFT): _say_draft,
    (Stage.RANKING, Stage.HANDING_IN): _say_hand_in_again,
    (Stage.REVIEW, Stage.RANKING): _say_rank_again,
    (Stage.RELEASED, Stage.REVIEW): _say_review_again,
}


def _moment(moment: datetime | None) -> str:
    return formats.date_format(timezone.localtime(moment), "DATETIME_FORMAT") if moment is not None else ""


def _until(moment: datetime | None) -> str:
    return _(" until %(when)s") % {"when": _moment(moment)} if moment is not None else ""


def _by_itself(assignment: Assignment, stage: Stage, deadline: datetime | None) -> str:
    if not assignment.moves_by_itself or deadline is None:
        return _("The step after this one is made by you.")
    if stage == Stage.HANDING_IN and assignment.late_hours:
        what = _("The step after this one is made by itself, %(hours)d hours after the deadline.")
        return what % {"hours": assignment.late_hours}
    return _("The step after this one is made by itself at the deadline.")


def _cleared(deadline: datetime | None, now: datetime) -> str:
    if deadline is None or deadline > now:
        return ""
    return _("The deadline is over, so it is taken away. Set a new one in the settings, or go on by hand.")
