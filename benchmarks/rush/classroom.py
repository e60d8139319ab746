"""Makes the class of the rush inside the app, and afterwards says what the app has of it. Prints one line of JSON.

python -m benchmarks.rush.classroom make STUDENTS PAPERS_EACH
python -m benchmarks.rush.classroom look ASSIGNMENT
"""

import json
import os
import sys
from datetime import timedelta
from typing import Any

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.db import transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from peerorder import SCHEMES, child  # noqa: E402
from peerorder.web.assignments.models import Assignment, Stage  # noqa: E402
from peerorder.web.courses.models import Course, Member, Role  # noqa: E402
from peerorder.web.papers.models import Authorship, Kind, Paper, Version  # noqa: E402
from peerorder.web.people.models import Person  # noqa: E402
from peerorder.web.people.sessions import SessionStore  # noqa: E402
from peerorder.web.ranking.models import Ballot, Handout, Save, Slot  # noqa: E402


def make(students: int, k: int) -> dict[str, Any]:
    """A course in the middle of ranking, and a session for every student."""
    # The worker runs already, and must not see half a class.
    with transaction.atomic():
        handout, members, slots = make_class(students, k)
        tokens: dict[int, list[str]] = {}
        for slot in slots:
            tokens.setdefault(slot.grader_id, []).append(slot.token)
        return {
            "assignment": handout.assignment_id,
            "handout": handout.pk,
            "cookie": settings.SESSION_COOKIE_NAME,
            "students": [
                {"member": member.pk, "session": session_of(member.person), "tokens": tokens[member.pk]}
                for member in members
            ],
        }


def make_class(students: int, k: int) -> tuple[Handout, list[Member], list[Slot]]:
    """A course in the middle of ranking: its hand-out, its students, and what each of them has to rank."""
    course = Course.objects.create(name="Rush")
    assignment = Assignment.objects.create(
        course=course,
        title="Rush",
        stage=Stage.RANKING,
        papers_each=k,
        rank_by=timezone.now() + timedelta(hours=1),
        # Reminders go out a day before a rush.
        remind_hours=0,
    )
    people = Person.objects.bulk_create([Person(name=f"Student {at}", password="!") for at in range(students)])
    members = Member.objects.bulk_create(
        [Member(course=course, person=person, role=Role.STUDENT, student=f"s{person.pk}") for person in people]
    )
    papers = Paper.objects.bulk_create([Paper(assignment=assignment) for _ in members])
    Authorship.objects.bulk_create(
        [Authorship(assignment=assignment, paper=paper, member=m) for paper, m in zip(papers, members, strict=True)]
    )
    versions = Version.objects.bulk_create(
        [
            Version(paper=paper, kind=Kind.TEXT, text="A paper.", digest="0" * 64, size=8, handed_in_by=member)
            for paper, member in zip(papers, members, strict=True)
        ]
    )
    for paper, version in zip(papers, versions, strict=True):
        paper.current = version
    Paper.objects.bulk_update(papers, ["current"], batch_size=1000)
    handout = Handout.objects.create(assignment=assignment, why=Handout.Why.FIRST, ready_at=timezone.now())
    bundles = SCHEMES["random"].build(students, k, child(0, "rush"))
    # Student i ranks the papers of bundle i, moved on by one from those that hold her own.
    slots = []
    for at, member in enumerate(members):
        wanted = bundles.papers[bundles.start[at] : bundles.start[at + 1]]
        free = (at + 1 + np.arange(k)) % students if at in wanted else wanted
        slots += [
            Slot(assignment=assignment, handout=handout, grader=member, paper=papers[paper], position=position)
            for position, paper in enumerate(free)
        ]
    Slot.written.bulk_create(slots, batch_size=5000)
    return handout, members, slots


def session_of(person: Person) -> str:
    """Log somebody in; return the key of the session."""
    session = SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.save()
    return str(session.session_key)


def look(assignment: int) -> dict[str, Any]:
    """What everybody handed in, and how many saves there are."""
    ballots = Ballot.objects.filter(assignment=assignment).select_related("submission")
    return {
        "saves": Save.objects.filter(ballot__assignment=assignment).count(),
        "handed_in": {str(ballot.grader_id): ballot.submitted for ballot in ballots},
    }


if __name__ == "__main__":
    command, *numbers = sys.argv[1:]
    print(json.dumps({"make": make, "look": look}[command](*map(int, numbers))))
