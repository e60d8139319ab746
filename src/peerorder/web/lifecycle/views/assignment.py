"""The page of an assignment: progress for staff, what to do for a student."""

from copy import copy
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from peerorder.web.assignments.access import in_assignment
from peerorder.web.assignments.deadlines import may_see_solution
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.access import EVERY_ROLE, INSTRUCTORS, MemberRequest
from peerorder.web.courses.models import Member, Role
from peerorder.web.errors import Refused, refused
from peerorder.web.lifecycle import services
from peerorder.web.lifecycle.queries import Counts, count, entered_at, jobs_of
from peerorder.web.lifecycle.transitions import blockers, due_at, neighbour
from peerorder.web.monitor.states import state_of
from peerorder.web.monitor.student_state import BUSY, StudentState, assumed_state
from peerorder.web.papers.models import Kind, Paper, Version
from peerorder.web.ranking.late_papers import joins_at, waiting_papers
from peerorder.web.ranking.queries import answered_problems, waiting_problems
from peerorder.web.results.comments import reported_comments
from peerorder.web.results.mark_sheets import release_in_force, withdrawn_release
from peerorder.web.results.models import Release
from peerorder.web.results.release_audience import waiting_release

# What would block the next stage is shown this long before it starts.
NEAR = timedelta(days=1)


