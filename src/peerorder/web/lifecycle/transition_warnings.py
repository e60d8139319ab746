"""What staff should think of before they go on: who loses what, and how good the order would be."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.utils.timesince import timesince
from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import most_papers, students_of, why_too_many
from peerorder.web.courses.models import Member
from peerorder.web.lifecycle.queries import count
from peerorder.web.monitor.forecast import forecast
from peerorder.web.monitor.queries import reminder_at
from peerorder.web.ranking.late_papers import waiting
from peerorder.web.ranking.models import Slot

# As the planner has it, unless staff say otherwise.
MINUTES_TO_READ = 15
# Minutes: more than this is asked of few classes.
LONG = 180
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
    return found + _about_reminders(assignment, assignment.hand_in_by, now) + _about_time_to_rank(assignment)


def _before_ranking(assignment: Assignment, now: datetime) -> list[str]:
    counts = count(assignment)
    near = _about_reminders(assignment, assignment.rank_by, now)
    # A few are always missing.
    if 4 * counts.without_paper < counts.students:
        return near
    what = _(
        "%(without)d of %(students)d students have handed in nothing, and take no part unless you give them more time."
    )
    return [what % {"without": counts.without_paper, "students": counts.students}, *near]


def _about_reminders(assignment: Assignment, deadline: datetime | None, now: datetime) -> list[str]:
    """Say that nobody is reminded automatically, where a stage that begins now ends too soon for that."""
    if deadline is None or not assignment.remind_hours or reminder_at(assignment, deadline, now) is not None:
        return []
    return [_("The deadline is near, so no automatic reminder goes out. You can remind students on the monitor.")]


def _about_time_to_rank(assignment: Assignment) -> list[str]:
    """Say that there is little time to read the papers, or that these are many."""
    reading = MINUTES_TO_READ * assignment.papers_each
    about = {"papers": assignment.papers_each, "minutes": reading, "hours": reading // 60}
    if assignment.hand_in_by is not None and assignment.rank_by is not None:
        begins = assignment.hand_in_by + timedelta(hours=assignment.late_hours)
        if assignment.rank_by - begins < timedelta(minutes=reading):
            what = _("Ranking lasts %(time)s, and reading %(papers)d papers takes about %(minutes)d minutes.")
            return [what % (about | {"time": timesince(begins, assignment.rank_by)})]
    if reading <= LONG:
        return []
    return [_("Each student has %(papers)d papers to rank, which takes about %(hours)d hours.") % about]


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
