"""Comments for staff, with what speaks against showing them to authors."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import compress
from typing import Any, NamedTuple

from django.db.models import Count, Max, TextChoices
from django.utils.translation import gettext_lazy as _

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.courses.search import plain
from peerorder.web.papers.identity import PARTICLES
from peerorder.web.ranking.models import Ballot, Comment, Problem, Slot
from peerorder.web.results.comments import comment_digests, texts_of
from peerorder.web.results.models import CommentFeedback, HiddenComment, WatchedWords

# Comments are read once in a process, for this many assignments, as long as nothing changes.
CACHED = 4
WORD = re.compile(r"\w+")
APART = {code: " " for code in range(128) if not WORD.match(chr(code))}
SHORT = 15
"""Fewer characters are very short."""
SHORTEST_NAME = 3
SEVERAL = 3
"""From this many comments of one person that another filter finds, they are several."""
FIRST = (Problem.Kind.PLAGIARISM, Problem.Kind.IDENTITY, Problem.Kind.UNSAFE)
"""Papers that were reported as such come first."""


class Filter(TextChoices):
    """Why staff may want to look at a comment."""

    NAMES = "names", _("Names of people")
    WORDS = "words", _("Words from your list")
    SHORT = "short", _("Very short")
    IDENTICAL = "identical", _("Identical texts")
    SEVERAL = "several", _("Several flagged comments by one grader")
    REPORTED = "reported", _("Reported by authors")
    HIDDEN = "hidden", _("Hidden")


TEXT_FILTERS = tuple(name.value for name in (Filter.NAMES, Filter.WORDS, Filter.SHORT, Filter.IDENTICAL))
"""Those that look at the text alone."""
NONE: frozenset[str] = frozenset()


class StaffComment(NamedTuple):
    """A comment as staff see it; ``fill_in`` reads the texts of a page: a class may have tens of thousands."""

    slot: int
    paper: int
    grader: int
    digest: str
    filters: frozenset[str]
    first: bool = False
    """Whether its paper was reported as plagiarised, identifying or unsafe."""
    text: str = ""
    words: tuple[str, ...] = ()
    """The names and words that were found in it."""


def all_comments(assignment: Assignment) -> list[StaffComment]:
    """Return all comments that were handed in, without their texts; those on papers that were reported come first."""
    read = _read(assignment.pk, _stamp(assignment))
    reports = CommentFeedback.objects.filter(slot__assignment=assignment, kind=CommentFeedback.Kind.REPORT)
    reported = set(reports.values_list("slot", flat=True))
    hidden = set(HiddenComment.objects.filter(slot__assignment=assignment).values_list("slot", flat=True))
    problems = Problem.objects.filter(slot__assignment=assignment, kind__in=FIRST)
    first = set(problems.values_list("slot__paper", flat=True))
    times = Counter(each.grader for each in read if each.filters or each.slot in reported)

    def looked_at(comment: StaffComment) -> StaffComment:
        slot, striking = comment.slot, bool(comment.filters) or comment.slot in reported
        # Few comments are anything of this.
        if not striking and slot not in hidden and comment.paper not in first:
            return comment
        holds = (slot in reported, slot in hidden, striking and times[comment.grader] >= SEVERAL)
        filters = comment.filters.union(compress((Filter.REPORTED, Filter.HIDDEN, Filter.SEVERAL), holds))
        return comment._replace(filters=filters, first=comment.paper in first)

    return sorted(map(looked_at, read), key=lambda comment: not comment.first)


def comment_counts(comments: Iterable[StaffComment]) -> Counter[str]:
    """Return how many comments every filter finds."""
    return Counter(name for comment in comments for name in comment.filters)


def fill_in(assignment: Assignment, comments: Iterable[StaffComment]) -> list[StaffComment]:
    """Return comments with their texts, and with the names and words that were found in them."""
    shown, words = list(comments), SearchTerms(known_names(assignment), watched_words(assignment))
    texts = texts_of((each.slot, each.digest) for each in shown)
    return [
        each._replace(text=text, words=tuple(sorted(set().union(*words.find_in(plain(text))))))
        for each, text in ((each, texts.get(each.slot, "")) for each in shown)
    ]


class SearchTerms:
    """Names and words to look for in texts that are plain already."""

    def __init__(self, names: frozenset[str], watched: frozenset[str]) -> None:
        self.names = names
        self.single = frozenset(filter(WORD.fullmatch, watched))
        self.either = self.names | self.single
        phrases = "|".join(map(re.escape, sorted(watched - self.single, key=len, reverse=True)))
        self.phrases = re.compile(rf"(?<!\w)(?:{phrases})(?!\w)") if phrases else None

    def find_in(self, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the names of people in a text, and what of the list of words is in it, as whole words."""
        words = words_of(text)
        phrases = frozenset(self.phrases.findall(text) if self.phrases is not None else ())
        # So most texts are done with.
        if self.either.isdisjoint(words):
            return NONE, phrases
        return self.names.intersection(words), self.single.intersection(words) | phrases


