"""Comments for staff, with what speaks against showing them to authors."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.db.models import Count, Max, TextChoices
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.courses.search import plain
from peerorder.web.papers.identity import PARTICLES
from peerorder.web.ranking.models import Ballot, Comment, Problem, Slot
from peerorder.web.results.comments import with_texts
from peerorder.web.results.models import CommentFeedback, HiddenComment, WatchedWords

# Comments are read once in a process, for so many assignments, as long as nothing changes.
CACHED = 4
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
    SEVERAL = "several", _("Several such by one person")
    REPORTED = "reported", _("Reported by authors")
    HIDDEN = "hidden", _("Hidden")


@dataclass
class StaffComment:
    """A comment as staff see it; those of a page are ``filled_in``, because a class may have tens of thousands."""

    slot: int
    paper: int
    grader: int
    digest: str
    filters: set[str] = field(default_factory=set)
    first: bool = False
    """Whether its paper was reported as plagiarised, identifying or unsafe."""
    text: str = ""
    words: list[str] = field(default_factory=list)
    """The names and words that were found in it."""


def all_comments(assignment: Assignment) -> list[StaffComment]:
    """Return all comments that were handed in, without their texts; those on papers that were reported come first."""
    read = _read(assignment.pk, _stamp(assignment))
    found = [StaffComment(slot, paper, grader, digest, set(filters)) for slot, paper, grader, digest, filters in read]
    reports = CommentFeedback.objects.filter(slot__assignment=assignment, kind=CommentFeedback.Kind.REPORT)
    hidden = HiddenComment.objects.filter(slot__assignment=assignment)
    for name, rows in ((Filter.REPORTED, reports), (Filter.HIDDEN, hidden)):
        slots = set(rows.values_list("slot", flat=True))
        for comment in found:
            if comment.slot in slots:
                comment.filters.add(name.value)
    striking = [comment for comment in found if comment.filters - {Filter.HIDDEN.value}]
    times = Counter(comment.grader for comment in striking)
    for comment in striking:
        if times[comment.grader] >= SEVERAL:
            comment.filters.add(Filter.SEVERAL.value)
    problems = Problem.objects.filter(slot__assignment=assignment, kind__in=FIRST)
    first = set(problems.values_list("slot__paper", flat=True))
    for comment in found:
        comment.first = comment.paper in first
    return sorted(found, key=lambda comment: (not comment.first, comment.paper, comment.slot))


def comment_counts(comments: Iterable[StaffComment]) -> Counter[str]:
    """Return how many comments every filter finds."""
    return Counter(name for comment in comments for name in comment.filters)


def filled_in(assignment: Assignment, comments: Iterable[StaffComment]) -> list[StaffComment]:
    """Return comments with their texts, and with the names and words that were found in them."""
    shown, words = list(comments), Wanted(known_names(assignment), watched_words(assignment))
    texts = with_texts((each.slot, each.digest) for each in shown)
    for each in shown:
        each.text = texts.get(each.slot, "")
        each.words = sorted({*words.names_in(plain(each.text)), *words.watched_in(plain(each.text))})
    return shown


class Wanted:
    """Names and words to look for in texts that are plain already."""

    def __init__(self, names: frozenset[str], watched: frozenset[str]) -> None:
        self.names = names
        self.single = {word for word in watched if re.fullmatch(r"\w+", word)}
        either = "|".join(map(re.escape, sorted(watched - self.single, key=len, reverse=True)))
        self.phrases = re.compile(rf"(?<!\w)(?:{either})(?!\w)") if either else None

    def names_in(self, text: str) -> set[str]:
        """Return the names of people in a text."""
        return words_in(text) & self.names

    def watched_in(self, text: str) -> set[str]:
        """Return what of the list of words is in a text, as whole words."""
        return words_in(text) & self.single | set(self.phrases.findall(text) if self.phrases is not None else ())


def _stamp(assignment: Assignment) -> tuple[object, ...]:
    """Return what changes whenever comments do, or what is looked for in them."""
    ballots = Ballot.objects.filter(assignment=assignment, submission__isnull=False)
    submitted = ballots.aggregate(last=Max("submission"), count=Count("pk"))
    # Digests are random, so these are the same in no other database.
    kept = Comment.objects.filter(ballot__assignment=assignment).aggregate(count=Count("pk"), last=Max("pk"))
    return (*submitted.values(), *kept.values(), known_names(assignment), watched_words(assignment))


@lru_cache(CACHED)
def _read(assignment: int, stamp: tuple[Any, ...]) -> list[tuple[int, int, int, str, frozenset[str]]]:
    """Return slot, paper, grader and digest of every comment, and what its text says about it; no text, and no name."""
    slots = Slot.objects.filter(assignment=assignment).order_by().values_list("token", "pk", "paper", "grader")
    behind = {token: about for token, *about in slots}
    ballots = Ballot.objects.filter(assignment=assignment, submission__isnull=False)
    digests: dict[int, str] = {}
    for content in ballots.values_list("submission__content", flat=True).iterator():
        digests |= {behind[token][0]: digest for token, digest in content.get("comments", {}).items()}
    texts = {slot: plain(text) for slot, text in with_texts(digests.items()).items()}
    times, wanted = Counter(texts.values()), Wanted(*stamp[-2:])
    found = []
    for slot, paper, grader in behind.values():
        if slot in texts:
            text = texts[slot]
            reasons = {
                Filter.NAMES: wanted.names_in(text),
                Filter.WORDS: wanted.watched_in(text),
                Filter.SHORT: len(text) < SHORT,
                Filter.IDENTICAL: times[text] > 1,
            }
            filters = frozenset(name.value for name, holds in reasons.items() if holds)
            found.append((slot, paper, grader, digests[slot], filters))
    return found


def known_names(assignment: Assignment) -> frozenset[str]:
    """Return the names of people in the course, word by word, without those that are words of the course itself."""
    people = Member.objects.filter(course=assignment.course_id).values_list("person__name", flat=True)
    names = words_in(plain(" ".join(people)))
    own = (assignment.course.name, assignment.title, assignment.task, assignment.instructions, assignment.solution)
    long = {name for name in names if len(name) >= SHORTEST_NAME}
    return frozenset(long - words_in(plain(" ".join(own))) - PARTICLES)


def watched_words(assignment: Assignment) -> frozenset[str]:
    """Return the words and phrases that the instructors of the course supplied."""
    kept = WatchedWords.objects.filter(course=assignment.course_id).first()
    return frozenset(filter(None, map(plain, kept.words.splitlines()))) if kept is not None else frozenset()


def words_in(text: str) -> set[str]:
    """Return the words of a text that is plain already."""
    return set(re.findall(r"\w+", text))
