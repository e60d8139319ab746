"""Take papers, take them out, and put them back."""

from dataclasses import asdict, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.courses.models import Member
from peerorder.web.jobs.services import ask
from peerorder.web.log.services import record
from peerorder.web.papers.authors import locked_team, paper_for, paper_of
from peerorder.web.papers.doors import door_for
from peerorder.web.papers.models import Held, Kind, Page, Paper, State, Version
from peerorder.web.papers.submissions import Sent, discard
from peerorder.web.people.models import Person
from peerorder.web.rounds.models import Assignment

__all__ = ["Closed", "forget_held", "hand_in", "hand_in_held", "hold", "let_go", "put_back", "withdraw"]

# Who clicks twice has handed in once.
TWICE = timedelta(minutes=1)
# So long what was held may be handed in by the time when it was sent.
HELD = timedelta(hours=1)


class Closed(Exception):
    """It is not the time to hand in; people are told this text."""


def hand_in(
    assignment: Assignment,
    member: Member,
    sent: Sent,
    *,
    by: Member | None = None,
    now: datetime | None = None,
    held: bool = False,
) -> Version:
    """Take a paper of a student and her team. ``by`` is somebody of the staff who does it for her.

    What is not taken is forgotten, unless it is held.
    """
    now = now or timezone.now()
    hands = by or member
    try:
        with transaction.atomic():
            # What counts is how things are now, not when the page was made.
            assignment = Assignment.objects.select_related("course").get(pk=assignment.pk)
            team = locked_team(assignment, member)
            there = paper_of(assignment, member)
            door = door_for(assignment, member, there, now, staff=by is not None)
            twin = _twin(there, sent, hands, now)
            if twin is None and not door.is_open:
                raise Closed(door.why)
            version = twin or _take(assignment, member, team, sent, hands, now, late=door.late)
            forget_held(assignment, member, but=sent)
    except BaseException:
        if not held:
            discard(sent)
        raise
    if twin is not None and twin.file.name != sent.file:
        discard(sent)
    return version


def _twin(paper: Paper | None, sent: Sent, hands: Member, now: datetime) -> Version | None:
    """The same thing by the same person a moment ago."""
    last = paper.current if paper is not None else None
    if last is None or last.handed_in_by_id != hands.pk or (last.kind, last.digest) != (sent.kind, sent.digest):
        return None
    return last if abs(now - last.handed_in_at) <= TWICE else None


def _take(
    assignment: Assignment, member: Member, team: list[Member], sent: Sent, hands: Member, now: datetime, *, late: bool
) -> Version:
    paper = paper_for(assignment, member, team, hands.person)
    version = Version.objects.create(
        paper=paper,
        kind=sent.kind,
        text=sent.text,
        file=sent.file,
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
        ask("pages", assignment=assignment, key=f"pages {version.pk}", version=version.pk)
    record("paper handed in", hands.person, assignment=assignment, paper=paper.pk, version=version.pk, late=late)
    return version


# What shows who wrote it waits for its author.


def hold(assignment: Assignment, member: Member, sent: Sent, shows: list[str], now: datetime | None = None) -> Held:
    """Keep what was sent until its author says what to do with it."""
    with transaction.atomic():
        list(Member.objects.select_for_update().filter(pk=member.pk))
        forget_held(assignment, member)
        fields = asdict(replace(sent, words=""))
        return Held.objects.create(
            assignment=assignment, member=member, sent=fields, shows=shows, at=now or timezone.now()
        )


def hand_in_held(held: Held, now: datetime | None = None) -> Version:
    """Hand in what was held, as of the time when it was sent, if that is not long ago."""
    now = now or timezone.now()
    sent = Sent(**{**held.sent, "kind": Kind(held.sent["kind"])})
    return hand_in(held.assignment, held.member, sent, now=held.at if now - held.at <= HELD else now, held=True)


def forget_held(assignment: Assignment, member: Member, but: Sent | None = None) -> None:
    """Let go of what is held, if anything is; of what was handed in just now, only that it was held."""
    for held in Held.objects.filter(assignment=assignment, member=member):
        let_go(held, but)


def let_go(held: Held, but: Sent | None = None) -> None:
    """Delete it, and its files when that is certain."""
    sent = Sent(**held.sent)
    with transaction.atomic():
        held.delete()
        if but is None or but.file != sent.file:
            transaction.on_commit(lambda: discard(sent))


# Staff.


def withdraw(paper: Paper, by: Person, because: str) -> None:
    """Take a paper out: nobody is asked to rank it any more, and nobody but its authors and staff sees it."""
    with transaction.atomic():
        paper = Paper.objects.select_for_update().select_related("assignment").get(pk=paper.pk)
        if paper.withdrawn_at is None:
            paper.withdrawn_at, paper.withdrawn_because = timezone.now(), because
            paper.save(update_fields=["withdrawn_at", "withdrawn_because"])
            record("paper withdrawn", by, assignment=paper.assignment, paper=paper.pk)


def put_back(paper: Paper, by: Person) -> None:
    """Undo it."""
    with transaction.atomic():
        paper = Paper.objects.select_for_update().select_related("assignment").get(pk=paper.pk)
        if not paper.authorships.exists():
            raise Closed(_("This paper has no authors any more: they handed in another one."))
        if paper.withdrawn_at is not None:
            paper.withdrawn_at, paper.withdrawn_because = None, ""
            paper.save(update_fields=["withdrawn_at", "withdrawn_because"])
            record("paper put back", by, assignment=paper.assignment, paper=paper.pk)
