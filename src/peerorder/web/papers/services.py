"""Accept papers, withdraw them, and put them back."""

from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.assignments.participation import lock_participation
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.errors import Refused
from peerorder.web.jobs.services import enqueue
from peerorder.web.papers import notifications
from peerorder.web.papers.authors import paper_for, paper_of, team_of
from peerorder.web.papers.models import Kind, Page, Paper, PendingSubmission, State, Version
from peerorder.web.papers.queries import exhausted_quota
from peerorder.web.papers.submission_window import SubmissionWindow, submission_window
from peerorder.web.papers.submissions import CheckedSubmission, discard
from peerorder.web.people.models import Person

# Two clicks within this time hand in once.
TWICE = timedelta(minutes=1)
# For this long a pending submission may be handed in by the time when it was sent.
CONFIRMATION = timedelta(hours=1)


class Closed(Exception):
    """It is not the time to hand in; people are told why."""

    def __init__(self, window: SubmissionWindow) -> None:
        super().__init__(window.why)
        self.window = window


def hand_in(
    assignment: Assignment,
    member: Member,
    sent: CheckedSubmission,
    *,
    by: Member | None = None,
    now: datetime | None = None,
    pending: bool = False,
) -> Version:
    """Take a paper of a student and the student's team. ``by`` is somebody of the staff who does it for them.

    ``now`` is when it came, which counts for the deadline: looking at a file takes a while. All else counts as it is
    when the paper is taken. What is not taken is forgotten, unless it is pending.
    """
    now = now or timezone.now()
    hands = by or member
    try:
        with transaction.atomic():
            # Of a team, one hands in at a time.
            participation = lock_participation(assignment, member, by, exclusive=True)
            assignment = participation.assignment
            paper = paper_of(assignment, member)
            window = submission_window(participation, paper, now, staff=by is not None)
            twin = _recent_duplicate(paper, sent, hands, now)
            # What was pending may be gone, with its files: another tab handed in something else.
            gone = pending and not PendingSubmission.objects.filter(assignment=assignment, member=member).exists()
            if gone and paper is not None and paper.current is not None:
                return paper.current
            if twin is None and (gone or not window.is_open):
                raise Closed(window)
            if twin is None and by is None and (exhausted := exhausted_quota(paper)):
                raise Closed(window.closed_by(exhausted))
            version = twin or _take(assignment, member, sent, hands, now, late=window.late)
            discard_all_pending(assignment, member, but=sent)
    except BaseException:
        if not pending:
            discard(sent)
        raise
    if twin is not None and twin.file.name != sent.file:
        discard(sent)
    return version


def _recent_duplicate(paper: Paper | None, sent: CheckedSubmission, hands: Member, now: datetime) -> Version | None:
    """Return the same thing by the same person a moment ago."""
    last = paper.current if paper is not None else None
    if last is None or last.handed_in_by_id != hands.pk or (last.kind, last.digest) != (sent.kind, sent.digest):
        return None
    return last if abs(now - last.handed_in_at) <= TWICE else None


def _take(
    assignment: Assignment, member: Member, sent: CheckedSubmission, hands: Member, now: datetime, *, late: bool
) -> Version:
    paper = paper_for(assignment, member, team_of(assignment, member), hands.person)
    version = Version.objects.create(
        paper=paper,
        kind=sent.kind,
        text=sent.text,
        html=sent.html,
        rules=sent.rules,
        file=sent.file,
        original=sent.original,
        original_name=sent.original_name,
        digest=sent.digest,
        size=sent.size,
        handed_in_by=hands,
        handed_in_at=now,
        late=late,
        state=State.PREPARING if sent.kind == Kind.PDF else State.READY,
    )
    if sent.page:
        Page.objects.create(version=version, number=1, image=sent.page, width=sent.width, height=sent.height)
    paper.current = version
    paper.save(update_fields=["current"])
    if sent.kind == Kind.PDF:
        enqueue(
            "pages",
            assignment_id=assignment.pk,
            key=f"pages {version.pk}",
            # One at a time for everybody who hands in, whatever they hand in.
            lane=f"pages {hands.person_id}",
            version=version.pk,
        )
    what: dict[str, Any] = {"paper": paper.pk, "version": version.pk, "late": late}
    if hands.pk == member.pk:
        record("paper handed in", hands.person, assignment=assignment, **what)
    else:
        record("paper handed in for a student", hands.person, assignment=assignment, member=member.pk, **what)
        notifications.tell_handed_in(version, hands.person)
    return version


# What shows who wrote it waits for its author.


def hold_for_confirmation(
    assignment: Assignment, member: Member, sent: CheckedSubmission, shows: list[str], now: datetime | None = None
) -> PendingSubmission:
    """Keep what was sent until its author says what to do with it."""
    fields = asdict(replace(sent, words=""))
    try:
        with transaction.atomic():
            lock_participation(assignment, member, exclusive=True)
            discard_all_pending(assignment, member)
            return PendingSubmission.objects.create(
                assignment=assignment, member=member, sent=fields, shows=shows, at=now or timezone.now()
            )
    except BaseException:
        discard(sent)
        raise


def hand_in_pending(pending: PendingSubmission, now: datetime | None = None) -> Version:
    """Hand in a pending submission, as of the time when it was sent, if that is not long ago."""
    now = now or timezone.now()
    sent = CheckedSubmission(**{**pending.sent, "kind": Kind(pending.sent["kind"])})
    came_at = pending.at if now - pending.at <= CONFIRMATION else now
    return hand_in(pending.assignment, pending.member, sent, now=came_at, pending=True)


def discard_all_pending(assignment: Assignment, member: Member, but: CheckedSubmission | None = None) -> None:
    """Forget pending submissions; of what was handed in just now, only that it was pending."""
    for pending in PendingSubmission.objects.filter(assignment=assignment, member=member):
        discard_pending(pending, but)


def discard_pending(pending: PendingSubmission, but: CheckedSubmission | None = None) -> None:
    """Delete it, and its files when that is certain."""
    sent = CheckedSubmission(**pending.sent)
    with transaction.atomic():
        pending.delete()
        if but is None or but.file != sent.file:
            transaction.on_commit(lambda: discard(sent))


# Staff.


def withdraw(paper: Paper, by: Person, because: str) -> None:
    """Take a paper out: nobody is asked to rank it any more, and only its authors, who are told, and staff see it."""
    with transaction.atomic():
        paper = Paper.objects.select_for_update().select_related("assignment__course").get(pk=paper.pk)
        if paper.withdrawn_at is None:
            paper.withdrawn_at, paper.withdrawn_because = timezone.now(), because
            paper.save(update_fields=["withdrawn_at", "withdrawn_because"])
            record("paper withdrawn", by, assignment=paper.assignment, paper=paper.pk)
            notifications.tell_withdrawn(paper, by, paper.withdrawn_at)


def put_back(paper: Paper, by: Person) -> None:
    """Undo it, and tell its authors."""
    with transaction.atomic():
        paper = Paper.objects.select_for_update().select_related("assignment__course").get(pk=paper.pk)
        if not paper.authorships.exists():
            raise Refused(_("This paper no longer has authors: they handed in another one."))
        if paper.withdrawn_at is not None:
            paper.withdrawn_at, paper.withdrawn_because = None, ""
            paper.save(update_fields=["withdrawn_at", "withdrawn_because"])
            record("paper put back", by, assignment=paper.assignment, paper=paper.pk)
            notifications.tell_put_back(paper, by, timezone.now())
