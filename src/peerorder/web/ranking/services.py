"""Save rankings, hand them in, report problems.

Every change is kept, in a row that nobody can change; of what could not count, the last. What is kept of one ranking is
limited (``MOST_KEPT``), far beyond what anybody types.
"""

import enum
import json
import secrets
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.assignments.messages import compose_about, queue_about
from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.participation import lock_participation
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.database.sql import columns, fetch_one, insert, insert_all, locking, update
from peerorder.web.errors import Refused
from peerorder.web.papers.models import Paper
from peerorder.web.people.models import Person
from peerorder.web.ranking.content import Content, Missing, judged_tokens, keep_places, label, list_missing
from peerorder.web.ranking.models import Ballot, Comment, Problem, Save, Slot, UncountedSave
from peerorder.web.ranking.queries import papers_of

MOST_OPEN = 5
# Bytes of one ranking. A row takes about 1 kB, and the text of a comment that was changed is kept again: five comments
# of 5,000 characters, saved after every ten, make 6 MB. Beyond it changes are saved, but no longer kept one by
# one; beyond the double, nothing more can be handed in.
MOST_KEPT = 10 * 2**20
BALLOT = f"SELECT {columns(Ballot)} FROM ranking_ballot WHERE assignment_id = %s AND grader_id = %s"
CHANGED = (
    *("client", "client_since", "client_number", "content", "revision", "updated_at", "submission"),
    *("comment_keys", "kept_bytes", "notes"),
)
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
    notes: Mapping[str, str] | None = None
    """Private notes by token; None leaves them as they are."""


@dataclass(frozen=True)
class SaveResult:
    """The answer."""

    status: SaveStatus
    ballot: Ballot
    missing: Sequence[Missing] = ()
    """What has to be done before it can be handed in."""


def save(assignment: Assignment, member: Member, sent: RankingUpdate, now: datetime | None = None) -> SaveResult:
    """Save as somebody goes. No event is recorded: every change is a row of its own that nobody can change."""
    # When it came: waiting for its turn must not make it late.
    now = now or timezone.now()
    with transaction.atomic():
        return _apply(assignment, member, sent, now)


def hand_in(assignment: Assignment, member: Member, sent: RankingUpdate, now: datetime | None = None) -> SaveResult:
    """Save, and hand in if nothing is missing. Raise Refused if it was handed in too many times."""
    now = now or timezone.now()
    with transaction.atomic():
        return _apply(assignment, member, sent, now, hands_in=True)


def undo_changes(assignment: Assignment, member: Member, ballot: Ballot) -> SaveResult:
    """Put a ranking back to what was handed in last, as a change like any other."""
    handed_in = ballot.submitted
    if handed_in is None:
        return SaveResult(SaveStatus.SAVED, ballot)
    return save(assignment, member, RankingUpdate(handed_in, ballot.revision, client="", number=0))


