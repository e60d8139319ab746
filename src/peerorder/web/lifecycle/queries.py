"""The progress of an assignment, in numbers and times."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.assignments.queries import students_of
from peerorder.web.audit.models import Event
from peerorder.web.jobs.models import Job
from peerorder.web.monitor.states import students_with_state
from peerorder.web.papers.models import Authorship, Paper, State
from peerorder.web.ranking.models import Ballot, Handout, Slot
from peerorder.web.ranking.queries import ballots_with_extra_papers, finished_ballots, submitted_ballots


@dataclass(frozen=True)
class Counts:
    """The progress of an assignment, in numbers."""

    students: int
    """Students who take part."""
    with_paper: int
    """Students who handed in, alone or as a team, whatever became of the paper."""
    papers: int
    """Papers that were handed in and not withdrawn."""
    withdrawn: int
    """Papers withdrawn by staff."""
    ready: int
    """Papers that can be shown to graders."""
    preparing: int
    graders: int
    """Students who were given papers to rank."""
    begun: int
    handed_in: int
    """Students who handed in a ranking, ..."""
    done: int
    """... and have nothing left to do: a student who is given another paper later is not done."""
    with_new_papers: int
    """Students who handed in a ranking and have received papers since, allocated or as a favour."""
    will_rank: int
    """Students with a paper that can be shown to graders: they take part in ranking."""
    handed_out: bool
    """Whether the first hand-out is ready."""

    @property
    def without_paper(self) -> int:
        """Students who have not handed in."""
        return self.students - self.with_paper

    @property
    def in_the_middle(self) -> int:
        """Students who have started ranking and not handed in."""
        return self.begun - self.handed_in

    @property
    def broken(self) -> int:
        """Papers that cannot be shown."""
        return self.papers - self.ready - self.preparing


def count(assignment: Assignment) -> Counts:
    """Return all the numbers."""
    handed_in_papers = Paper.objects.filter(assignment=assignment, current__isnull=False)
    papers = handed_in_papers.filter(withdrawn_at=None)
    students = students_of(assignment)
    ballots = Ballot.objects.filter(assignment=assignment, grader__in=students)
    wrote = Authorship.objects.filter(assignment=assignment, paper__in=papers)
    handed_in, done = submitted_ballots(ballots).count(), finished_ballots(ballots).count()
    return Counts(
        students=students.count(),
        with_paper=students_with_state(assignment).filter(wrote=True).count(),
        papers=papers.count(),
        withdrawn=handed_in_papers.filter(withdrawn_at__isnull=False).count(),
        ready=papers.filter(current__state=State.READY).count(),
        preparing=papers.filter(current__state=State.PREPARING).count(),
        graders=Slot.objects.filter(assignment=assignment, grader__in=students).values("grader").distinct().count(),
        begun=ballots.count(),
        handed_in=handed_in,
        done=done,
        with_new_papers=handed_in - done + finished_ballots(ballots_with_extra_papers(ballots)).count(),
        will_rank=students.filter(authorships__in=wrote.filter(paper__current__state=State.READY)).count(),
        handed_out=Handout.objects.filter(
            assignment=assignment, why=Handout.Why.FIRST, ready_at__isnull=False
        ).exists(),
    )


def entered_at(assignment: Assignment) -> dict[str, datetime]:
    """Return when each stage last began, from the audit log: going back begins nothing."""
    moved = Event.objects.filter(course_id=assignment.course_id, assignment_id=assignment.pk, verb="moved")
    last = moved.values_list("details__was", "details__to").annotate(at=Max("at")).order_by("at")
    begun = {to: time for was, to, time in last if Stage(was).number < Stage(to).number}
    return {Stage.DRAFT.value: assignment.created_at, **begun}


def jobs_of(assignment: Assignment) -> list[Job]:
    """Return the jobs to show: those that wait or run, and the last hand-out if it failed."""
    jobs = Job.objects.filter(assignment_id=assignment.pk)
    shown = list(jobs.filter(state__in=(Job.State.WAITING, Job.State.RUNNING)).order_by("enqueued_at")[:5])
    last = jobs.filter(kind="hand-out").order_by("-enqueued_at").first()
    if last is not None and last.state == Job.State.FAILED:
        shown.append(last)
    return shown
