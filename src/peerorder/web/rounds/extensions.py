"""More time for single students."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from peerorder.web.courses.models import Member
from peerorder.web.jobs.registry import Refused
from peerorder.web.log.services import record
from peerorder.web.papers.models import Version
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot
from peerorder.web.rounds.deadlines import with_extension
from peerorder.web.rounds.models import Assignment, Extension
from peerorder.web.rounds.telling import tell_of_more_time

__all__ = ["grant", "withdraw"]


def grant(
    assignment: Assignment,
    member: Member,
    hand_in_by: datetime | None,
    rank_by: datetime | None,
    note: str,
    by: Person,
    now: datetime,
    *,
    tell: bool = False,
) -> Extension:
    """Give a student more time, or change what was given; refused where something came in by what is taken away.

    With ``tell``, the student gets a mail that says until when there is time.
    """
    with transaction.atomic():
        Assignment.objects.select_for_update().get(pk=assignment.pk)
        fields = {"hand_in_by": hand_in_by, "rank_by": rank_by, "note": note}
        extension, new = Extension.objects.get_or_create(
            assignment=assignment, member=member, defaults={**fields, "granted_at": now}
        )
        if not new:
            _refuse_what_cuts(assignment, member, Extension(**fields))
            for name, value in fields.items():
                setattr(extension, name, value)
            extension.save(update_fields=list(fields))
        record(
            "extension granted" if new else "extension changed",
            by,
            assignment=assignment,
            member=member.pk,
            hand_in_by=hand_in_by.isoformat() if hand_in_by else None,
            rank_by=rank_by.isoformat() if rank_by else None,
        )
        if tell:
            tell_of_more_time(extension)
    return extension


def withdraw(extension: Extension, by: Person) -> None:
    """Take it back; refused where something was handed in because of it."""
    assignment, member = extension.assignment, extension.member
    with transaction.atomic():
        Assignment.objects.select_for_update().get(pk=assignment.pk)
        if not Extension.objects.filter(pk=extension.pk).exists():
            return
        _refuse_what_cuts(assignment, member, None)
        Extension.objects.filter(pk=extension.pk).delete()
        record("extension withdrawn", by, assignment=assignment, member=member.pk)


def _refuse_what_cuts(assignment: Assignment, member: Member, new: Extension | None) -> None:
    """What came in must still have been in time by the new times."""
    times = with_extension(assignment, new)
    paper = Version.objects.filter(paper__assignment=assignment, handed_in_by=member).aggregate(
        last=Max("handed_in_at")
    )["last"]
    if paper is not None and not times.may_hand_in(paper):
        raise Refused(_("A paper was handed in because of this extension, so it stays. You can make it longer."))
    ballot = Ballot.objects.filter(assignment=assignment, grader=member).first()
    if ballot is not None and ballot.handed_in_at is not None and not times.may_rank(ballot.handed_in_at):
        raise Refused(_("A ranking was handed in because of this extension, so it stays. You can make it longer."))
