"""What pages show: to graders the papers of their bundles and where each stands, to staff who ranks a paper."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from peerorder.web.assignments.access import takes_part
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member
from peerorder.web.database.sql import fetch_all
from peerorder.web.papers.models import Paper
from peerorder.web.people.models import Person
from peerorder.web.ranking.content import Content, empty_ranking, judged_tokens, label, verdicts
from peerorder.web.ranking.excerpts import excerpt_of, with_excerpts
from peerorder.web.ranking.models import Ballot, Handout, Problem, Slot

# Papers may be read while they are ranked, and when rankings are looked at.
READABLE = (Stage.RANKING, Stage.REVIEW)

SLOTS = """
    SELECT slot.token, slot.part, slot.position, slot.opened_at IS NOT NULL, paper.withdrawn_at IS NOT NULL
    FROM ranking_slot slot
    JOIN ranking_handout handout ON handout.id = slot.handout_id AND handout.ready_at IS NOT NULL
    JOIN papers_paper paper ON paper.id = slot.paper_id
    WHERE slot.assignment_id = %s AND slot.grader_id = %s
    ORDER BY slot.position
"""


@dataclass
class Item:
    """A paper of a bundle, as its grader sees it: nothing here says whose it is."""

    token: str
    name: str
    part: int
    place: str = ""
    """As it stands in the box; text, because people type what they like."""
    unjudged: bool = False
    tied: bool = False
    """With the one above it."""
    comment: str = ""
    excerpt: str = ""
    """Its first words, or what it is."""
    note: str = ""
    """What its grader wrote down, for their own eyes."""
    opened: bool = False
    withdrawn: bool = False
    """Nobody is asked to rank it any more."""
    error: str = ""
    """What is wrong with its place, ..."""
    comment_error: str = ""
    """... and with its comment."""
    problems: list[Problem] = field(default_factory=list)
    text: str = ""
    """Of a made-up paper of the example, all of it."""


@dataclass
class Part:
    """Papers that are ranked against each other."""

    number: int
    order: list[Item]
    unplaced: list[Item]
    unjudged: list[Item]

    @property
    def items(self) -> list[Item]:
        """Return all papers of the part."""
        return [*self.order, *self.unplaced, *self.unjudged]


def ballot_of(assignment: Assignment, member: Member) -> Ballot | None:
    """Return what a grader has saved, if anything, with what counts of it."""
    return Ballot.objects.select_related("submission").filter(assignment=assignment, grader=member).first()


def submitted_ballots(ballots: QuerySet[Ballot]) -> QuerySet[Ballot]:
    """Return those that were handed in, with ``submitted_at``."""
    return ballots.filter(submission__isnull=False).annotate(submitted_at=F("submission__at"))


def finished_ballots(ballots: QuerySet[Ballot]) -> QuerySet[Ballot]:
    """Return those of graders who are done: they handed in after their last allocated papers came.

    Papers that somebody took besides, as a favour, make nobody unfinished. All pages that say who is done ask here.
    """
    return submitted_ballots(ballots).filter(~Exists(_newer_slots().exclude(handout__why=Handout.Why.TOP_UP)))


def ballots_with_extra_papers(ballots: QuerySet[Ballot]) -> QuerySet[Ballot]:
    """Return those of graders who took more papers after they handed in, and have not handed in again."""
    return submitted_ballots(ballots).filter(Exists(_newer_slots().filter(handout__why=Handout.Why.TOP_UP)))


def _newer_slots() -> QuerySet[Slot]:
    """Return the papers that came after a ballot was handed in."""
    return Slot.objects.filter(
        assignment=OuterRef("assignment"),
        grader=OuterRef("grader"),
        paper__withdrawn_at=None,
        handout__ready_at__gt=OuterRef("submission__at"),
    )


def parts_of(assignment: Assignment, member: Member) -> dict[str, int]:
    """Return the part of every token of a grader: all that saving needs to know of the papers."""
    return {paper.token: paper.part for paper in papers_of(assignment, member)}


def papers_of(assignment: Assignment, member: Member) -> list[Item]:
    """Return all papers of a grader in the order of their labels, also those withdrawn since."""
    return [
        Item(token, _name(position), part, opened=bool(opened), withdrawn=bool(withdrawn))
        for token, part, position, opened, withdrawn in fetch_all(SLOTS, assignment.pk, member.pk)
    ]


def _name(position: int) -> str:
    return _("Paper %(label)s") % {"label": label(position)}


def bundle_of(assignment: Assignment, member: Member) -> list[Item]:
    """Return the papers that a grader is asked to rank, in the order of their labels, without withdrawn ones."""
    slots = with_excerpts(
        Slot.objects.filter(assignment=assignment, grader=member, paper__withdrawn_at=None)
        .prefetch_related("problems")
        .order_by("position")
    )
    return [
        Item(
            slot.token,
            _name(slot.position),
            slot.part,
            excerpt=excerpt_of(slot),
            opened=slot.opened_at is not None,
            problems=sorted(slot.problems.all(), key=lambda problem: problem.pk),
        )
        for slot in slots
    ]


def current_content(ballot: Ballot | None) -> Content:
    """Return what a ballot says now, also where there is none yet."""
    return {**empty_ranking(), **ballot.content} if ballot is not None else empty_ranking()


def parts_shown(
    items: list[Item], content: Content, typed: Mapping[str, Any] | None = None, notes: Mapping[str, str] | None = None
) -> list[Part]:
    """Return the papers where they stand; ``typed`` is a form that could not be read, whose fields are shown again."""
    said = {verdict.token: verdict for verdict in verdicts(content)}
    place = {token: verdict.rank for token, verdict in said.items() if verdict.rank is not None}
    for item in items:
        item.place = str(place.get(item.token, ""))
        item.note = (notes or {}).get(item.token, "")
        if verdict := said.get(item.token):
            item.unjudged, item.comment = verdict.unjudged, verdict.comment
        if typed is not None:
            item.place = str(typed.get(f"place-{item.token}", ""))
            item.unjudged = bool(typed.get(f"unjudged-{item.token}"))
            item.comment = str(typed.get(f"comment-{item.token}", ""))
            item.note = str(typed.get(f"note-{item.token}", ""))
            place.pop(item.token, None)
    shown = []
    for number in sorted({item.part for item in items}):
        mine = [item for item in items if item.part == number]
        order = sorted((item for item in mine if item.token in place), key=lambda item: place[item.token])
        for above, item in zip(order, order[1:], strict=False):
            item.tied = item.place == above.place
        rest = [item for item in mine if item.token not in place]
        shown.append(
            Part(
                number,
                order,
                [item for item in rest if not item.unjudged],
                [item for item in rest if item.unjudged],
            )
        )
    return shown


def readable_slot(person: Person, token: str) -> Slot:
    """Return the slot of a grader; whatever is not for these eyes does not exist."""
    slot = (
        Slot.objects.select_related("assignment__course", "grader", "paper__current")
        .filter(token=token, grader__person=person)
        .first()
    )
    if slot is None or not slot.assignment.is_at(*READABLE) or not takes_part(slot.grader, slot.assignment):
        raise Http404
    return slot


@dataclass(frozen=True)
class PaperGrader:
    """Somebody who has a paper to rank, for staff."""

    grader: Member
    label: str
    """What this grader calls the paper, and writes in questions and reports."""
    done: bool
    """Whether they have handed in a ranking of it."""


def graders_of(paper: Paper) -> list[PaperGrader]:
    """Return who ranks a paper, under which label, and who has handed that in."""
    slots = list(Slot.objects.filter(paper=paper).select_related("grader__person").order_by("grader__person__name"))
    ballots = submitted_ballots(Ballot.objects.filter(assignment=paper.assignment_id, grader__slots__paper=paper))
    done = {
        token for content in ballots.values_list("submission__content", flat=True) for token in judged_tokens(content)
    }
    return [PaperGrader(slot.grader, label(slot.position), slot.token in done) for slot in slots]


def problems_of(paper: Paper) -> QuerySet[Problem]:
    """Return what graders reported about a paper, the newest first."""
    return Problem.objects.filter(slot__paper=paper).select_related("slot__grader__person").order_by("-pk")


def answered_problems(assignment: Assignment, member: Member) -> list[Problem]:
    """Return the answered reports of a grader, the newest answer first."""
    mine = Problem.objects.filter(slot__assignment=assignment, slot__grader=member, answered_at__isnull=False)
    return list(mine.select_related("slot").order_by("-answered_at"))


def waiting_problems(assignment: Assignment) -> int:
    """Return how many reports wait for an answer."""
    return Problem.objects.filter(slot__assignment=assignment, answered_at=None).count()
