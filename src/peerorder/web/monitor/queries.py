"""The progress of students, counted and listed by the database, for classes of any size."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Exists, Max, OuterRef, Q
from django.db.models.functions import TruncHour
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.assignments.queries import students_of
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member
from peerorder.web.mail.models import Mail
from peerorder.web.monitor.models import Offer
from peerorder.web.monitor.states import students_with_state
from peerorder.web.monitor.student_state import UNFINISHED, State
from peerorder.web.papers.models import Authorship, Paper
from peerorder.web.ranking.content import judged_tokens
from peerorder.web.ranking.models import Ballot, Handout, Slot
from peerorder.web.ranking.queries import submitted_ballots

REMINDER = "reminder"
"""The first word of the key of every mail that reminds somebody."""


def count_by_state(assignment: Assignment) -> dict[State, int]:
    """Return how many students are in each state of this stage."""
    numbers = dict(students_with_state(assignment).order_by().values_list("state").annotate(Count("pk")))
    always = {State.DONE, State.NO_PAPER}
    if not assignment.is_at(Stage.DRAFT, Stage.HANDING_IN):
        always |= {State.MIDDLE, State.NOT_STARTED}
    return {state: numbers.get(state, 0) for state in State if state in always or state in numbers}


@dataclass(frozen=True)
class StudentRow:
    """A student in the list, with what staff ask about them."""

    member: Any
    papers: int
    """How many papers they were given to rank, ..."""
    ranked: int
    """... and how many of these they have dealt with, whether handed in or not."""
    paper: int | None
    """The id of the paper that they handed in."""
    reminded: int
    """How many reminders were created for them, ..."""
    reminded_at: datetime | None
    """... when the last one was, ..."""
    reminder_sent: bool
    """... and whether that one could be sent: there was a mail server."""
    extension: Extension | None
    hand_in_by: datetime | None
    """The end of their extension for handing in, if that is to come, ..."""
    rank_by: datetime | None
    """... and for ranking."""
    offer: Offer | None
    """The last time that they were asked for more rankings."""

    @property
    def state(self) -> State:
        """How far they are."""
        return State(self.member.state)

    @property
    def has_address(self) -> bool:
        """Return whether an e-mail can reach them."""
        return bool(self.member.person.email) and self.member.person.is_active


def student_rows(assignment: Assignment, members: Iterable[Any], now: datetime) -> list[StudentRow]:
    """Return what is known about each of these students, by one query for each kind of fact."""
    members = list(members)
    mails = Mail.objects.filter(
        assignment_id=assignment.pk,
        key__startswith=f"{REMINDER} ",
        person_id__in=[member.person_id for member in members],
    )
    by_person = mails.order_by().values_list("person_id")
    reminded = {
        person: (count, last, last == last_sent)
        for person, count, last, last_sent in by_person.annotate(
            count=Count("pk"), last=Max("queued_at"), last_sent=Max("queued_at", filter=Q(printed=False))
        )
    }
    extensions = Extension.objects.filter(assignment=assignment, member__in=members).select_related("assignment")
    granted = {each.member_id: each for each in extensions}
    offers = {each.member_id: each for each in Offer.objects.filter(assignment=assignment, member__in=members)}
    wrote = Authorship.objects.filter(assignment=assignment, member__in=members, paper__current__isnull=False)
    papers = dict(wrote.values_list("member", "paper"))
    progress = _ranking_progress(assignment, members)
    return [
        StudentRow(
            member,
            *progress.get(member.pk, (0, 0)),
            papers.get(member.pk),
            *reminded.get(member.person_id, (0, None, False)),
            extension=granted.get(member.pk),
            hand_in_by=_running(granted.get(member.pk), "hand_in_by", now),
            rank_by=_running(granted.get(member.pk), "rank_by", now),
            offer=offers.get(member.pk),
        )
        for member in members
    ]


def _ranking_progress(assignment: Assignment, graders: list[Any]) -> dict[int, tuple[int, int]]:
    """Return how many papers each of these graders has, and how many they have dealt with."""
    tokens: dict[int, set[str]] = {}
    slots = Slot.objects.filter(assignment=assignment, grader__in=graders, paper__withdrawn_at=None).order_by()
    for grader, token in slots.values_list("grader", "token"):
        tokens.setdefault(grader, set()).add(token)
    ballots = Ballot.objects.filter(assignment=assignment, grader__in=graders)
    done = {ballot.grader_id: judged_tokens(ballot.content) for ballot in ballots}
    return {grader: (len(given), len(given & done.get(grader, set()))) for grader, given in tokens.items()}


def _running(extension: Extension | None, name: str, now: datetime) -> datetime | None:
    if extension is None or (extension.hand_in_cut and name == "hand_in_by"):
        return None
    until: datetime | None = getattr(extension, name)
    return until if until is not None and until > now else None


def reminder_day(assignment: Assignment, now: datetime) -> str:
    """Return the date in the course, which ends the key of a reminder: there is one a day."""
    return timezone.localtime(now, ZoneInfo(assignment.course.time_zone)).date().isoformat()


def reminder_at(assignment: Assignment, deadline: datetime, began: datetime | None = None) -> datetime | None:
    """Return when students with this deadline are reminded automatically; None where the stage began too near to it.

    They were told of the stage when it ``began``, and need no second message before half of the time is over that
    lies between the reminder and the deadline.
    """
    lead = timedelta(hours=assignment.remind_hours)
    moved = Event.objects.filter(course_id=assignment.course_id, assignment_id=assignment.pk, verb="moved")
    began = began or moved.filter(details__to=assignment.stage).aggregate(at=Max("at"))["at"]
    moment = deadline - lead
    return moment if lead and (began is None or moment - began >= lead / 2) else None


def count_to_remind(assignment: Assignment, now: datetime) -> int:
    """Return how many would get a reminder now: unfinished, with an address and time left, not reminded today."""
    stage = Stage(assignment.stage)
    unfinished = students_with_state(assignment).filter(state__in=UNFINISHED.get(stage, ()))
    today = Mail.objects.filter(
        assignment_id=assignment.pk,
        person_id=OuterRef("person"),
        key__startswith=f"{REMINDER} ",
        key__endswith=f" {reminder_day(assignment, now)}",
    )
    students = unfinished.filter(~Exists(today), person__is_active=True).exclude(person__email="")
    field = "hand_in_by" if stage == Stage.HANDING_IN else "rank_by"
    common = getattr(assignment, field)
    if common is not None and common <= now:
        more = Extension.objects.filter(assignment=assignment, member=OuterRef("pk"), **{f"{field}__gt": now})
        students = students.filter(Exists(more))
    return students.count()


def page_version(assignment: Assignment) -> str:
    """Return a string that changes with anything the page shows; quick, because every open page polls it."""
    ballots = Ballot.objects.filter(assignment=assignment)
    papers = Paper.objects.filter(assignment=assignment)
    handouts = Handout.objects.filter(assignment=assignment, ready_at__isnull=False)
    facts = [
        (assignment.stage, assignment.rank_by, assignment.hand_in_by, assignment.papers_each),
        ballots.aggregate(count=Count("pk"), saved=Max("updated_at"), done=Max("submission")),
        papers.aggregate(count=Count("pk"), here=Count("current"), withdrawn=Count("withdrawn_at")),
        handouts.aggregate(count=Count("pk"), last=Max("ready_at")),
        Authorship.objects.filter(assignment=assignment).count(),
        Mail.objects.filter(assignment_id=assignment.pk, key__startswith=f"{REMINDER} ").count(),
        Extension.objects.filter(assignment=assignment).aggregate(Count("pk"), Max("hand_in_by"), Max("rank_by")),
        Offer.objects.filter(assignment=assignment).aggregate(Count("pk"), Max("offered_at"), Max("answered_at")),
        students_of(assignment).count(),
        timezone.now().replace(minute=0, second=0, microsecond=0),
    ]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def submitted_by_hour(assignment: Assignment) -> list[tuple[datetime, int]]:
    """Return how many had handed in a ranking by each hour; those who handed in again count at the last time."""
    done = submitted_ballots(Ballot.objects.filter(assignment=assignment, grader__in=students_of(assignment)))
    by_hour = done.annotate(hour=TruncHour("submission__at")).values_list("hour").order_by("hour").annotate(Count("pk"))
    total, totals = 0, []
    for hour, count in by_hour:
        total += count
        totals.append((hour, total))
    return totals


def offer_to(assignment: Assignment, member: Member) -> Offer | None:
    """Return the offer that waits for the answer of a member."""
    if assignment.stage != Stage.RANKING:
        return None
    return Offer.objects.filter(assignment=assignment, member=member, answered_at=None).first()
