"""More time for single students."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from peerorder.web.assignments.deadlines import with_extension
from peerorder.web.assignments.messages import compose_about, queue_about, time_until
from peerorder.web.assignments.models import Assignment, Extension
from peerorder.web.assignments.registry import extension_checks
from peerorder.web.assignments.services import lock_assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.errors import Refused
from peerorder.web.people.models import Person


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
        lock_assignment(assignment)
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
            _tell(extension)
    return extension


def withdraw(extension: Extension, by: Person) -> None:
    """Take it back; refused where something was handed in because of it."""
    assignment, member = extension.assignment, extension.member
    with transaction.atomic():
        lock_assignment(assignment)
        if not Extension.objects.filter(pk=extension.pk).exists():
            return
        _refuse_what_cuts(assignment, member, None)
        Extension.objects.filter(pk=extension.pk).delete()
        record("extension withdrawn", by, assignment=assignment, member=member.pk)


def _refuse_what_cuts(assignment: Assignment, member: Member, new: Extension | None) -> None:
    """Raise Refused if something came in that would not have been in time by the new times."""
    times = with_extension(assignment, new)
    for check in extension_checks:
        if reason := check(assignment, member, times):
            raise Refused(reason)


def _tell(extension: Extension) -> None:
    """Tell a student what was granted, once for the same times."""
    assignment, person = extension.assignment, extension.member.person
    lines = [
        *time_until(assignment, extension.hand_in_by, _("Hand in by %(when)s.")),
        *time_until(assignment, extension.rank_by, _("Rank by %(when)s.")),
    ]
    times = [int(moment.timestamp()) if moment else "-" for moment in (extension.hand_in_by, extension.rank_by)]
    key = f"more time {extension.pk} {times[0]} {times[1]}"
    queue_about(assignment, {key: (person, compose_about("more time", assignment, person, lines))})
