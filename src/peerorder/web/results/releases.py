"""Sign releases off, publish them when they are due, and withdraw them.

Students see what is published and not withdrawn, whatever the clock says: marks, e-mails and the stage change together,
in the transaction that publishes.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from peerorder.web.assignments.messages import compose_about, queue_about
from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.assignments.services import lock_assignment
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Member
from peerorder.web.database.batches import batches
from peerorder.web.errors import Refused
from peerorder.web.mail.services import drop_unsent
from peerorder.web.people.models import Person
from peerorder.web.results import registry
from peerorder.web.results.mark_sheets import release_in_force, released_sheet
from peerorder.web.results.models import Look, Release
from peerorder.web.results.release_audience import (
    draft_release,
    fingerprint,
    message_kinds,
    visible_to_students,
    waiting_release,
)

GRACE = timedelta(minutes=10)
"""How long a release waits at least, so that it can be withdrawn before anybody sees anything."""
logger = logging.getLogger("peerorder.results")


@dataclass(frozen=True)
class ReleaseChoice:
    """What an instructor signs off."""

    marks: bool
    comments: bool
    tells: bool
    seen: str
    """The ``fingerprint`` of the draft that the page showed."""


def sign_off(assignment: Assignment, by: Person, what: ReleaseChoice, at: datetime | None, now: datetime) -> Release:
    """Release marks, comments or neither, in ten minutes or at a later time."""
    with transaction.atomic():
        locked = lock_assignment(assignment)
        if not locked.is_at(Stage.REVIEW, Stage.RELEASED):
            raise Refused(_("Marks can be released once ranking is over. End the ranking stage first."))
        waiting = waiting_release(locked)
        if waiting is not None:
            text = _("%(name)s has signed off release %(number)d, which is scheduled. To change it, withdraw it first.")
            raise Refused(text % {"name": waiting.signed_off_by, "number": waiting.number})
        if what.seen != fingerprint(draft_release(locked)):
            raise Refused(_("Marks changed while you had this page open. Check them again before you release them."))
        release = draft_release(locked, marks=what.marks, comments=what.comments)
        if release.marks:
            _require_marks(release)
        last = Release.objects.filter(assignment=locked).aggregate(last=Max("number"))["last"] or 0
        release.number, release.tells = last + 1, what.tells
        release.signed_off_by, release.signed_off_at = by, now
        release.due_at = max(now + GRACE, at or now)
        release.save()
        record("release signed off", by, assignment=locked, release=release.number, marks=release.marks)
    return release


def _require_marks(release: Release) -> None:
    sheet = released_sheet(release)
    if sheet is None:
        raise Refused(_("There is no result yet to base marks on. Compute one first."))
    if sheet.graded.marking is None:
        raise Refused(_("No scale is chosen, so there are no marks yet. Choose one first."))


def publish_due(now: datetime | None = None) -> int:
    """Publish every release whose time has come, also where the server was down then; return how many.

    In a course that is archived nothing is published, nor when it is brought back: there the release is withdrawn.
    """
    now = now or timezone.now()
    due = Release.objects.filter(due_at__lte=now, published_at=None, withdrawn_at=None)
    count = 0
    for release in due.select_related("assignment__course", "result").order_by("due_at", "pk"):
        try:
            if release.assignment.course.archived_at is None:
                count += _publish(release, now)
            else:
                withdraw(release, None, _("The course was archived before this was published."), now)
        except Exception:
            # One that fails must not keep the others back; it is tried again at the next tick.
            logger.exception("release %d could not be published", release.pk)
    return count


def _publish(release: Release, now: datetime) -> bool:
    with transaction.atomic():
        locked = lock_assignment(release.assignment)
        kinds = message_kinds(release, visible_to_students(release)) if release.tells else {}
        waiting = Release.objects.filter(pk=release.pk, published_at=None, withdrawn_at=None)
        if not waiting.update(published_at=now):
            return False
        _queue(release, kinds)
        for hook in registry.published:
            hook(locked, now)
        record("release published", None, assignment=locked, release=release.number, marks=release.marks)
    return True


def _queue(release: Release, kinds: dict[int, str]) -> None:
    assignment = release.assignment
    for some in batches(list(kinds)):
        members = Member.objects.select_related("person").filter(pk__in=some)
        messages = {
            f"{_key(release)}{member.pk}": (member.person, compose_about(kinds[member.pk], assignment, member.person))
            for member in members
        }
        queue_about(assignment, messages)


def _key(release: Release) -> str:
    return f"release {release.pk} "


def withdraw(release: Release, by: Person | None, reason: str, now: datetime) -> bool:
    """Withdraw a release; return whether it was in force, or waited. Once it is published, that needs a reason."""
    with transaction.atomic():
        locked = lock_assignment(release.assignment)
        release = Release.objects.get(pk=release.pk)
        if release.withdrawn_at is not None:
            return False
        if release.published_at is not None:
            if release_in_force(locked) != release:
                raise Refused(_("A later release has replaced this one. Withdraw that one instead."))
            if not reason.strip():
                raise Refused(_why_a_reason(release))
        release.withdrawn_by, release.withdrawn_at, release.withdrawn_because = by, now, reason.strip()
        release.save(update_fields=["withdrawn_by", "withdrawn_at", "withdrawn_because"])
        if release.published_at is not None:
            # Nobody is invited to look at what is gone.
            drop_unsent(_key(release))
            for hook in registry.withdrawn:
                hook(locked, by, now)
        seen = release.published_at is not None
        record("release withdrawn", by, assignment=locked, release=release.number, published=seen)
    return True


def _why_a_reason(release: Release) -> str:
    looked = Look.objects.filter(release=release).count()
    text = ngettext(
        "Release %(number)d is published, and %(looked)d student has seen it. Give a reason for withdrawing it.",
        "Release %(number)d is published, and %(looked)d students have seen it. Give a reason for withdrawing it.",
        looked,
    )
    return text % {"number": release.number, "looked": looked}
