"""What goes of somebody who is erased: reasons about them, and what they said about comments. Marks name nobody."""

from django.db.models import Q

from peerorder.web.courses.models import Member
from peerorder.web.courses.search import plain
from peerorder.web.papers.models import Paper
from peerorder.web.results.comment_filters import SHORTEST_NAME, words_of
from peerorder.web.results.models import CommentFeedback, Decision, HiddenComment, Look, Thanks, WatchedWords

ERASED = "erased"
"""What stands in place of a reason; a decision always has one."""


def erase_from_results(member: Member) -> None:
    """Erase what results, decisions and comments have about a member. Decisions stay, without their reasons."""
    papers = Paper.objects.filter(authorships__member=member)
    decisions = Decision.objects.filter(Q(paper__in=papers) | Q(grader=member))
    decisions.update(reason=ERASED)
    decisions.exclude(undone_because="").update(undone_because=ERASED)
    # What others wrote about a paper of a team stays, and what of it was hidden.
    HiddenComment.objects.filter(slot__grader=member).delete()
    HiddenComment.objects.filter(slot__paper__in=papers).update(reason=ERASED)
    CommentFeedback.objects.filter(Q(member=member) | Q(slot__grader=member)).delete()
    Look.objects.filter(member=member).delete()
    Thanks.objects.filter(member=member).delete()
    _erase_from_words(member)


def _erase_from_words(member: Member) -> None:
    """Take the name of somebody off the list of words of the course."""
    about = words_of(plain(f"{member.person.name} {member.student} {member.person.email}"))
    names = {word for word in about if len(word) >= SHORTEST_NAME}
    for kept in WatchedWords.objects.filter(course=member.course_id):
        kept.words = "\n".join(line for line in kept.words.splitlines() if names.isdisjoint(words_of(plain(line))))
        kept.save(update_fields=["words"])