def _stamp(assignment: Assignment) -> tuple[object, ...]:
    """Return what changes whenever comments do, or what is looked for in them."""
    ballots = Ballot.objects.filter(assignment=assignment, submission__isnull=False)
    submitted = ballots.aggregate(last=Max("submission"), count=Count("pk"))
    # Digests are random, so these are the same in no other database.
    kept = Comment.objects.filter(ballot__assignment=assignment).aggregate(count=Count("pk"), last=Max("pk"))
    return (*submitted.values(), *kept.values(), known_names(assignment), watched_words(assignment))


@lru_cache(CACHED)
def _read(assignment: int, stamp: tuple[Any, ...]) -> list[StaffComment]:
    """Return every comment with what its text says about it, in the order of papers; no text, and no name."""
    digests = comment_digests(Ballot.objects.filter(assignment=assignment))
    handed_in = set(digests.values())
    # Reading through all is quicker than asking for many.
    kept = Comment.objects.filter(ballot__assignment=assignment).values_list("digest", "text").iterator()
    texts = {digest: plain(text) for digest, text in kept if digest in handed_in}
    times, wanted = Counter(texts.values()), SearchTerms(*stamp[-2:])
    slots = Slot.objects.filter(assignment=assignment).order_by("paper", "pk")
    result = []
    for token, slot, paper, grader in slots.values_list("token", "pk", "paper", "grader").iterator():
        digest = digests.get(token, "")
        if text := texts.get(digest):
            names, words = wanted.find_in(text)
            holds = (names, words, len(text) < SHORT, times[text] > 1)
            filters = frozenset(compress(TEXT_FILTERS, holds)) if any(holds) else NONE
            result.append(StaffComment(slot, paper, grader, digest, filters))
    return result


def known_names(assignment: Assignment) -> frozenset[str]:
    """Return the names of people in the course, word by word, without those that are words of the course itself."""
    people = Member.objects.filter(course=assignment.course_id).values_list("person__name", flat=True)
    names = {*words_of(plain(" ".join(people)))}
    own = (assignment.course.name, assignment.title, assignment.task, assignment.instructions, assignment.solution)
    long = {name for name in names if len(name) >= SHORTEST_NAME}
    return frozenset(long.difference(words_of(plain(" ".join(own))), PARTICLES))


def watched_words(assignment: Assignment) -> frozenset[str]:
    """Return the words and phrases that the instructors of the course supplied."""
    kept = WatchedWords.objects.filter(course=assignment.course_id).first()
    return frozenset(filter(None, map(plain, kept.words.splitlines()))) if kept is not None else frozenset()


def words_of(text: str) -> list[str]:
    """Return the words of a text that is plain already, one by one."""
    # Twice as quick, where it finds the same.
    return text.translate(APART).split() if text.isascii() else WORD.findall(text)
