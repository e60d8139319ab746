"""Comments for staff, with what speaks against showing them to authors."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.courses.search import plain
from peerorder.web.papers.identity import PARTICLES
from peerorder.web.ranking.models import Ballot, Problem, Slot
from peerorder.web.results.comments import comment_key, with_texts
from peerorder.web.results.models import CommentFeedback, HiddenComment, WatchedWords

SHORT = 15
"""Fewer characters are very short."""
SHORTEST_NAME = 3
SEVERAL = 3
"""So many comments of one person that another filter finds are several."""
FIRST = (Problem.Kind.PLAGIARISM, Problem.Kind.IDENTITY, Problem.Kind.UNSAFE)
"""Papers that were reported as such come first."""


class Filter(TextChoices):
    """Why staff may want to look at a comment."""

    NAMES = "names", _("Names of people")
    WORDS = "words", _("Words from your list")
    SHORT = "short", _("Very short")
    IDENTICAL = "identical", _("Identical texts")
    SEVERAL = "several", _("Several by one person")
    REPORTED = "reported", _("Reported by authors")
    HIDDEN = "hidden", _("Hidden")


@dataclass
class StaffComment:
    """A comment as staff see it."""

    slot: int
    paper: int
    grader: int
    text: str
    filters: set[str] = field(default_factory=set)
    words: list[str] = field(default_factory=list)
    """The names and words that were found in it."""
    first: bool = False
    """Whether its paper was reported as plagiarised, identifying or unsafe."""


def all_comments(assignment: Assignment) -> list[StaffComment]:
    """Return all comments that were handed in: papers that were reported first, otherwise in no order that tells."""
    found = _handed_in(assignment)
    names, watched = known_names(assignment), _watched_pattern(assignment)
    reports = CommentFeedback.objects.filter(slot__assignment=assignment, kind=CommentFeedback.Kind.REPORT)
    reported = set(reports.values_list("slot", flat=True))
    hidden = set(HiddenComment.objects.filter(slot__assignment=assignment).values_list("slot", flat=True))
    problems = Problem.objects.filter(slot__assignment=assignment, kind__in=FIRST)
    first = set(problems.values_list("slot__paper", flat=True))
    bare = {comment.slot: plain(comment.text) for comment in found}
    times = Counter(bare.values())
    for comment in found:
        text = bare[comment.slot]
        named = words_in(text) & names
        watchwords = set(watched.findall(text)) if watched is not None else set()
        comment.words = sorted(named | watchwords)
        comment.first = comment.paper in first
        reasons = {
            Filter.NAMES: named,
            Filter.WORDS: watchwords,
            Filter.SHORT: len(comment.text.strip()) < SHORT,
            Filter.IDENTICAL: times[text] > 1,
            Filter.REPORTED: comment.slot in reported,
            Filter.HIDDEN: comment.slot in hidden,
        }
        comment.filters = {name.value for name, holds in reasons.items() if holds}
    striking = Counter(comment.grader for comment in found if comment.filters - {Filter.HIDDEN.value})
    for comment in found:
        if striking[comment.grader] >= SEVERAL and comment.filters - {Filter.HIDDEN.value}:
            comment.filters.add(Filter.SEVERAL.value)
    return sorted(found, key=lambda comment: (not comment.first, comment.paper, comment_key(comment.slot)))


def comment_counts(comments: Iterable[StaffComment]) -> Counter[str]:
    """Return how many comments every filter finds."""
    return Counter(name for comment in comments for name in comment.filters)


def _handed_in(assignment: Assignment) -> list[StaffComment]:
    slots = Slot.objects.filter(assignment=assignment).order_by().values_list("token", "pk", "paper", "grader")
    behind = {token: about for token, *about in slots}
    ballots = Ballot.objects.filter(assignment=assignment, submission__isnull=False)
    digests: dict[int, str] = {}
    for content in ballots.values_list("submission__content", flat=True).iterator():
        digests |= {behind[token][0]: digest for token, digest in content.get("comments", {}).items()}
    texts = with_texts(digests.items())
    return [StaffComment(slot, paper, grader, texts[slot]) for slot, paper, grader in behind.values() if slot in texts]


def known_names(assignment: Assignment) -> set[str]:
    """Return the names of people in the course, word by word, without those that are words of the course itself."""
    people = Member.objects.filter(course=assignment.course_id).values_list("person__name", flat=True)
    names = words_in(plain(" ".join(people)))
    own = (assignment.course.name, assignment.title, assignment.task, assignment.instructions, assignment.solution)
    return {name for name in names if len(name) >= SHORTEST_NAME} - words_in(plain(" ".join(own))) - PARTICLES


def words_in(text: str) -> set[str]:
    """Return the words of a text that is plain already."""
    return set(re.findall(r"\w+", text))


def _watched_pattern(assignment: Assignment) -> re.Pattern[str] | None:
    kept = WatchedWords.objects.filter(course=assignment.course_id).first()
    words = [plain(line) for line in kept.words.splitlines()] if kept is not None else []
    return _whole_words(filter(None, words))


def _whole_words(words: Iterable[str]) -> re.Pattern[str] | None:
    either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)") if either else None
