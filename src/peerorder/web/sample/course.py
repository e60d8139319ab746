"""A course to look around in: 60 students, and an assignment at every stage.

Every page has something to show: comments, a report that waits for an answer, extensions, reminders, marks that are
released and marks that wait for it, and two students who have no link yet and handed in nothing.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import product

import numpy as np
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from peerorder.core.arrays import IntArray
from peerorder.core.bundles import Bundles
from peerorder.core.randomness import Generator, child
from peerorder.noise import NOISES
from peerorder.web.assignments.models import Assignment, Attachment, Stage
from peerorder.web.audit.models import Event
from peerorder.web.audit.services import record
from peerorder.web.courses.models import Course, Member, Role, Section
from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import enqueue
from peerorder.web.markdown import RULES, as_html
from peerorder.web.papers.models import Authorship, Kind, Paper, Version
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Person
from peerorder.web.ranking.handouts import hand_out
from peerorder.web.ranking.models import Ballot, Comment, Handout, Save, Slot
from peerorder.web.sample.exercises import (
    BINARY_SEARCH,
    LARGEST,
    LOOPS,
    NUMBERS,
    OPENINGS,
    SORTING_TASK,
    STRIKING,
    Exercise,
)
from peerorder.web.sample.history import extend, make_problems_and_reminders, note, record_visits
from peerorder.web.sample.texts import NAMES
from peerorder.web.stored_files import incoming, keep

NAME = "Sample course: Algorithms"
EACH = 5
NOISE = "condorcet:level=30"
ABSENT = (52, 53)
"""Who have no link yet and handed in nothing, by their place on the roster."""
SILENT = 3
"""How many did not rank, where ranking is over."""


@dataclass(frozen=True)
class Student:
    """A way in as one of the students of the sample."""

    course: str
    name: str
    link: str


def fill(seed: int = 0, now: datetime | None = None) -> Course | None:
    """Create the course, for everybody who may create courses; where it was made before, nothing: it may be deleted."""
    now = now or timezone.now()
    with transaction.atomic():
        if Event.objects.filter(verb="sample made").exists():
            return None
        course = Course.objects.create(name=NAME)
        for person in Person.objects.filter(makes_courses=True, is_active=True):
            Member.objects.create(course=course, person=person, role=Role.INSTRUCTOR)
        students = _students(course, now - timedelta(days=40))
        present = [student for index, student in enumerate(students) if index not in ABSENT]
        record_visits(present, now - timedelta(hours=6))
        for exercise, days in ((LARGEST, 24), (LOOPS, 10)):
            _make_finished_round(course, present, exercise, seed, now - timedelta(days=days))
        _make_running_round(course, present, seed, now)
        _make_open_assignment(course, students, seed, now)
        Assignment.objects.create(course=course, title="Exercise 5: Hash tables", papers_each=EACH, seed=seed)
        # It takes a while on a new installation, which nobody should wait for.
        enqueue("sample results", key="sample results", course=course.pk)
        record("sample made", None, course=course, students=len(students))
        return course


def student_access() -> Student | None:
    """Return a new way in as the last student, who begins with papers to rank; none in production.

    What is printed there ends up in the journal.
    """
    made = Event.objects.filter(verb="sample made").values("course_id")
    students = Member.objects.filter(course__in=made, student=f"s{len(NAMES):03}", removed_at=None)
    member = students.select_related("course", "person").first()
    if member is None or settings.ENVIRONMENT.production:
        return None
    return Student(member.course.name, member.person.name, make_link(member.person))


def _students(course: Course, since: datetime) -> list[Member]:
    sections = [Section.objects.create(course=course, name=name) for name in ("Monday", "Thursday")]
    members = []
    for index, name in enumerate(NAMES):
        person = Person.objects.create_user(None, name=name, email=f"student{index + 1:02}@sample.invalid")
        student = f"s{index + 1:03}"
        members.append(Member(course=course, person=person, role=Role.STUDENT, student=student, joined_at=since))
        members[-1].section = sections[index % len(sections)]
    return Member.objects.bulk_create(members)


def _answers(parts: tuple[tuple[str, ...], ...], count: int, rng: Generator) -> list[tuple[float, str]]:
    """Return different answers and how good they are: every part from good to bad, the first parts weigh most."""
    choices = list(product(*(range(len(part)) for part in parts)))
    picked = sorted(rng.choice(len(choices), count, replace=False).tolist())
    rng.shuffle(picked)
    answers = []
    for index in picked:
        levels = choices[index]
        bad = sum(weight * level for weight, level in zip((3.0, 3.1, 2.0), levels, strict=True))
        text = "\n\n".join(part[level] for part, level in zip(parts, levels, strict=True))
        answers.append((bad, text))
    return answers


def _hand_in(assignment: Assignment, author: Member, text: str, moment: datetime) -> Paper:
    paper = Paper.objects.create(assignment=assignment, created_at=moment)
    content = text.encode()
    paper.current = Version.objects.create(
        paper=paper,
        kind=Kind.TEXT,
        text=text,
        html=as_html(text),
        rules=RULES,
        digest=hashlib.sha256(content).hexdigest(),
        size=len(content),
        handed_in_by=author,
        handed_in_at=moment,
    )
    paper.save(update_fields=["current"])
    Authorship.objects.create(assignment=assignment, paper=paper, member=author)
    note("paper handed in", author, assignment, moment, paper=paper.pk, version=paper.current.pk, late=False).save()
    return paper


def _make_running_round(course: Course, students: list[Member], seed: int, now: datetime) -> None:
    """Make a round in which half have ranked, a few are in the middle of it, and the others have not begun."""
    done = len(students) // 2
    assignment, slots = _make_round(course, students, BINARY_SEARCH, seed, now, done=done, begun=len(students) // 10)
    make_problems_and_reminders(assignment, slots, students[36:40], now)
    extend(assignment, students[37], "rank_by", 3, "Ill until Monday.", now)


def _make_finished_round(course: Course, students: list[Member], exercise: Exercise, seed: int, now: datetime) -> None:
    """Make a round in which all but a few have ranked, which ended a few days ago."""
    assignment, _slots = _make_round(course, students, exercise, seed, now, done=len(students) - SILENT)
    assignment.stage, assignment.rank_ended_at = Stage.REVIEW, assignment.rank_by
    assignment.save()
    _record_transition(assignment, Stage.RANKING, Stage.REVIEW, assignment.rank_by or now)


def _make_round(
    course: Course, students: list[Member], exercise: Exercise, seed: int, now: datetime, *, done: int, begun: int = 0
) -> tuple[Assignment, list[list[Slot]]]:
    """Make an assignment in which all of these handed in, ``done`` have ranked, and ``begun`` have begun to."""
    rng = child(seed, "sample") if exercise is BINARY_SEARCH else child(seed, "sample", exercise.title)
    assignment = Assignment.objects.create(
        course=course,
        title=exercise.title,
        stage=Stage.RANKING,
        created_at=now - timedelta(days=12),
        task=exercise.task,
        instructions=exercise.instructions,
        solution=exercise.solution,
        hand_in_by=now - timedelta(days=3),
        hand_in_ended_at=now - timedelta(days=3),
        rank_by=now + timedelta(days=4),
        papers_each=EACH,
        comments=True,
        seed=seed,
    )
    answers = _answers(exercise.parts, len(students), rng)
    before = rng.integers(1, 4 * 24 * 60, len(students)).tolist()
    times = [now - timedelta(days=3, minutes=minutes) for minutes in before]
    papers = [
        _hand_in(assignment, student, text, at)
        for student, (_bad, text), at in zip(students, answers, times, strict=True)
    ]
    slots = _hand_out(assignment, students, now - timedelta(days=3))
    best_first = np.argsort([bad for bad, _text in answers])
    said = _comments(exercise, rng)
    for grader, ranked in enumerate(_orders(slots, papers, best_first, rng)[: done + begun]):
        at = now - timedelta(minutes=int(rng.integers(60, 60 * 70)))
        # What is said of a paper fits the place that it got; who has only begun has written nothing yet.
        texts = said[grader] if grader < done else ()
        comments = {slot.token: text for slot, text in zip(ranked, texts, strict=False)}
        if exercise is LOOPS and grader in STRIKING:
            comments |= {slot.token: text for slot, text in zip(ranked, STRIKING[grader], strict=False)}
        _save(assignment, students[grader], ranked, comments, at, hands_in=grader < done)
    _record_transition(assignment, Stage.DRAFT, Stage.HANDING_IN, now - timedelta(days=11))
    _record_transition(assignment, Stage.HANDING_IN, Stage.RANKING, now - timedelta(days=3))
    return assignment, slots


def _comments(exercise: Exercise, rng: Generator) -> list[tuple[str, ...]]:
    """Return what graders say, no two the same: a tuple for every grader, the best paper first."""
    by_place = []
    for place, openings in enumerate(OPENINGS):
        texts = [f"{first} {said[place]}" for first in openings for said in exercise.comments]
        rng.shuffle(texts)
        by_place.append(texts)
    return list(zip(*by_place, strict=True))


def _record_transition(assignment: Assignment, was: Stage, to: Stage, moment: datetime) -> None:
    """Record a transition as the audit log would have it."""
    note("moved", None, assignment, moment, was=was.value, to=to.value).save()


def _hand_out(assignment: Assignment, students: list[Member], moment: datetime) -> list[list[Slot]]:
    """Return the slots of every student, allocated as a real hand-out would, but here and now."""
    about = {"why": Handout.Why.FIRST.value}
    job = Job.objects.create(kind="hand-out", assignment_id=assignment.pk, about=about, state=Job.State.RUNNING)
    job.message, job.state, job.finished_at = hand_out(job, Progress(job)), Job.State.DONE, moment
    job.save(update_fields=["message", "state", "finished_at"])
    Handout.objects.filter(assignment=assignment).update(begun_at=moment, ready_at=moment)
    rows: dict[int, list[Slot]] = {student.pk: [] for student in students}
    for slot in Slot.objects.filter(assignment=assignment).order_by("position"):
        rows[slot.grader_id].append(slot)
    return list(rows.values())


def _orders(slots: list[list[Slot]], papers: list[Paper], best_first: IntArray, rng: Generator) -> list[list[Slot]]:
    """Return what graders of the noise model make of their papers, the best one first."""
    number = {paper.pk: index for index, paper in enumerate(papers)}
    held = [[number[slot.paper_id] for slot in row] for row in slots]
    truth = np.empty(len(papers), np.int64)
    truth[best_first] = np.arange(len(papers))
    profile = NOISES.parse(NOISE).draw(
        Bundles(np.concatenate(held), np.arange(len(held) + 1) * EACH, len(papers)), truth, rng,
        bundle_of=np.arange(len(held)), authored=np.arange(len(papers)),
    )  # fmt: skip
    by_paper = [{number[slot.paper_id]: slot for slot in row} for row in slots]
    return [[by_paper[grader][paper] for paper in profile[grader].tolist()] for grader in range(len(slots))]


def _save(
    assignment: Assignment,
    grader: Member,
    ranked: list[Slot],
    comments: dict[str, str],
    at: datetime,
    *,
    hands_in: bool,
) -> None:
    """Save a ballot as the page for ranking does; somebody in the middle has placed the best ones."""
    content = _content(ranked if hands_in else ranked[:2], comments)
    ballot = Ballot.objects.create(
        assignment=assignment,
        grader=grader,
        revision=1,
        content=content,
        started_at=at - timedelta(minutes=40),
        updated_at=at,
    )
    ballot.comment_keys = {token: secrets.token_hex(16) for token in comments}
    kept = ballot.digested(content)
    Comment.objects.bulk_create(
        Comment(digest=kept["comments"][token], ballot=ballot, token=token, text=text)
        for token, text in comments.items()
    )
    save = Save.objects.create(ballot=ballot, at=at, revision=1, content=kept, hands_in=hands_in)
    ballot.submission = save if hands_in else None
    ballot.save(update_fields=["comment_keys", "submission"])


def _content(ranked: list[Slot], comments: dict[str, str]) -> dict[str, object]:
    """Return what a ballot says."""
    return {"orders": {"0": [[slot.token] for slot in ranked]}, "unjudged": [], "comments": comments}


def _attach_example(assignment: Assignment, moment: datetime) -> None:
    """Attach numbers to sort to a task."""
    with incoming() as folder:
        path = folder / "numbers.csv"
        path.write_text(NUMBERS)
        Attachment.objects.create(
            assignment=assignment,
            audience=Attachment.Audience.TASK,
            file=keep(path),
            name=path.name,
            size=len(NUMBERS),
            added_at=moment,
        )


def _make_open_assignment(course: Course, students: list[Member], seed: int, now: datetime) -> None:
    """Make an assignment in which some have handed in, and others have time."""
    assignment = Assignment.objects.create(
        course=course,
        title="Exercise 4: Sorting",
        stage=Stage.HANDING_IN,
        created_at=now - timedelta(days=4),
        task=SORTING_TASK,
        hand_in_by=now + timedelta(days=5),
        rank_by=now + timedelta(days=12),
        papers_each=EACH,
        seed=seed,
    )
    _attach_example(assignment, now - timedelta(days=4))
    _record_transition(assignment, Stage.DRAFT, Stage.HANDING_IN, now - timedelta(days=4))
    words = "Merge sort sorts each half the same way and merges them: it takes the smaller of the two first numbers."
    more = " Merging n numbers needs at most n - 1 comparisons, and there are log₂ n levels of halves."
    extend(assignment, students[-3], "hand_in_by", 2, "Travels with the choir.", now)
    for index, student in enumerate(students[: len(students) // 3]):
        text = words + (more if index % 2 else "")
        _hand_in(assignment, student, text, now - timedelta(hours=2 * index + 1))
