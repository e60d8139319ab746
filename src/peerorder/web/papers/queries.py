"""What several pages ask for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment, Attachment
from peerorder.web.courses.models import Member
from peerorder.web.courses.search import by_surname, find_members
from peerorder.web.database.batches import batches
from peerorder.web.papers.models import Authorship, Page, Paper, PendingSubmission, State, Version
from peerorder.web.papers.registry import distribution_checks

DAY = timedelta(days=1)
MOST_VERSIONS_A_DAY = 30
MOST_LARGEST = 10
"""All versions of a paper take at most as much space as this many of the largest files."""


def stored_files(among: Sequence[str]) -> set[str]:
    """Return those of some files in the uploads folder that are in use."""
    used: set[str] = set()
    for some in batches(among):
        for field in ("file", "original"):
            used.update(Version.objects.filter(**{f"{field}__in": some}).values_list(field, flat=True))
        used.update(Attachment.objects.filter(file__in=some).values_list("file", flat=True))
        used.update(Page.objects.filter(image__in=some).values_list("image", flat=True))
    for sent in PendingSubmission.objects.values_list("sent", flat=True).iterator():
        used.update(sent.get(field, "") for field in ("file", "original", "page"))
    return used


def authors_of(papers: Iterable[int]) -> dict[int, str]:
    """Return who wrote these papers; of one that nobody is an author of any more, its code."""
    codes = dict(Paper.objects.filter(pk__in=papers).values_list("pk", "code"))
    names: dict[int, list[str]] = {}
    wrote = Authorship.objects.filter(paper__in=codes).select_related("member__person").order_by("pk")
    for each in wrote:
        names.setdefault(each.paper_id, []).append(str(each.member))
    return {paper: ", ".join(names.get(paper, [code])) for paper, code in codes.items()}


@dataclass(frozen=True)
class ExhaustedQuota:
    """No further version of a paper is taken, ..."""

    why: str
    wait: float = 0.0
    """... for this many seconds; 0 where waiting does not help."""


def exhausted_quota(paper: Paper | None) -> ExhaustedQuota | None:
    """Return why no further version of a paper is taken: there were too many, or too large ones; else None."""
    if paper is None:
        return None
    versions, now = Version.objects.filter(paper=paper), timezone.now()
    times = versions.filter(handed_in_at__gt=now - DAY).order_by("-handed_in_at").values_list("handed_in_at", flat=True)
    # There is room again once the last one is a day old.
    if len(counted := list(times[:MOST_VERSIONS_A_DAY])) == MOST_VERSIONS_A_DAY:
        why = _("You have replaced this paper %(most)d times in a day. Wait until tomorrow, or ask your instructor.")
        return ExhaustedQuota(why % {"most": MOST_VERSIONS_A_DAY}, (counted[-1] + DAY - now).total_seconds())
    # A file is kept twice: cleaned, and as it was sent.
    kept = versions.aggregate(all=Sum("size"), originals=Sum("size", filter=~Q(original="")))
    if sum(size or 0 for size in kept.values()) >= MOST_LARGEST * settings.LARGEST_UPLOAD:
        return ExhaustedQuota(_("The versions of this paper have used up their space. Ask your instructor for help."))
    return None


def is_distributed(paper: Paper) -> bool:
    """Return whether a paper was given to graders, or is being given to them."""
    return any(check(paper) for check in distribution_checks)


def page_of(version: Version | None, number: int) -> Page:
    """Return a page of a version that can be shown."""
    page = version.pages.filter(number=number).first() if version and version.state == State.READY else None
    if page is None:
        raise Http404
    return page


def papers_in(assignment: Assignment) -> QuerySet[Paper]:
    """Return the papers of an assignment, for staff, each with its authors and the ``count`` of its versions."""
    authors = Authorship.objects.select_related("member__person").order_by("member__student")
    return (
        Paper.objects.select_related("current__handed_in_by__person")
        .prefetch_related(Prefetch("authorships", authors))
        .annotate(count=Count("versions"))
        .filter(assignment=assignment)
        .order_by("pk")
    )


def search_papers(assignment: Assignment, words: str = "", section: str = "", only: str = "") -> QuerySet[Paper]:
    """Return the papers of some author, section or state, each with the ``surname`` of its first author."""
    first = Authorship.objects.filter(paper=OuterRef("pk")).order_by("member__student")
    surname, *_rest = by_surname("member__")
    papers = papers_in(assignment).annotate(surname=Subquery(first.annotate(surname=surname).values("surname")[:1]))
    if words:
        authors = find_members(Member.objects.filter(authorships__assignment=assignment), words)
        wrote = Authorship.objects.filter(assignment=assignment, member__in=authors)
        # A code is typed off a report or a list, perhaps a part of it, perhaps with a capital.
        papers = papers.filter(Q(pk__in=wrote.values("paper")) | Q(code__contains=words.lower()))
    if section:
        wrote = Authorship.objects.filter(assignment=assignment, member__section=int(section))
        papers = papers.filter(pk__in=wrote.values("paper"))
    narrowed = {
        "late": papers.filter(current__late=True),
        "broken": papers.filter(current__state=State.BROKEN),
        "preparing": papers.filter(current__state=State.PREPARING),
        "withdrawn": papers.filter(withdrawn_at__isnull=False),
    }
    return narrowed.get(only, papers)


def paper_in(assignment: Assignment, paper_id: int) -> Paper:
    """Return a paper of this assignment and no other."""
    paper = papers_in(assignment).filter(pk=paper_id).first()
    if paper is None:
        raise Http404
    return paper


def version_of(paper: Paper, version_id: int) -> Version:
    """Return a version of this paper and no other."""
    version = paper.versions.select_related("handed_in_by__person").filter(pk=version_id).first()
    if version is None:
        raise Http404
    return version


def state_choices() -> list[tuple[str, str]]:
    """Return the states by which the list for staff can be narrowed."""
    return [
        ("late", _("Handed in late")),
        ("broken", _("Cannot be shown")),
        ("preparing", _("Being prepared")),
        ("withdrawn", _("Withdrawn")),
    ]
