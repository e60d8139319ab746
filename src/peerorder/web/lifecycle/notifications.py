"""Tell students by e-mail what begins for them: when they can hand in, and when they have papers to rank.

A transition enqueues a job. The job writes one e-mail per student, and every e-mail has a key with the number of the
job, so that a job that is retried writes none twice.
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
from peerorder.web.mail.messages import Message, site_language
from peerorder.web.mail.services import on_the_way
from peerorder.web.monitor.states import students_with_state
from peerorder.web.monitor.student_state import UNFINISHED
from peerorder.web.papers.models import Authorship, State
from peerorder.web.ranking.models import Slot

BATCH = 100


@dataclass(frozen=True)
class Audience:
    """Who would be told of a transition, and what."""

    people: int
    without_address: int
    example: Message
    """As one student gets it, ..."""
    reader: Member
    """... this one."""

    @property
    def with_address(self) -> int:
        """How many have an e-mail address."""
        return self.people - self.without_address


def audience(assignment: Assignment, to: Stage) -> Audience | None:
    """Return who is told of a transition; None where nothing begins for anybody."""
    was = Stage(assignment.stage)
    kind, members = "opened", _without_paper(assignment)
    if (was, to) == (Stage.HANDING_IN, Stage.RANKING):
        kind, members = "handed out", _future_graders(assignment)
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
    """Enqueue e-mails to everybody for whom this stage begins."""
    event = "opened" if to == Stage.HANDING_IN else "go on"
    return enqueue("notifications", assignment_id=assignment.pk, event=event)


def notify(job: Job, progress: Progress) -> str:
    """Do the job; nobody is told of a stage that is already over."""
    assignment = assignment_of(job)
    kind = job.about["event"]
    if assignment.stage != (Stage.HANDING_IN if kind == "opened" else Stage.RANKING):
        return _("The assignment is no longer in this stage, so nobody was e-mailed.")
    papers: dict[int, int] = {}
    before: set[int] = set()
    if kind == "handed out":
        slots = Slot.objects.filter(assignment=assignment, paper__withdrawn_at=None)
        new = slots.filter(handout=job.about["handout"]).order_by()
        papers = dict(new.values_list("grader").annotate(Count("pk")))
        before = set(slots.filter(handout__lt=job.about["handout"]).values_list("grader", flat=True))
        recipients = students_of(assignment).filter(pk__in=new.values("grader"))
    else:
        recipients = _without_paper(assignment) if kind == "opened" else _unfinished(assignment)
    members = list(recipients.select_related("person").order_by("pk"))
    granted = {each.member_id: each for each in Extension.objects.filter(assignment=assignment)}
    done = sent = 0
    for some in batches(members, BATCH):
        progress(done, len(members), _("Writing e-mails"))
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


@site_language()
def _compose(kind: str, assignment: Assignment, member: Member, extension: Extension | None, papers: int) -> Message:
    times = with_extension(assignment, extension)
    until = times.hand_in if kind == "opened" else times.rank
    return compose_about(kind, assignment, member.person, time_until(assignment, until), papers=papers)


def _without_paper(assignment: Assignment) -> QuerySet[Any]:
    """Return students who have not handed in."""
    return students_with_state(assignment).filter(wrote=False)


def _future_graders(assignment: Assignment) -> QuerySet[Member]:
    """Return students with a paper that counts."""
    wrote = Authorship.objects.filter(
        assignment=assignment, paper__current__state=State.READY, paper__withdrawn_at=None
    )
    return students_of(assignment).filter(pk__in=wrote.values("member"))


def _unfinished(assignment: Assignment) -> QuerySet[Any]:
    """Return students who have papers to rank and have not finished."""
    return students_with_state(assignment).filter(state__in=UNFINISHED[Stage.RANKING])