def _apply(
    assignment: Assignment, member: Member, sent: RankingUpdate, now: datetime, *, hands_in: bool = False
) -> SaveResult:
    """Keep what was sent, and let it count if it may. Runs in the transaction of its caller."""
    participation = lock_participation(assignment, member)
    assignment = participation.assignment
    ballot = _lock_ballot(assignment, member, now)
    notes = ballot.notes if sent.notes is None else dict(sent.notes)
    gone = judged_tokens(ballot.content) - judged_tokens(sent.content)
    if gone or ballot.notes.keys() - notes.keys():
        # A paper that was taken out is not on the page; it may be put back.
        withdrawn = {paper.token for paper in papers_of(assignment, member) if paper.withdrawn}
        sent = replace(sent, content=keep_places(sent.content, ballot.content, gone & withdrawn))
        notes = {token: text for token, text in ballot.notes.items() if token in withdrawn} | notes
    # A page that is still open knows nothing of an erasure, and sends such comments again.
    sent = replace(sent, content=_without_comments(sent.content, ballot.erased))
    notes = _without(notes, ballot.erased)
    lacks: list[Missing] = []
    if hands_in:
        asked = [(paper.token, paper.name) for paper in papers_of(assignment, member) if not paper.withdrawn]
        lacks = list_missing(sent.content, asked, assignment, uncommented=ballot.erased)
        hands_in = not lacks
    same_page = bool(sent.client) and sent.client == ballot.client
    same_content = sent.content == ballot.content
    unchanged = same_content and notes == ballot.notes
    hands_in = hands_in and not (same_content and ballot.has_submitted(sent.content))
    if same_page and sent.number == ballot.client_number and unchanged and not hands_in:
        # Sent twice: the answer was lost on its way, or a button was pressed twice.
        return SaveResult(SaveStatus.SAVED, ballot, lacks)
    if not participation.takes_ranking(now):
        _keep_uncounted(ballot, sent, now, UncountedSave.Why.LATE)
        return SaveResult(SaveStatus.LATE, ballot, lacks)
    overtaken = same_page and sent.number < ballot.client_number
    follows = sent.revision == ballot.revision or (same_page and sent.revision >= ballot.client_since)
    if overtaken or not follows:
        _keep_uncounted(ballot, sent, now, UncountedSave.Why.CONFLICT)
        # What a page sent after it is there already: to the page, this one is saved. But it is not what is handed in.
        saved = overtaken and follows and not hands_in
        return SaveResult(SaveStatus.SAVED if saved else SaveStatus.CONFLICT, ballot, lacks)
    if not same_page:
        ballot.client, ballot.client_since = sent.client, ballot.revision
    # Also where nothing changed: what the page sent before must not overtake it.
    ballot.client_number = sent.number
    if unchanged and not hands_in:
        update(ballot, "client", "client_since", "client_number")
        return SaveResult(SaveStatus.SAVED, ballot, lacks)
    before = ballot.content.get("comments", {})
    if not unchanged:
        ballot.content, ballot.notes, ballot.updated_at = sent.content, notes, now
        ballot.revision += 1
    # Notes are nobody else's business: no row says that one changed.
    if hands_in or not same_content:
        _keep(ballot, before, now, hands_in=hands_in)
    if hands_in:
        record("ranking handed in", member.person, assignment=assignment, revision=ballot.revision)
    update(ballot, *CHANGED)
    return SaveResult(SaveStatus.SAVED, ballot, lacks)


def _lock_ballot(assignment: Assignment, member: Member, now: datetime) -> Ballot:
    """Return the ballot, begun if this is the first save; nobody else can change it until the transaction ends."""
    ballot = fetch_one(Ballot, BALLOT + locking(), assignment.pk, member.pk)
    if ballot is None:
        # Those who are erased later leave their mark on the ballots that are there.
        wiped = Slot.objects.filter(assignment=assignment, grader=member, paper__current__digest="")
        keys = dict.fromkeys(wiped.values_list("token", flat=True), "")
        # Where two begin at once, one finds the other's.
        insert(
            Ballot(assignment=assignment, grader=member, started_at=now, updated_at=now, comment_keys=keys),
            unless_there=True,
        )
        ballot = fetch_one(Ballot, BALLOT + locking(), assignment.pk, member.pk)
    if ballot is None:
        raise Ballot.DoesNotExist
    if ballot.submission_id is not None:
        ballot.submission = fetch_one(Save, SUBMISSION, ballot.submission_id)
    return ballot


def _keep(ballot: Ballot, before: Mapping[str, str], now: datetime, *, hands_in: bool) -> None:
    """Add the row of a change, and what is new in its comments; ``before`` has the comments of the row before it."""
    if ballot.kept_bytes > (2 * MOST_KEPT if hands_in else MOST_KEPT):
        if hands_in:
            raise Refused(
                _(
                    "This ranking was handed in too many times, so it cannot be handed in again. "
                    "The last one counts; to change it, ask your instructor."
                )
            )
        return
    comments = ballot.content["comments"]
    for token in comments.keys() - ballot.comment_keys.keys():
        ballot.comment_keys[token] = secrets.token_hex(16)
    content = ballot.digested(ballot.content)
    # Beyond the limit, texts may be missing that the row before it had.
    known = {} if ballot.kept_bytes > MOST_KEPT else before
    new = [
        Comment(digest=content["comments"][token], ballot=ballot, token=token, text=text)
        for token, text in comments.items()
        if text != known.get(token)
    ]
    if new:
        # Where a text is as it was once before, it is there already.
        insert_all(new)
    kept = Save(
        ballot=ballot,
        at=now,
        revision=ballot.revision,
        content=content,
        client=ballot.client,
        client_number=ballot.client_number,
        hands_in=hands_in,
    )
    insert(kept)
    ballot.kept_bytes += len(json.dumps(content)) + sum(len(each.text.encode()) for each in new)
    if hands_in:
        ballot.submission = kept


