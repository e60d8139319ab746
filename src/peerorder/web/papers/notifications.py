"""Tell authors what staff do with their paper."""

from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext_lazy

from peerorder.web.assignments.messages import compose_about, queue_about
from peerorder.web.audit.messages import Entry, describe
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Member
from peerorder.web.papers.models import Paper, Version
from peerorder.web.people.models import Person

ACTS = {
    "paper handed in for a student": gettext_lazy("handed it in for you"),
    "paper withdrawn": gettext_lazy("withdrew it"),
    "paper put back": gettext_lazy("put it back"),
}
"""What staff do to a paper, by the verbs of the audit log, in words for its authors."""

MOST = 50


def tell_handed_in(version: Version, by: Person) -> None:
    """Tell the authors that staff handed in a version for them."""
    replaced = version.paper.versions.filter(pk__lt=version.pk).exists()
    _tell(version.paper, "paper replaced" if replaced else "paper for you", f"for you {version.pk}", by)


def tell_withdrawn(paper: Paper, by: Person, at: datetime) -> None:
    """Tell the authors that staff took their paper out, and why."""
    _tell(paper, "paper withdrawn", f"withdrawn {paper.pk} {at.isoformat()}", by, why=paper.withdrawn_because)


def tell_put_back(paper: Paper, by: Person, at: datetime) -> None:
    """Tell the authors that staff put their paper back."""
    _tell(paper, "paper put back", f"put back {paper.pk} {at.isoformat()}", by)


def _tell(paper: Paper, kind: str, key: str, by: Person, **words: str) -> None:
    authors = Member.objects.filter(authorships__paper=paper, removed_at=None).select_related("person")
    people = [member.person for member in authors]
    queue_about(
        paper.assignment,
        {
            f"{key} {each.pk}": (each, compose_about(kind, paper.assignment, each, staff=str(by), **words))
            for each in people
        },
    )


def staff_acts(paper: Paper) -> list[Entry]:
    """Return what staff did to a paper, the newest first, for its authors to read."""
    events = Event.objects.filter(assignment_id=paper.assignment_id, verb__in=ACTS, details__paper=paper.pk)
    return [replace(entry, what=str(ACTS[entry.verb])) for entry in describe(events.order_by("-pk")[:MOST])]
