"""Tell students by e-mail what begins for them: when they can hand in, and when papers wait for them.

A step asks for a job, with the change that it is about. The job writes one mail for everybody, and every mail has a key
with the number of the job, so that a job that is done again writes none twice.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from peerorder.web.assignments.deadlines import with_extension
from peerorder.web.assignments.messages import compose_about, queue_about, time_until
from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import assignment_of, students_of
from peerorder.web.courses.models import Member
from peerorder.web.database.batches import batches
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import enqueue
from peerorder.web.mail.messages import Message
from peerorder.web.mail.services import on_the_way
from peerorder.web.monitor.states import people
from peerorder.web.monitor.student_state import UNFINISHED
from peerorder.web.papers.models import Authorship, State
from peerorder.web.ranking.models import Slot

BATCH = 100


@dataclass(frozen=True)
class Audience:
    """Who would be told of a step, and what."""

    people: int
    without_address: int
    example: Message
    """As one of them gets it, ..."""
    reader: Member
    """... this one."""

    @property
    def with_address(self) -> int:
        """Who can be written to."""
        return self.people - self.without_address


def audience(assignment: Assignment, to: Stage) -> Audience | None:
    """Who is told of a step; None where nobody is, because nothing begins for anybody."""
    was = Stage(assignment.stage)
    kind, members = "opened", _without_paper(assignment)
    if (was, to) == (Stage.HANDING_IN, Stage.RANKING):
        kind, members = "handed out", _who_will_rank(assignment)
    elif (was, to) == (Stage.REVIEW, Stage.RANKING):
        kind, members = "go on", _unfinished(assignment)
    elif to != Stage.HANDING_IN:
        return None
    people = members.select_related("person").order_by("pk")
    first = people.exclude(person__email="").first() or people.first()
    if first is None:
        return None
    example = _compose(kind, assignment, first, Extension.objects.of(assignment, first), assignment.papers_each)
    return Audience(members.count(), members.filter(person__email="").count(), example, first)


def enqueue_notifications(assignment: Assignment, to: Stage) -> Job:
    """Tell everybody for whom this stage begins, in the background."""
    event = "opened" if to == Stage.HANDING_IN else "go on"
    return enqueue("notifications", assignment_id=assignment.pk, event=event)


def notify(job: Job, progress: Progress) -> str:
    """Do the job. What is over by now is no news, and nobody is told of it."""
    assignment = assignment_of(job)
    kind = job.about["event"]
    if assignment.stage != (Stage.HANDING_IN if kind == "opened" else Stage.RANKING):
        return _("The assignment has gone on, so nobody was told.")
    papers: dict[int, int] = {}
    before: set[int] = set()
    if kind == "handed out":
        slots = Slot.objects.filter(assignment=assignment, paper__withdrawn_at=None)
        new = slots.filter(handout=job.about["handout"]).order_by()
        papers = dict(new.values_list("grader").annotate(Count("pk")))
        before = set(slots.filter(handout__lt=job.about["handout"]).values_list("grader", flat=True))
        told = students_of(assignment).filter(pk__in=new.values("grader"))
    else:
        told = _without_paper(assignment) if kind == "opened" else _unfinished(assignment)
    members = list(told.select_related("person").order_by("pk"))
    granted = {each.member_id: each for each in Extension.objects.filter(assignment=assignment)}
    done = sent = 0
    for some in batches(members, BATCH):
        progress(done, len(members), _("Writing mails"))
        messages = {}
        for member in some:
            own = "more papers" if member.pk in before else kind
            message = _compose(own, assignment, member, granted.get(member.pk), papers.get(member.pk, 0))
            # Jobs from before the upgrade have written keys of this form.
            messages[f"letter {job.pk} {member.pk}"] = (member.person, message)
        with transaction.atomic():
            sent += queue_about(assignment, messages)
        done += len(some)
    progress(len(members), len(members))
    return on_the_way(sent)


def _compose(kind: str, assignment: Assignment, member: Member, extension: Extension | None, papers: int) -> Message:
    times = with_extension(assignment, extension)
    until = times.hand_in if kind == "opened" else times.rank
    return compose_about(kind, assignment, member.person, time_until(assignment, until), papers=papers)


def _without_paper(assignment: Assignment) -> QuerySet[Any]:
    """Return who has handed in nothing."""
    return people(assignment).filter(wrote=False)


def _who_will_rank(assignment: Assignment) -> QuerySet[Member]:
    """Return who has a paper that counts."""
    wrote = Authorship.objects.filter(
        assignment=assignment, paper__current__state=State.READY, paper__withdrawn_at=None
    )
    return students_of(assignment).filter(pk__in=wrote.values("member"))


def _unfinished(assignment: Assignment) -> QuerySet[Any]:
    """Return who has papers and is not done."""
    return people(assignment).filter(state__in=UNFINISHED[Stage.RANKING])
