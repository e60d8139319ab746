"""Save rankings, hand them in, report problems. Whatever people send is kept, also what does not count."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from peerorder.web.assignments.messages import compose_about, queue_about
from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.participation import lock_participation
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.database.sql import columns, fetch_one, insert, locking, update
from peerorder.web.people.models import Person
from peerorder.web.ranking.content import Content, Missing, label, missing
from peerorder.web.ranking.models import Ballot, Problem, Save, Slot
from peerorder.web.ranking.queries import papers_of

MOST_OPEN = 5
BALLOT = f"SELECT {columns(Ballot)} FROM ranking_ballot WHERE assignment_id = %s AND grader_id = %s"
SUBMISSION = f"SELECT {columns(Save)} FROM ranking_save WHERE id = %s"


class SaveStatus(enum.Enum):
    """What became of something that was sent."""

    SAVED = "saved"
    CONFLICT = "conflict"
    """Another page saved in between. It is kept, and people choose."""
    LATE = "late"
    """It came after the deadline. It is kept, and does not count."""


@dataclass(frozen=True)
class RankingUpdate:
    """A ranking as a page sends it: what it says, and what the page knew."""

    content: Content
    revision: int
    """The revision that the page saw last."""
    client: str
    """What the page calls itself; every page that is loaded has another name."""
    number: int
    """Counts what the page sends, so that nothing counts twice and nothing old overtakes something new."""


@dataclass(frozen=True)
class SaveResult:
    """The answer."""

    status: SaveStatus
    ballot: Ballot
    missing: Sequence[Missing] = ()
    """What has to be done before it can be handed in."""


def save(assignment: Assignment, member: Member, sent: RankingUpdate, now: datetime | None = None) -> SaveResult:
    """Save as somebody goes. No event is recorded: every save is a row of its own that nobody can change."""
    # When it came: waiting for its turn must not make it late.
    now = now or timezone.now()
    with transaction.atomic():
        return _take(assignment, member, sent, now)


def hand_in(assignment: Assignment, member: Member, sent: RankingUpdate, now: datetime | None = None) -> SaveResult:
    """Save, and hand in if nothing is missing."""
    now = now or timezone.now()
    with transaction.atomic():
        return _take(assignment, member, sent, now, hands_in=True)


def _take(
    assignment: Assignment, member: Member, sent: RankingUpdate, now: datetime, *, hands_in: bool = False
) -> SaveResult:
    """Keep what was sent, and let it count if it may. Runs in the transaction of its caller."""
    participation = lock_participation(assignment, member)
    assignment = participation.assignment
    ballot = _lock_ballot(assignment, member, now)
    lacks: list[Missing] = []
    if hands_in:
        asked = [(paper.token, paper.name) for paper in papers_of(assignment, member) if not paper.withdrawn]
        lacks = missing(sent.content, asked, assignment)
        hands_in = not lacks
    same_page = bool(sent.client) and sent.client == ballot.client
    again = same_page and sent.number == ballot.client_number and sent.content == ballot.content
    if again and (not hands_in or sent.content == ballot.submitted):
        # Sent twice: the answer was lost on its way, or a button was pressed twice.
        return SaveResult(SaveStatus.SAVED, ballot, lacks)
    if not participation.takes_ranking(now):
        _keep(ballot, sent, now, revision=sent.revision, late=True)
        return SaveResult(SaveStatus.LATE, ballot, lacks)
    overtaken = same_page and sent.number < ballot.client_number
    follows = sent.revision == ballot.revision or (same_page and sent.revision >= ballot.client_since)
    if overtaken or not follows:
        _keep(ballot, sent, now, revision=sent.revision, conflict=True)
        # What a page sent after it is there already: to the page, this one is saved. But it is not what is handed in.
        saved = overtaken and follows and not hands_in
        return SaveResult(SaveStatus.SAVED if saved else SaveStatus.CONFLICT, ballot, lacks)
    if not same_page:
        ballot.client, ballot.client_since = sent.client, ballot.revision
    if not again:
        ballot.client_number, ballot.content, ballot.updated_at = sent.number, sent.content, now
        ballot.revision += 1
    kept = _keep(ballot, sent, now, revision=ballot.revision, hands_in=hands_in)
    if hands_in:
        ballot.submission = kept
        record("ranking handed in", member.person, assignment=assignment, revision=ballot.revision)
    update(ballot, "client", "client_since", "client_number", "content", "revision", "updated_at", "submission")
    return SaveResult(SaveStatus.SAVED, ballot, lacks)


def _lock_ballot(assignment: Assignment, member: Member, now: datetime) -> Ballot:
    """Return the ballot, begun if this is the first save; nobody else can change it until the transaction ends."""
    ballot = fetch_one(Ballot, BALLOT + locking(), assignment.pk, member.pk)
    if ballot is None:
        # Where two begin at once, one of them finds the other's.
        insert(Ballot(assignment=assignment, grader=member, started_at=now, updated_at=now), unless_there=True)
        ballot = fetch_one(Ballot, BALLOT + locking(), assignment.pk, member.pk)
    if ballot is None:
        raise Ballot.DoesNotExist
    if ballot.submission_id is not None:
        ballot.submission = fetch_one(Save, SUBMISSION, ballot.submission_id)
    return ballot


def _keep(ballot: Ballot, sent: RankingUpdate, now: datetime, *, revision: int, **how: bool) -> Save:
    kept = Save(
        ballot=ballot,
        at=now,
        revision=revision,
        content=sent.content,
        client=sent.client,
        client_number=sent.number,
        **how,
    )
    insert(kept)
    return kept


def mark_opened(slot: Slot, now: datetime | None = None) -> None:
    """Remember that a grader opened a paper; only the first time is written down."""
    if slot.opened_at is None:
        Slot.written.filter(pk=slot.pk, opened_at=None).update(opened_at=now or timezone.now())


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
    text = compose_about("answered", slot.assignment, person, answer=problem.answer, label=label(slot.position))
    queue_about(slot.assignment, {f"answer {problem.pk}": (person, text)})
