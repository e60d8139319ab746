"""What authors say about comments, and what graders hear of it. It counts for nothing, and tells nobody who said it."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.errors import Refused
from peerorder.web.papers.models import Authorship
from peerorder.web.ranking.models import Slot
from peerorder.web.results.comments import comment_key, received_comments
from peerorder.web.results.mark_sheets import release_in_force
from peerorder.web.results.models import CommentFeedback, Look, Release, Thanks

QUIET = timedelta(days=7)
"""How long after a release graders hear nothing, so that no thanks can be put down to somebody who looked just now."""


def give_feedback(assignment: Assignment, member: Member, key: str, kind: str, text: str = "") -> None:
    """Say something about a comment on one's own paper, in place of what one said before; nothing takes that back."""
    text = text.strip() if kind == CommentFeedback.Kind.REPORT else ""
    if kind and kind not in CommentFeedback.Kind.values:
        raise Refused(_("Choose what you think of the comment."))
    if kind == CommentFeedback.Kind.REPORT and not text:
        raise Refused(_("Say what is wrong with the comment, so that your instructors can help."))
    if len(text) > 500:
        raise Refused(_("Your report is too long. Shorten it to 500 characters."))
    with transaction.atomic():
        release = release_in_force(assignment)
        slot = _commented_slot(assignment, member, key) if release is not None and release.comments else None
        if slot is None:
            raise Refused(_("This comment no longer exists. Reload your result."))
        mine = CommentFeedback.objects.filter(slot=slot, member=member)
        if not kind:
            mine.delete()
            return
        said = {"kind": kind, "text": text, "at": timezone.now()}
        CommentFeedback.objects.update_or_create(slot_id=slot, member=member, defaults=said)


def _commented_slot(assignment: Assignment, member: Member, key: str) -> int | None:
    """Return the slot of a comment that a member may see; None where there is none of this key."""
    wrote = Authorship.objects.filter(assignment=assignment, member=member, paper__withdrawn_at=None).first()
    if wrote is None or key not in {comment.key for comment in received_comments(wrote.paper_id)}:
        return None
    slots = Slot.objects.filter(paper=wrote.paper_id).order_by().values_list("pk", flat=True)
    return next(slot for slot in slots if comment_key(slot) == key)


def feedback_given(assignment: Assignment, member: Member) -> dict[str, CommentFeedback]:
    """Return what a member said about comments, by their keys."""
    given = CommentFeedback.objects.filter(member=member, slot__assignment=assignment)
    return {comment_key(each.slot_id): each for each in given}


def record_look(release: Release, member: Member) -> None:
    """Remember that a student has seen a release; the first time counts."""
    if not Look.objects.filter(release=release, member=member).exists():
        Look.objects.bulk_create([Look(release=release, member=member)], ignore_conflicts=True)


def thanks_for(release: Release, member: Member, now: datetime) -> int:
    """Return how many of a grader's comments authors found helpful: counted once, well after the release."""
    counted = Thanks.objects.filter(assignment=release.assignment_id, member=member).first()
    if counted is None:
        if not release.comments or release.published_at is None or now < release.published_at + QUIET:
            return 0
        helpful = CommentFeedback.objects.filter(
            slot__assignment=release.assignment_id, slot__grader=member, kind=CommentFeedback.Kind.HELPFUL
        )
        count = helpful.values("slot").distinct().count()
        counted, _made = Thanks.objects.get_or_create(
            assignment_id=release.assignment_id, member=member, defaults={"helpful": count, "shown_at": now}
        )
    return counted.helpful
