"""What speaks against a transition: who loses what, and how accurate the order would be."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils.html import format_html
from django.utils.timesince import timesince
from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import most_papers, students_of, why_too_many
from peerorder.web.courses.models import Member
from peerorder.web.courses.queries import students_without_link
from peerorder.web.lifecycle.queries import count
from peerorder.web.monitor.forecast import forecast_round
from peerorder.web.monitor.queries import reminder_at
from peerorder.web.ranking.late_papers import waiting_papers
from peerorder.web.ranking.models import Slot

# As the planner has it, unless staff say otherwise.
MINUTES_TO_READ = 15
# Minutes: more than this is asked of few classes.
LONG = 180
# At most this many people are named.
NAMED = 10


def transition_warnings(assignment: Assignment, to: Stage, now: datetime) -> list[str]:
    """Return what speaks against a transition now, though it is possible."""
    check = CHECKS.get((Stage(assignment.stage), to))
    return check(assignment, now) if check is not None else []


def _before_opening(assignment: Assignment, now: datetime) -> list[str]:
    warnings: list[str] = []
    if not assignment.task:
        warnings.append(_("The task is empty: students will see only the title."))
    warnings += _about_links(assignment)
    if not assignment.instructions:
        warnings.append(_("There are no instructions for judging. Graders judge better with them."))
    if assignment.hand_in_by is None:
        warnings.append(_("There is no deadline for handing in: students can hand in until you start ranking."))
    if assignment.rank_by is None:
        warnings.append(_("There is no deadline for ranking: students can rank until you end it."))
    if too_many := why_too_many(assignment.papers_each, most_papers(students_of(assignment), assignment.in_teams)):
        warnings.append(too_many)
    return warnings + _about_reminders(assignment, assignment.hand_in_by, now) + _about_time_to_rank(assignment)


def _before_ranking(assignment: Assignment, now: datetime) -> list[str]:
    counts = count(assignment)
    near = _about_reminders(assignment, assignment.rank_by, now)
    # A few are always missing.
    if 4 * counts.without_paper < counts.students:
        return near
    text = _("%(without)d of %(students)d students have not handed in and will not take part without an extension.")
    return [text % {"without": counts.without_paper, "students": counts.students}, *near]


def _about_links(assignment: Assignment) -> list[str]:
    """Return a warning if students cannot log in, with a link to the page that gives them personal links."""
    count = students_without_link(assignment.course).filter(pk__in=students_of(assignment)).count()
    if not count:
        return []
    what = ngettext(
        "%(count)d student has no personal link or password and cannot log in.",
        "%(count)d students have no personal link or password and cannot log in.",
        count,
    )
    address = reverse("courses:links", args=[assignment.course_id])
    return [format_html('{} <a href="{}">{}</a>', what % {"count": count}, address, _("Send or export personal links"))]


def _about_reminders(assignment: Assignment, deadline: datetime | None, now: datetime) -> list[str]:
    """Return a warning if a stage that begins now ends too soon for automatic reminders."""
    if deadline is None or not assignment.remind_hours or reminder_at(assignment, deadline, now) is not None:
        return []
    return [_("The deadline is too close for an automatic reminder. You can remind students on the page “Progress”.")]


def _about_time_to_rank(assignment: Assignment) -> list[str]:
    """Return a warning if there is little time to read the papers, or if they are many."""
    reading = MINUTES_TO_READ * assignment.papers_each
    about = {"papers": assignment.papers_each, "minutes": reading, "hours": reading // 60}
    if assignment.hand_in_by is not None and assignment.rank_by is not None:
        begins = assignment.hand_in_by + timedelta(hours=assignment.late_hours)
        if assignment.rank_by - begins < timedelta(minutes=reading):
            text = _("Ranking lasts only %(time)s, but reading %(papers)d papers takes about %(minutes)d minutes.")
            return [text % (about | {"time": timesince(begins, assignment.rank_by)})]
    if reading <= LONG:
        return []
    return [_("Each student has %(papers)d papers to rank, which takes about %(hours)d hours.") % about]


def _before_review(assignment: Assignment, now: datetime) -> list[str]:
    warnings = []
    if losing := _members_losing_extensions(assignment, now):
        text = ngettext(
            "%(count)d student loses an extension for handing in: %(names)s.",
            "%(count)d students lose their extensions for handing in: %(names)s.",
            len(losing),
        )
        warnings.append(text % {"count": len(losing), "names": _names(losing)})
    if late := waiting_papers(assignment).count():
        text = ngettext(
            "%(late)d late paper was not distributed, so nobody would rank it. Add it first, on “Progress”.",
            "%(late)d late papers were not distributed, so nobody would rank them. Add them first, on “Progress”.",
            late,
        )
        warnings.append(text % {"late": late})
    return warnings + _about_the_order(assignment)


def _about_the_order(assignment: Assignment) -> list[str]:
    expected, _fresh = forecast_round(assignment)
    if expected is None:
        return []
    now, warnings = expected.now, []
    if now.accuracy < expected.finished.accuracy:
        text = _(
            "About %(now)s%% of all pairs of papers would be in the right order; if all students finish, it would be "
            "%(finished)s%%."
        )
        warnings.append(text % {"now": now.accuracy, "finished": expected.finished.accuracy})
    if now.short:
        text = ngettext(
            "%(short)d of %(papers)d papers has fewer than %(least)d rankings: its place is little more than a guess.",
            "%(short)d of %(papers)d papers have fewer than %(least)d rankings: "
            "their places are little more than a guess.",
            now.short,
        )
        warnings.append(text % {"short": now.short, "papers": expected.papers, "least": expected.least})
    if now.unranked:
        text = ngettext("Nobody has ranked %(count)d paper.", "Nobody has ranked %(count)d papers.", now.unranked)
        warnings.append(text % {"count": now.unranked})
    if now.groups > 1:
        text = _(
            "%(groups)d groups of papers were never compared with each other, so their relative order would be random."
        )
        warnings.append(text % {"groups": now.groups})
    return warnings


def _members_losing_extensions(assignment: Assignment, now: datetime) -> list[Member]:
    """Return members who could still hand in, or replace a paper that nobody has received."""
    ranks = Slot.objects.filter(assignment=assignment).order_by().values("grader")
    running = Extension.objects.filter(
        assignment=assignment, hand_in_by__gt=now - timedelta(hours=assignment.late_hours), member__removed_at=None
    )
    losing = running.exclude(member__in=ranks).select_related("member__person").order_by("member__person__name")
    return [each.member for each in losing]


def _names(members: list[Member]) -> str:
    names = ", ".join(str(member) for member in members[:NAMED])
    if len(members) <= NAMED:
        return names
    return _("%(names)s and %(more)d more") % {"names": names, "more": len(members) - NAMED}


CHECKS: dict[tuple[Stage, Stage], Callable[[Assignment, datetime], list[str]]] = {
    (Stage.DRAFT, Stage.HANDING_IN): _before_opening,
    (Stage.HANDING_IN, Stage.RANKING): _before_ranking,
    (Stage.RANKING, Stage.REVIEW): _before_review,
}
"""What is checked before a transition."""
