"""Rounds of any size, made inside of the app's own process: ``app.ask("from tests.web.whole.scene import ...")``."""

import hashlib
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.jobs.models import Job
from peerorder.web.papers.models import Authorship, Kind, Paper, Version
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Person
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Ballot, Handout, Save, Slot
from tests.web.factories import run_job


def make_class(many: int) -> Course:
    course = Course.objects.create(name=f"A class of {many}")
    people = Person.objects.bulk_create([Person(name=f"Student {at}", password="!") for at in range(many)])
    Member.objects.bulk_create(
        [
            Member(course=course, person=person, role=Role.STUDENT, student=f"{at:05}")
            for at, person in enumerate(people)
        ]
    )
    return course


@transaction.atomic
def make_round(course: Course, each: int) -> int:
    """Everybody has handed in, and the papers may be handed out; always with the same seed."""
    assignment = Assignment.objects.create(
        course=course,
        title="Essay",
        stage=Stage.RANKING,
        papers_each=each,
        hand_in_by=timezone.now(),
        rank_by=timezone.now() + timedelta(days=8),
        seed=7,
    )
    members = list(course.members.order_by("pk"))
    papers = Paper.objects.bulk_create([Paper(assignment=assignment) for _ in members])
    texts = [f"The text number {at}." for at in range(len(members))]
    versions = Version.objects.bulk_create(
        [
            Version(
                paper=paper,
                kind=Kind.TEXT,
                text=text,
                digest=hashlib.sha256(text.encode()).hexdigest(),
                size=len(text),
                handed_in_by=member,
            )
            for paper, text, member in zip(papers, texts, members, strict=True)
        ]
    )
    for paper, version in zip(papers, versions, strict=True):
        paper.current = version
    Paper.objects.bulk_update(papers, ["current"], batch_size=500)
    Authorship.objects.bulk_create(
        [
            Authorship(assignment=assignment, paper=paper, member=member)
            for paper, member in zip(papers, members, strict=True)
        ]
    )
    return assignment.pk


def ask_for_papers(number: int) -> None:
    """For a worker to hand out."""
    handouts.enqueue_first_handout(Assignment.objects.get(pk=number))


def small_round(many: int, each: int) -> dict:
    """Handed out already; with the links of all its students and the tokens of their papers."""
    course = make_class(many)
    number = make_round(course, each)
    run_job(handouts.enqueue_first_handout(Assignment.objects.get(pk=number)).pk)
    graders = []
    for member in course.members.order_by("pk"):
        tokens = list(Slot.objects.filter(grader=member).values_list("token", flat=True))
        graders.append({"member": member.pk, "link": make_link(member.person), "tokens": tokens})
    return {"assignment": number, "graders": graders}


def ballots(number: int) -> dict:
    """By member: what counts now, and every save that led there."""
    found = {}
    for ballot in Ballot.objects.filter(assignment=number):
        saves = Save.objects.filter(ballot=ballot).order_by("pk")
        found[ballot.grader_id] = {
            "revision": ballot.revision,
            "content": ballot.content,
            "saves": list(saves.values_list("revision", "client_number", "content")),
        }
    return found


def handed_out(number: int) -> dict:
    """What people see of a hand-out: who has whose paper at which place; and what is left of tries."""
    author = dict(Authorship.objects.filter(assignment=number).values_list("paper", "member"))
    slots = Slot.objects.filter(assignment=number).order_by("grader", "position")
    return {
        "rows": [
            (grader, author[paper], position, part)
            for grader, paper, position, part in slots.values_list("grader", "paper", "position", "part")
        ],
        "written": Slot.written.filter(assignment=number).count(),
        "handouts": Handout.objects.filter(assignment=number).count(),
        "jobs": list(Job.objects.filter(assignment_id=number, kind="hand-out").values_list("state", "tries")),
    }


def page_of(number: int) -> str:
    """What the first student sees of the papers to rank."""
    from django.test import Client

    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(Assignment.objects.get(pk=number).course.members.order_by("pk")[0].person)
    return client.get(f"/assignments/{number}/ranking/").content.decode()
