"""Tell students by mail what begins for them: when they can hand in, and when papers wait for them.

A step asks for a job, with the change that it is about. The job writes one mail for everybody, and every mail has a key
with the number of the job, so that a job that is done again writes none twice.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerorder.web.courses.models import Member
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import ask
from peerorder.web.mail.letters import Letter, letter, time_until
from peerorder.web.mail.services import queue_letters
from peerorder.web.papers.models import Authorship, State
from peerorder.web.ranking.models import Ballot, Slot
from peerorder.web.ranking.queries import finished
from peerorder.web.rounds.deadlines import with_extension
from peerorder.web.rounds.models import Assignment, Extension, Stage
from peerorder.web.rounds.queries import students_of

__all__ = ["Audience", "ask_to_tell", "audience", "tell", "tell_of_handout", "tell_of_more_time"]

BATCH = 100


@dataclass(frozen=True)
class Audience:
    """Who would be told of a step, and what."""

    people: int
    without_address: int
    example: Letter
    """As one of them gets it, ..."""
    reader: Member
    """... this one."""


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
    first = members.select_related("person").order_by("pk").first()
    if first is None:
        return None
    example = _letter(kind, assignment, first, Extension.objects.of(assignment, first), assignment.papers_each)
    return Audience(members.count(), members.filter(person__email="").count(), example, first)


def ask_to_tell(assignment: Assignment, to: Stage) -> Job:
    """Tell everybody for whom this stage begins, in the background."""
    return ask("letters", assignment=assignment, event="opened" if to == Stage.HANDING_IN else "go on")


def tell_of_handout(assignment: Assignment, handout: int) -> Job:
    """Tell everybody who has new papers to rank, in the background."""
    return ask("letters", assignment=assignment, event="handed out", handout=handout)


def tell(job: Job, progress: Progress) -> str:
    """The job. What is over by now is no news, and nobody is told of it."""
    assignment = Assignment.objects.select_related("course").get(jobs=job)
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
        people = students_of(assignment).filter(pk__in=new.values("grader"))
    else:
        people = _without_paper(assignment) if kind == "opened" else _unfinished(assignment)
    members = list(people.select_related("person").order_by("pk"))
    granted = {each.member_id: each for each in Extension.objects.filter(assignment=assignment)}
    told = 0
    for begin in range(0, len(members), BATCH):
        progress(begin, len(members), _("Writing mails"))
        letters = {}
        for member in members[begin : begin + BATCH]:
            own = "more papers" if member.pk in before else kind
            text = _letter(own, assignment, member, granted.get(member.pk), papers.get(member.pk, 0))
            letters[f"letter {job.pk} {member.pk}"] = (member.person, text)
        with transaction.atomic():
            told += queue_letters(letters, assignment)
    progress(len(members), len(members))
    return ngettext("%(told)d mail is on its way.", "%(told)d mails are on their way.", told) % {"told": told}


def tell_of_more_time(extension: Extension) -> bool:
    """Tell a student what was granted, once for the same times; gives whether a mail goes out."""
    assignment, person = extension.assignment, extension.member.person
    lines = [
        *time_until(assignment, extension.hand_in_by, _("Hand in by %(when)s.")),
        *time_until(assignment, extension.rank_by, _("Rank by %(when)s.")),
    ]
    times = [int(moment.timestamp()) if moment else "-" for moment in (extension.hand_in_by, extension.rank_by)]
    key = f"more time {extension.pk} {times[0]} {times[1]}"
    return queue_letters({key: (person, letter("more time", assignment, person, lines))}, assignment) == 1


def _letter(kind: str, assignment: Assignment, member: Member, extension: Extension | None, papers: int) -> Letter:
    times = with_extension(assignment, extension)
    until = times.hand_in if kind == "opened" else times.rank
    return letter(kind, assignment, member.person, time_until(assignment, until), papers=papers)


def _without_paper(assignment: Assignment) -> QuerySet[Member]:
    """Who has handed in nothing."""
    wrote = Authorship.objects.filter(assignment=assignment, paper__current__isnull=False)
    return students_of(assignment).exclude(pk__in=wrote.values("member"))


def _who_will_rank(assignment: Assignment) -> QuerySet[Member]:
    """Who has a paper that counts."""
    wrote = Authorship.objects.filter(
        assignment=assignment, paper__current__state=State.READY, paper__withdrawn_at=None
    )
    return students_of(assignment).filter(pk__in=wrote.values("member"))


def _unfinished(assignment: Assignment) -> QuerySet[Member]:
    """Who has papers and is not done."""
    done = finished(Ballot.objects.filter(assignment=assignment)).values("grader")
    asked = Slot.objects.filter(assignment=assignment).order_by().values("grader")
    return students_of(assignment).filter(pk__in=asked).exclude(pk__in=done)
