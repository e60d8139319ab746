"""Keep comments from authors, and the words by which staff look for such comments."""

from django.db import transaction
from django.utils.translation import gettext as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.services import record
from peerorder.web.errors import Refused
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Slot
from peerorder.web.results.models import HiddenComment, WatchedWords


def hide_comment(assignment: Assignment, slot: Slot, reason: str, by: Person) -> None:
    """Keep a comment from the authors of the paper; where it is hidden already, the first reason stays."""
    if not reason.strip():
        raise Refused(_("Give a reason: colleagues may ask for it."))
    with transaction.atomic():
        values = {"reason": reason.strip(), "hidden_by": by}
        if HiddenComment.objects.get_or_create(slot=slot, defaults=values)[1]:
            record("comment hidden", by, assignment=assignment, slot=slot.pk)


def show_comment(assignment: Assignment, slot: Slot, by: Person) -> None:
    """Let the authors of the paper see a comment again."""
    with transaction.atomic():
        if HiddenComment.objects.filter(slot=slot).delete()[0]:
            record("comment shown again", by, assignment=assignment, slot=slot.pk)


def watch_words(assignment: Assignment, words: str, by: Person) -> None:
    """Keep the words of a course by which staff look for comments, one per line."""
    lines = dict.fromkeys(line.strip() for line in words.splitlines() if line.strip())
    with transaction.atomic():
        WatchedWords.objects.update_or_create(course=assignment.course, defaults={"words": "\n".join(lines)})
        record("watched words changed", by, assignment=assignment, words=len(lines))
