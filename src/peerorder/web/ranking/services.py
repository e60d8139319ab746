"""Save rankings, hand them in, report problems. Whatever people send is kept, also what does not count."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from peerorder.web.courses.models import Member
from peerorder.web.log.services import record
from peerorder.web.mail.letters import letter
from peerorder.web.mail.services import queue_letters
from peerorder.web.people.models import Person
from peerorder.web.ranking.content import Content, Missing, missing
from peerorder.web.ranking.content import letter as letter_of
from peerorder.web.ranking.models import Ballot, Problem, Save, Slot
from peerorder.web.rounds.deadlines import takes_ranking
from peerorder.web.rounds.models import Assignment, Extension, Stage
from peerorder.web.sql import add, change, first, locking

__all__ = ["Outcome", "Sent", "Taken", "answer", "hand_in", "may_rank", "report", "save"]

MOST_OPEN = 5
BALLOT = "SELECT * FROM ranking_ballot WHERE assignment_id = %s AND grader_id = %s"


class Outcome(enum.Enum):
    """What became of something that was sent."""

    SAVED = "saved"
    CONFLICT = "conflict"
    """Another page saved in between. It is kept, and people choose."""
    LATE = "late"
    """It came after the deadline. It is kept, and does not count."""


@dataclass(frozen=True)
class Sent:
    """A ranking as a page sends it: what it says, and what the page knew."""

    content: Content
    revision: int
    """The revision that the page saw last."""
    client: str
    """What the page calls itself; every page that is loaded has another name."""
    number: int
    """Counts what the page sends, so that nothing counts twice and nothing old overtakes something new."""


@dataclass(frozen=True)
class Taken:
    """The answer."""

    outcome: Outcome
    ballot: Ballot
    missing: Sequence[Missing] = ()


def may_rank(assignment: Assignment, member: Member, now: datetime) -> bool:
    """Whether what somebody sends now counts. Who was granted more time has it even after the others are done."""
    # Most are in time by the common deadline, and need no look at what was granted to whom.
    if assignment.stage == Stage.RANKING and (assignment.rank_by is None or now <= assignment.rank_by):
        return True
    return takes_ranking(assignment, Extension.objects.of(assignment, member), now)


def save(assignment: Assignment, member: Member, sent: Sent, now: datetime | None = None) -> Taken:
    """Save as somebody goes. No event is recorded: every save is a row of its own that nobody can change."""
    with transaction.atomic():
        return _take(assignment, member, sent, now or timezone.now())


def hand_in(
    assignment: Assignment,
    member: Member,
    sent: Sent,
    asked: Sequence[tuple[str, str]],
    now: datetime | None = None,
) -> Taken:
    """Save, and hand in if nothing is missing; ``asked`` has token and name of every paper to rank."""
    now = now or timezone.now()
    lacks = missing(sent.content, asked, assignment)
    with transaction.atomic():
        taken = _take(assignment, member, sent, now, hands_in=not lacks)
        ballot = taken.ballot
        if taken.outcome is not Outcome.SAVED or lacks:
            return Taken(taken.outcome, ballot, lacks)
        if ballot.handed_in != sent.content:
            ballot.handed_in = sent.content
            ballot.handed_in_at = now
            change(ballot, "handed_in", "handed_in_at")
            record("ranking handed in", member.person, assignment=assignment, revision=ballot.revision)
        return taken


def _take(assignment: Assignment, member: Member, sent: Sent, now: datetime, *, hands_in: bool = False) -> Taken:
    """Keep what was sent, and let it count if it may. Runs in the transaction of its caller."""
    ballot = _locked(assignment, member, now)
    same_page = bool(sent.client) and sent.client == ballot.client
    if same_page and sent.number == ballot.client_number and sent.content == ballot.content:
        # Sent twice: the answer was lost on its way, or a button was pressed twice.
        if hands_in and ballot.handed_in != sent.content and may_rank(assignment, member, now):
            _keep(ballot, sent, now, revision=ballot.revision, hands_in=True)
        return Taken(Outcome.SAVED, ballot)
    if not may_rank(assignment, member, now):
        _keep(ballot, sent, now, revision=sent.revision, late=True)
        return Taken(Outcome.LATE, ballot)
    overtaken = same_page and sent.number < ballot.client_number
    follows = sent.revision == ballot.revision or (same_page and sent.revision >= ballot.client_since)
    if overtaken or not follows:
        _keep(ballot, sent, now, revision=sent.revision, conflict=True)
        # What a page sent after it is there already: to the page, this one is saved.
        return Taken(Outcome.SAVED if overtaken and follows else Outcome.CONFLICT, ballot)
    if not same_page:
        ballot.client = sent.client
        ballot.client_since = ballot.revision
    ballot.client_number = sent.number
    ballot.content = sent.content
    ballot.revision += 1
    ballot.updated_at = now
    change(ballot, "client", "client_since", "client_number", "content", "revision", "updated_at")
    _keep(ballot, sent, now, revision=ballot.revision, hands_in=hands_in)
    return Taken(Outcome.SAVED, ballot)


def _locked(assignment: Assignment, member: Member, now: datetime) -> Ballot:
    """The ballot, begun if this is the first that comes; nobody else can change it until the transaction ends."""
    ballot = first(Ballot, BALLOT + locking(), assignment.pk, member.pk)
    if ballot is None:
        # Where two begin at once, one of them finds the other's.
        add(Ballot(assignment=assignment, grader=member, started_at=now, updated_at=now), unless_there=True)
        ballot = first(Ballot, BALLOT + locking(), assignment.pk, member.pk)
    assert ballot is not None
    return ballot


def _keep(ballot: Ballot, sent: Sent, now: datetime, *, revision: int, **how: bool) -> None:
    add(
        Save(
            ballot=ballot,
            at=now,
            revision=revision,
            content=sent.content,
            client=sent.client,
            client_number=sent.number,
            **how,
        )
    )


def report(slot: Slot, kind: str, text: str, by: Person) -> Problem | None:
    """Tell staff of a problem with a paper; None where enough reports on it are waiting for an answer."""
    with transaction.atomic():
        Slot.objects.select_for_update(of=("self",)).get(pk=slot.pk)
        if Problem.objects.filter(slot=slot, answered_at=None).count() >= MOST_OPEN:
            return None
        problem = Problem.objects.create(slot=slot, kind=kind, text=text)
        record("problem reported", by, assignment=slot.assignment, problem=problem.pk, kind=kind)
    return problem


def answer(problem: Problem, text: str, by: Person, now: datetime | None = None, *, tell: bool = False) -> None:
    """Tell the grader what became of it, with ``tell`` by mail as well: once, however often it is answered."""
    with transaction.atomic():
        problem.answer = text
        problem.answered_at = now or timezone.now()
        problem.save(update_fields=["answer", "answered_at"])
        record("problem answered", by, assignment=problem.slot.assignment, problem=problem.pk)
        if tell:
            _tell_answer(problem)


def _tell_answer(problem: Problem) -> None:
    slot, person = problem.slot, problem.slot.grader.person
    text = letter("answered", slot.assignment, person, answer=problem.answer, letter=letter_of(slot.position))
    queue_letters({f"answer {problem.pk}": (person, text)}, slot.assignment)
