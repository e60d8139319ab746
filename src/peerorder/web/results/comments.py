"""Comments that graders handed in: for the authors of a paper without anything that tells whose they are.

A comment is called by a digest of its slot with a key of the site. Authors see comments in the order of these digests:
it says nothing about graders, labels or times, and it stays the same however often they look.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from peerorder.web.assignments.models import Assignment
from peerorder.web.ranking.models import Ballot, Comment, Slot
from peerorder.web.results.models import CommentFeedback, HiddenComment

SALT = "peerorder.web.results.comments"


@dataclass(frozen=True)
class ReceivedComment:
    """A comment as the authors of the paper see it."""

    key: str
    text: str
    feedback: CommentFeedback | None = None
    """What the reader said about it, if anything."""


def comment_key(slot: int) -> str:
    """Return what a comment is called on the page of an author, and by which comments are sorted there."""
    return salted_hmac(SALT, str(slot), algorithm="sha256").hexdigest()[:32]


def received_comments(paper: int) -> list[ReceivedComment]:
    """Return the comments that authors of a paper may see: neither hidden nor erased, in no order that tells."""
    texts = comment_texts(paper)
    hidden = HiddenComment.objects.filter(slot__in=texts).values_list("slot", flat=True)
    shown = [ReceivedComment(comment_key(slot), texts[slot]) for slot in texts.keys() - set(hidden)]
    return sorted(shown, key=lambda comment: comment.key)


def comment_texts(paper: int) -> dict[int, str]:
    """Return the comments on a paper that were handed in, by the id of the slot."""
    slots = list(Slot.objects.filter(paper=paper).order_by().values_list("pk", "token", "grader", "assignment"))
    graders, assignments = {each[2] for each in slots}, {each[3] for each in slots}
    ballots = Ballot.objects.filter(assignment__in=assignments, grader__in=graders)
    digest = comment_digests(ballots)
    return texts_of((pk, digest[token]) for pk, token, _, _ in slots if token in digest)


def comment_digests(ballots: QuerySet[Ballot]) -> dict[str, str]:
    """Return the digests of the comments that were handed in, by the tokens of their slots; erased ones too."""
    result: dict[str, str] = {}
    handed_in = ballots.filter(submission__isnull=False).order_by()
    for comments in handed_in.values_list("submission__content__comments", flat=True).iterator():
        result.update(comments or {})
    return result


def texts_of(digests: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Return the texts of comments by the ids of their slots; what was erased is missing."""
    slots = list(digests)
    (content,) = Comment.objects.put_back([{"comments": {str(slot): digest for slot, digest in slots}}])
    return {int(slot): text for slot, text in content["comments"].items() if text.strip()}


def reported_comments(assignment: Assignment) -> int:
    """Return how many comments authors have reported that staff have not hidden."""
    reports = CommentFeedback.objects.filter(slot__assignment=assignment, kind=CommentFeedback.Kind.REPORT)
    return reports.filter(slot__hidden_comment=None).values("slot").distinct().count()
