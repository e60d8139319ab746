"""The page of an assignment, and the form where it is made."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from peerorder.web.access import EVERY_ROLE, INSTRUCTORS, Asked, in_assignment, in_course
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.errors import refused
from peerorder.web.jobs.registry import Refused
from peerorder.web.papers.models import Kind, Paper, Version
from peerorder.web.ranking.models import Ballot, Problem, Slot
from peerorder.web.ranking.queries import answered_problems, waiting_problems
from peerorder.web.rounds import services
from peerorder.web.rounds.deadlines import may_see_solution, takes_paper, takes_ranking, with_extension
from peerorder.web.rounds.forms import AssignmentForm
from peerorder.web.rounds.late import joins_at, waiting
from peerorder.web.rounds.life import due_at, neighbour, obstacles
from peerorder.web.rounds.models import Assignment, Extension, Stage
from peerorder.web.rounds.planner import QUALITIES
from peerorder.web.rounds.queries import Counts, count, entered_at, jobs_of, students_of_course

# What would stand in the way of a step is news so long before it.
NEAR = timedelta(days=1)


@in_course(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Asked, course: Course) -> HttpResponse:
    """Make an assignment."""
    form = AssignmentForm(request.POST or None, course=course, now=timezone.now())
    if request.method == "POST" and form.is_valid():
        made = services.make(course, form.cleaned_data, request.user)
        _say(request, form, _("“%(title)s” is a draft now. Students see it when you open it.") % {"title": made.title})
        return redirect("rounds:assignment", made.pk)
    return _form(request, course, None, form)


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: Asked, assignment: Assignment) -> HttpResponse:
    """Change an assignment."""
    before = Assignment.objects.get(pk=assignment.pk)
    form = AssignmentForm(request.POST or None, instance=assignment, course=assignment.course, now=timezone.now())
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        changed = [name for name in values if name not in form.locked and _now(before, name) != _new(values[name])]
        try:
            services.change(before, values, changed, request.user)
        except Refused as reason:
            return refused(request, _("This can no longer be changed"), str(reason), back=request.path)
        _say(request, form, _("Saved.") if changed else _("Nothing was changed."))
        return redirect("rounds:assignment", assignment.pk)
    return _form(request, assignment.course, before, form)


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: Asked, assignment: Assignment) -> HttpResponse:
    """Delete a draft that was made by mistake."""
    if request.method == "POST":
        try:
            services.delete(assignment, request.user)
        except Refused as reason:
            back = reverse("rounds:assignment", args=[assignment.pk])
            return refused(request, _("This assignment stays"), str(reason), back=back)
        messages.success(request, _("The draft is deleted."))
        return redirect("courses:course", assignment.course_id)
    context = {"assignment": assignment, "why_not": services.why_not_deleted(assignment)}
    return render(request, "rounds/delete.html", context)


def _now(assignment: Assignment, name: str) -> Any:
    return set(assignment.sections.all()) if name == "sections" else getattr(assignment, name)


def _new(value: Any) -> Any:
    return set(value) if isinstance(value, QuerySet) else value


def _say(request: Asked, form: AssignmentForm, what: str) -> None:
    messages.success(request, what)
    for note in form.notes:
        messages.info(request, note)


def _form(request: Asked, course: Course, assignment: Assignment | None, form: AssignmentForm) -> HttpResponse:
    context = {
        "course": course,
        "assignment": assignment,
        "form": form,
        "groups": form.groups(),
        "n": max(3, students_of_course(course).count()),
        "qualities": QUALITIES,
    }
    return render(request, "rounds/form.html", context, status=422 if form.errors else 200)


@in_assignment(EVERY_ROLE)
@require_safe
def assignment(request: Asked, assignment: Assignment) -> HttpResponse:
    """For staff how it goes; for a student what there is to do."""
    now = timezone.now()
    if not request.member.is_staff:
        return render(request, "rounds/student.html", _for_student(assignment, request.member, now))
    if request.GET.get("as") == "student":
        return render(
            request, "rounds/student.html", _preview(assignment, now, has_paper=request.GET.get("has") == "paper")
        )
    return render(request, "rounds/staff.html", _for_staff(assignment, request.member, now))


def _for_staff(assignment: Assignment, member: Member, now: datetime) -> dict[str, Any]:
    counts, entered = count(assignment), entered_at(assignment)
    forward, back = neighbour(assignment.stage, +1), neighbour(assignment.stage, -1)
    at = Stage(assignment.stage).number
    due = due_at(assignment)
    in_the_way = obstacles(assignment, forward, now) if forward is not None else []
    lasting = [each for each in in_the_way if not each.passes]
    instructs = member.role == Role.INSTRUCTOR
    back_barred = back is not None and any(not each.passes for each in obstacles(assignment, back, now))
    return {
        "assignment": assignment,
        "member": member,
        "counts": counts,
        "steps": [
            {
                "stage": stage,
                "since": entered.get(stage) if stage.number <= at else None,
                "ended": _left(stage, entered) if stage.number < at else None,
                "until": {Stage.HANDING_IN: assignment.hand_in_by, Stage.RANKING: assignment.rank_by}.get(stage),
                "past": stage.number < at,
                "current": stage.number == at,
            }
            for stage in Stage
        ],
        "forward": forward,
        "back": None if back_barred else back,
        "due": due,
        "due_by_extension": assignment.stage == Stage.RANKING and due is not None and due != assignment.rank_by,
        "problems": waiting_problems(assignment),
        "stuck": in_the_way if due is not None and now > due else [],
        # Early on nobody has done anything yet, which is no news.
        "in_the_way": lasting if due is not None and due - now < NEAR else [],
        "main": _main(assignment, counts, now, instructs=instructs),
        "late": waiting(assignment).count(),
        "joins_at": joins_at(assignment, now),
        "jobs": jobs_of(assignment),
        "extensions": assignment.extensions.count(),
        "instructs": instructs,
        "hand_out_failed": assignment.stage == Stage.RANKING and not counts.handed_out,
    }


def _left(stage: Stage, entered: dict[str, datetime]) -> datetime | None:
    """When a stage that is past ended: when the next one began."""
    following = neighbour(stage, +1)
    return entered.get(following.value) if following is not None else None


def _main(assignment: Assignment, counts: Counts, now: datetime, *, instructs: bool) -> str:
    """What staff most likely want to do: the step when its time has come, to look before, to export after."""
    if not assignment.is_at(Stage.HANDING_IN, Stage.RANKING):
        return "move" if assignment.stage == Stage.DRAFT or not instructs else "export"
    handing_in = assignment.stage == Stage.HANDING_IN
    deadline = assignment.hand_in_by if handing_in else assignment.rank_by
    left = counts.without_paper if handing_in else counts.graders - counts.done
    over = deadline is not None and deadline <= now
    return "move" if instructs and (over or (not left and counts.with_paper)) else "monitor"


def _preview(assignment: Assignment, now: datetime, *, has_paper: bool) -> dict[str, Any]:
    """What a student sees who has handed in a paper, and no ranking yet; or who has done nothing."""
    shown = _for_student(assignment, None, now)
    has_paper = has_paper and assignment.stage != Stage.DRAFT
    if has_paper:
        shown["version"] = Version(kind=Kind.TEXT, handed_in_at=entered_at(assignment).get(Stage.HANDING_IN.value, now))
        if Stage(assignment.stage).number >= Stage.RANKING.number:
            shown["slots"] = assignment.papers_each
            shown["shows_solution"] = bool(assignment.solution) and may_see_solution(assignment, None, now, ranks=True)
    return {**shown, "preview": True, "has_paper": has_paper}


def _for_student(assignment: Assignment, member: Member | None, now: datetime) -> dict[str, Any]:
    """What a student sees; without one, what a student sees who has done nothing yet."""
    extension = Extension.objects.of(assignment, member) if member is not None else None
    paper = ballot = None
    slots = 0
    answered: list[Problem] = []
    if member is not None:
        answered = answered_problems(assignment, member)
        paper = (
            Paper.objects.select_related("current")
            .filter(assignment=assignment, authorships__member=member, current__isnull=False)
            .first()
        )
        ballot = Ballot.objects.filter(assignment=assignment, grader=member).first()
        slots = Slot.objects.filter(assignment=assignment, grader=member).count()
    times = with_extension(assignment, extension)
    handing, ranking = takes_paper(assignment, extension, now), takes_ranking(assignment, extension, now)
    at = Stage(assignment.stage).number
    return {
        "assignment": assignment,
        "paper": paper,
        "version": paper.current if paper is not None else None,
        "ballot": ballot,
        "slots": slots,
        "answered": answered,
        "times": times,
        "hand_in_by": extension.hand_in_by if extension and extension.hand_in_by else times.hand_in,
        "late": handing and times.is_late(now),
        "extension": extension,
        "time_was_cut": extension is not None and extension.hand_in_cut and not slots,
        "handing": handing,
        "ranking": ranking,
        "shows_solution": bool(assignment.solution) and may_see_solution(assignment, extension, now, ranks=slots > 0),
        "steps": [
            {"stage": stage, "past": stage.number < at, "current": stage.number == at}
            for stage in Stage
            if stage != Stage.DRAFT
        ],
        "begins": due_at(assignment),
    }
