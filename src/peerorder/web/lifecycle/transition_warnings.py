"""What staff should think of before they go on: who loses what, and how good the order would be."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import most_papers, students_of, why_too_many
from peerorder.web.courses.models import Member
from peerorder.web.lifecycle.queries import count
from peerorder.web.monitor.forecast import forecast
from peerorder.web.ranking.late_papers import waiting
from peerorder.web.ranking.models import Slot

# So many are named.
NAMED = 10


def transition_warnings(assignment: Assignment, to: Stage, now: datetime) -> list[str]:
    """What speaks against a step now, though it can be made."""
    found = LOOKS.get((Stage(assignment.stage), to))
    return found(assignment, now) if found is not None else []


def _before_opening(assignment: Assignment, now: datetime) -> list[str]:
    found = []
    if not assignment.task:
        found.append(_("The task is empty: students see the title alone."))
    if not assignment.instructions:
        found.append(_("There are no instructions for judging. Graders judge better with them."))
    if assignment.hand_in_by is None:
        found.append(_("There is no deadline for handing in: students can hand in until you start ranking."))
    if assignment.rank_by is None:
        found.append(_("There is no deadline for ranking: students can rank until you end it."))
    if too_many := why_too_many(assignment.papers_each, most_papers(students_of(assignment), assignment.in_teams)):
        found.append(too_many)
    return found


def _before_ranking(assignment: Assignment, now: datetime) -> list[str]:
    counts = count(assignment)
    # A few are always missing.
    if 4 * counts.without_paper < counts.students:
        return []
    what = _(
        "%(without)d of %(students)d students have handed in nothing, and take no part unless you give them more time."
    )
    return [what % {"without": counts.without_paper, "students": counts.students}]


def _before_review(assignment: Assignment, now: datetime) -> list[str]:
    found = []
    if losing := _who_lose_time(assignment, now):
        what = ngettext(
            "%(many)d student loses the time to hand in: %(names)s.",
            "%(many)d students lose their time to hand in: %(names)s.",
            len(losing),
        )
        found.append(what % {"many": len(losing), "names": _names(losing)})
    if late := waiting(assignment).count():
        what = ngettext(
            "%(late)d late paper has not joined, and nobody would rank it. Let it join first, on the monitor.",
            "%(late)d late papers have not joined, and nobody would rank them. Let them join first, on the monitor.",
            late,
        )
        found.append(what % {"late": late})
    return found + _about_the_order(assignment)


def _about_the_order(assignment: Assignment) -> list[str]:
    expected, _fresh = forecast(assignment)
    if expected is None:
        return []
    now, found = expected.now, []
    if now.accuracy < expected.finished.accuracy:
        what = _(
            "%(now)s%% of the pairs of papers would be in the right order, as far as can be expected; "
            "if all finish it is %(finished)s%%."
        )
        found.append(what % {"now": now.accuracy, "finished": expected.finished.accuracy})
    if now.short:
        what = ngettext(
            "%(short)d of %(papers)d papers has fewer than %(least)d rankings: its place is little more than a guess.",
            "%(short)d of %(papers)d papers have fewer than %(least)d rankings: "
            "their places are little more than a guess.",
            now.short,
        )
        found.append(what % {"short": now.short, "papers": expected.papers, "least": expected.least})
    if now.unranked:
        what = ngettext("%(many)d paper was ranked by nobody.", "%(many)d papers were ranked by nobody.", now.unranked)
        found.append(what % {"many": now.unranked})
    if now.groups > 1:
        what = _(
            "There are %(groups)d groups of papers between which no ranking says anything: chance puts them in order."
        )
        found.append(what % {"groups": now.groups})
    return found


def _who_lose_time(assignment: Assignment, now: datetime) -> list[Member]:
    """Who could still hand in, or replace a paper that nobody has yet."""
    ranks = Slot.objects.filter(assignment=assignment).order_by().values("grader")
    running = Extension.objects.filter(
        assignment=assignment, hand_in_by__gt=now - timedelta(hours=assignment.late_hours), member__removed_at=None
    )
    found = running.exclude(member__in=ranks).select_related("member__person").order_by("member__person__name")
    return [each.member for each in found]


def _names(members: list[Member]) -> str:
    names = ", ".join(str(member) for member in members[:NAMED])
    if len(members) <= NAMED:
        return names
    return _("%(names)s and %(more)d more") % {"names": names, "more": len(members) - NAMED}


LOOKS: dict[tuple[Stage, Stage], Callable[[Assignment, datetime], list[str]]] = {
    (Stage.DRAFT, Stage.HANDING_IN): _before_opening,
    (Stage.HANDING_IN, Stage.RANKING): _before_ranking,
    (Stage.RANKING, Stage.REVIEW): _before_review,
}
"""What is looked at before a step."""
