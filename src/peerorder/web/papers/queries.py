"""What several pages ask for."""

import json
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from peerorder.web.access import takes_part
from peerorder.web.courses.models import Member
from peerorder.web.courses.search import matching
from peerorder.web.papers.models import Authorship, Page, Paper, State, Version
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot, Problem, Slot
from peerorder.web.rounds.models import Assignment, Stage

__all__ = [
    "Ranking",
    "letter_of",
    "page_of",
    "paper_in",
    "papers_in",
    "problems_of",
    "rankings_of",
    "readable_slot",
    "version_of",
]

# Papers may be read while they are ranked, and when rankings are looked at.
READABLE = (Stage.RANKING, Stage.REVIEW)


def readable_slot(person: Person, token: str) -> Slot:
    """The slot of a grader; whatever is not for these eyes does not exist."""
    slot = (
        Slot.objects.select_related("assignment__course", "grader", "paper__current")
        .filter(token=token, grader__person=person)
        .first()
    )
    if slot is None or not slot.assignment.is_at(*READABLE) or not takes_part(slot.grader, slot.assignment):
        raise Http404
    return slot


def letter_of(position: int) -> str:
    """What a grader calls a paper: A, B, ... Z, AA, AB, ..."""
    letters = ""
    position += 1
    while position:
        position, rest = divmod(position - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def page_of(version: Version | None, number: int) -> Page:
    """A page of a version that can be shown."""
    page = version.pages.filter(number=number).first() if version and version.state == State.READY else None
    if page is None:
        raise Http404
    return page


def papers_in(assignment: Assignment, words: str = "", only: str = "") -> QuerySet[Paper]:
    """The papers of an assignment with their authors, for staff; those of some author, or in some state."""
    authors = Authorship.objects.select_related("member__person").order_by("member__student")
    papers = (
        Paper.objects.select_related("current__handed_in_by__person")
        .prefetch_related(Prefetch("authorships", authors))
        .annotate(count=Count("versions"))
        .filter(assignment=assignment)
        .order_by("pk")
    )
    if words:
        authors_found = matching(Member.objects.filter(authorships__assignment=assignment), words)
        wrote = Authorship.objects.filter(assignment=assignment, member__in=authors_found)
        # A code is typed off a report or a list, perhaps a part of it, perhaps with a capital.
        papers = papers.filter(Q(pk__in=wrote.values("paper")) | Q(code__contains=words.lower().replace("\0", "")))
    narrowed = {
        "late": papers.filter(current__late=True),
        "broken": papers.filter(current__state=State.BROKEN),
        "preparing": papers.filter(current__state=State.PREPARING),
        "withdrawn": papers.filter(withdrawn_at__isnull=False),
    }
    return narrowed.get(only, papers)


@dataclass(frozen=True)
class Ranking:
    """Somebody who has a paper to rank, for staff."""

    grader: Member
    called: str
    """What this grader calls the paper, and writes in questions and reports."""
    done: bool


def rankings_of(paper: Paper) -> list[Ranking]:
    """Who ranks a paper, under which letter, and who has handed that in."""
    slots = list(Slot.objects.filter(paper=paper).select_related("grader__person").order_by("grader__person__name"))
    ballots = Ballot.objects.filter(assignment=paper.assignment_id, grader__in=[slot.grader_id for slot in slots])
    handed_in = dict(ballots.filter(handed_in__isnull=False).values_list("grader", "handed_in"))
    return [
        Ranking(slot.grader, letter_of(slot.position), slot.token in json.dumps(handed_in.get(slot.grader_id)))
        for slot in slots
    ]


def problems_of(paper: Paper) -> QuerySet[Problem]:
    """What graders reported about a paper, the newest first."""
    return Problem.objects.filter(slot__paper=paper).select_related("slot__grader__person").order_by("-pk")


def paper_in(assignment: Assignment, paper_id: int) -> Paper:
    """A paper of this assignment and no other."""
    paper = papers_in(assignment).filter(pk=paper_id).first()
    if paper is None:
        raise Http404
    return paper


def version_of(paper: Paper, version_id: int) -> Version:
    """A version of this paper and no other."""
    version = paper.versions.select_related("handed_in_by__person").filter(pk=version_id).first()
    if version is None:
        raise Http404
    return version


def choices_of_state() -> list[tuple[str, str]]:
    """By what the list for staff can be narrowed."""
    return [
        ("", _("all papers")),
        ("late", _("handed in late")),
        ("broken", _("cannot be shown")),
        ("preparing", _("being prepared")),
        ("withdrawn", _("taken out")),
    ]