def _keep_uncounted(ballot: Ballot, sent: RankingUpdate, now: datetime, why: UncountedSave.Why) -> None:
    """Keep what could not count in place of the last such one."""
    kept = UncountedSave(
        ballot=ballot,
        why=why,
        at=now,
        revision=sent.revision,
        content=sent.content,
        client=sent.client,
        client_number=sent.number,
    )
    columns = ("at", "revision", "content", "client", "client_number")
    UncountedSave.objects.bulk_create(
        [kept], update_conflicts=True, unique_fields=("ballot", "why"), update_fields=columns
    )


def erase_comments(member: Member) -> None:
    """Erase the comments and notes that a member wrote, and those that others wrote about their papers.

    The latter are about the work of somebody who is to be forgotten, and may name them. Comments on a paper of a team
    stay as long as it has an author who is not erased, as the paper does. What was ranked stays, and so do the digests
    of the comments, whose key is gone; an empty one in its place says that no comment on the paper is taken any more.
    Runs in the transaction of its caller, who locks the course.
    """
    alone = [
        paper
        for paper in Paper.objects.filter(authorships__member=member)
        if not paper.authorships.exclude(member=member).filter(member__person__erased_at=None).exists()
    ]
    slots = Slot.written.filter(paper__in=alone)
    theirs = Q(grader__slots__paper__in=alone, grader__slots__assignment=F("assignment"))
    for ballot in Ballot.objects.filter(Q(grader=member) | theirs).distinct():
        about, comments = None, ballot.comments.all()
        if ballot.grader_id != member.pk:
            of_grader = slots.filter(assignment=ballot.assignment_id, grader=ballot.grader_id)
            about = set(of_grader.values_list("token", flat=True))
            comments = comments.filter(token__in=about)
        ballot.content = _without_comments(ballot.content, about)
        ballot.notes = _without(ballot.notes, about)
        ballot.comment_keys = {} if about is None else ballot.comment_keys | dict.fromkeys(about, "")
        ballot.save(update_fields=["content", "notes", "comment_keys"])
        for kept in ballot.uncounted.all():
            kept.content = _without_comments(kept.content, about)
            kept.save(update_fields=["content"])
        comments.delete()


def _without_comments(content: Content, tokens: Container[str] | None) -> Content:
    """Return a content without the comments on these papers; None for all."""
    comments = content.get("comments", {})
    return content | {"comments": _without(comments, tokens)} if comments else content


def _without(texts: Mapping[str, str], tokens: Container[str] | None) -> dict[str, str]:
    """Return texts by token without those on these papers; None for all."""
    return {token: text for token, text in texts.items() if tokens is not None and token not in tokens}


def mark_opened(slot: Slot, now: datetime | None = None) -> None:
    """Remember that a grader opened a paper; only the first time is written down."""
    if slot.opened_at is None:
        Slot.written.filter(pk=slot.pk, opened_at=None).update(opened_at=now or timezone.now())


def report(slot: Slot, kind: str, text: str, by: Person) -> Problem | None:
    """Report a problem with a paper to staff; return None if enough reports on it wait for an answer."""
    with transaction.atomic():
        Slot.objects.select_for_update(of=("self",)).get(pk=slot.pk)
        if Problem.objects.filter(slot=slot, answered_at=None).count() >= MOST_OPEN:
            return None
        problem = Problem.objects.create(slot=slot, kind=kind, text=text)
        record("problem reported", by, assignment=slot.assignment, problem=problem.pk, kind=kind)
    return problem


def answer(problem: Problem, text: str, by: Person, now: datetime | None = None, *, tell: bool = False) -> None:
    """Answer a report; with ``tell`` by e-mail as well, once, however often it is answered."""
    with transaction.atomic():
        problem.answer = text
        problem.answered_at = now or timezone.now()
        problem.save(update_fields=["answer", "answered_at"])
        record("problem answered", by, assignment=problem.slot.assignment, problem=problem.pk)
        if tell:
            _queue_answer(problem)


def _queue_answer(problem: Problem) -> None:
    slot, person = problem.slot, problem.slot.grader.person
    text = compose_about("answered", slot.assignment, person, answer=problem.answer, label=label(slot.position))
    queue_about(slot.assignment, {f"answer {problem.pk}": (person, text)})