@in_assignment(EVERY_ROLE)
@require_safe
def assignment(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Show staff the progress, and a student what there is to do."""
    now = timezone.now()
    if not request.member.is_staff:
        return render(request, "lifecycle/student.html", _for_student(assignment, request.member, now))
    if request.GET.get("as") == "student":
        return render(
            request, "lifecycle/student.html", _preview(assignment, now, has_paper=request.GET.get("has") == "paper")
        )
    return render(request, "lifecycle/staff.html", _for_staff(assignment, request.member, now))


def _for_staff(assignment: Assignment, member: Member, now: datetime) -> dict[str, Any]:
    counts, entered = count(assignment), entered_at(assignment)
    forward, back = neighbour(assignment.stage, +1), neighbour(assignment.stage, -1)
    index = Stage(assignment.stage).number
    due = due_at(assignment)
    in_the_way = blockers(assignment, forward, now) if forward is not None else []
    lasting = [each for each in in_the_way if not each.passes]
    instructs = member.role == Role.INSTRUCTOR
    back_barred = back is not None and any(not each.passes for each in blockers(assignment, back, now))
    return {
        "assignment": assignment,
        "member": member,
        "counts": counts,
        "stages": [
            {
                "stage": stage,
                "period": (
                    entered.get(stage) if stage.number <= index else None,
                    _end_of_stage(stage, entered) if stage.number < index else _deadline(assignment, stage),
                ),
                "past": stage.number < index,
                "current": stage.number == index,
            }
            for stage in Stage
        ],
        "forward": forward,
        "back": None if back_barred else back,
        "due": due,
        "longer": _count_longer_extensions(assignment, due),
        "problems": waiting_problems(assignment),
        "reported_comments": reported_comments(assignment),
        "stuck": in_the_way if due is not None and now > due else [],
        # Early on nobody has done anything yet, which is no news.
        "in_the_way": lasting if due is not None and due - now < NEAR else [],
        "main": _main(assignment, counts, now, instructs=instructs),
        "late": waiting_papers(assignment).count(),
        "joins_at": joins_at(assignment, now),
        "jobs": jobs_of(assignment),
        "instructs": instructs,
        "release": waiting_release(assignment) or release_in_force(assignment),
        "hand_out_failed": assignment.stage == Stage.RANKING and not counts.handed_out,
    }


def _count_longer_extensions(assignment: Assignment, due: datetime | None) -> int:
    """Return for how many students review waits after the deadline for ranking, where it starts automatically."""
    if assignment.stage != Stage.RANKING or due is None or due == assignment.rank_by:
        return 0
    return assignment.extensions.filter(rank_by__gt=assignment.rank_by).count()


def _deadline(assignment: Assignment, stage: Stage) -> datetime | None:
    return {Stage.HANDING_IN: assignment.hand_in_by, Stage.RANKING: assignment.rank_by}.get(stage)


def _end_of_stage(stage: Stage, entered: dict[str, datetime]) -> datetime | None:
    """Return when a past stage ended: when the next one began."""
    following = neighbour(stage, +1)
    return entered.get(following.value) if following is not None else None


def _main(assignment: Assignment, counts: Counts, now: datetime, *, instructs: bool) -> str:
    """Return what staff most likely want to do: the transition when it is time, progress before, results after."""
    if assignment.stage == Stage.DRAFT:
        return "move" if assignment.task else "task"
    if not assignment.is_at(Stage.HANDING_IN, Stage.RANKING):
        return "results"
    handing_in = assignment.stage == Stage.HANDING_IN
    deadline = assignment.hand_in_by if handing_in else assignment.rank_by
    left = counts.without_paper if handing_in else counts.graders - counts.done
    over = deadline is not None and deadline <= now
    return "move" if instructs and (over or (not left and counts.with_paper)) else "monitor"


def _preview(assignment: Assignment, now: datetime, *, has_paper: bool) -> dict[str, Any]:
    """Return what a student sees who has handed in a paper but no ranking, or nothing."""
    draft = assignment.stage == Stage.DRAFT
    has_paper = has_paper and not draft
    if draft:
        # As it will be once it is opened.
        assignment = copy(assignment)
        assignment.stage = Stage.HANDING_IN
    shown = _student_context(assumed_state(assignment, now, has_paper=has_paper), now)
    if has_paper:
        handed_in_at = entered_at(assignment).get(Stage.HANDING_IN.value, now)
        shown["version"] = Version(kind=Kind.TEXT, handed_in_at=handed_in_at)
    return {**shown, "preview": True, "draft": draft, "has_paper": has_paper}


def _for_student(assignment: Assignment, member: Member, now: datetime) -> dict[str, Any]:
    """Return what a student sees."""
    papers = Paper.objects.select_related("current").filter(assignment=assignment, current__isnull=False)
    paper = papers.filter(authorships__member=member).first()
    return {
        **_student_context(state_of(assignment, member, now), now),
        "paper": paper,
        "version": paper.current if paper is not None else None,
        "answered": answered_problems(assignment, member),
        "result": _result(assignment),
    }


def _result(assignment: Assignment) -> Release | None:
    """Return the release to see, or the one that was withdrawn."""
    last = release_in_force(assignment) or withdrawn_release(assignment)
    return last if last is not None and (last.marks or last.comments) else None


def _student_context(student: StudentState, now: datetime) -> dict[str, Any]:
    assignment, extension = student.assignment, student.extension
    index = Stage(assignment.stage).number
    ranks = student.state in BUSY
    return {
        "assignment": assignment,
        "student": student,
        "ballot": student.ballot,
        "times": student.times,
        "extension": extension,
        "time_was_cut": extension is not None and extension.hand_in_cut and not ranks,
        "shows_solution": bool(assignment.solution) and may_see_solution(assignment, extension, now, ranks=ranks),
        "steps": [
            {"stage": stage, "past": stage.number < index, "current": stage.number == index}
            for stage in Stage
            if stage != Stage.DRAFT
        ],
    }


@in_assignment(INSTRUCTORS)
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: MemberRequest, assignment: Assignment) -> HttpResponse:
    """Delete a draft that was made by mistake."""
    if request.method == "POST":
        try:
            services.delete(assignment, request.user)
        except Refused as reason:
            back = reverse("lifecycle:assignment", args=[assignment.pk])
            return refused(request, _("The assignment was not deleted"), str(reason), back=back)
        messages.success(request, _("Draft deleted."))
        return redirect("home:course", assignment.course_id)
    context = {"assignment": assignment, "why_not": services.why_not_deleted(assignment)}
    return render(request, "lifecycle/delete.html", context)
