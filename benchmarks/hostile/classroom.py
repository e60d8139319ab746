"""Makes the class inside the app, and afterwards says what the app has of it. Prints one line of JSON.

python -m benchmarks.hostile.classroom make STUDENTS PAPERS_EACH
python -m benchmarks.hostile.classroom look ASSIGNMENT
"""

import json
import sys
from datetime import timedelta
from typing import Any

# It sets up the app, and so comes before its models.
from benchmarks.rush import classroom

from django.db import connection  # isort: skip
from django.utils import timezone  # isort: skip

from peerorder.web.assignments.models import Assignment, Stage  # isort: skip
from peerorder.web.courses.models import Member, Role  # isort: skip
from peerorder.web.jobs.models import Job  # isort: skip
from peerorder.web.papers.models import Authorship, Kind, Paper, Version  # isort: skip
from peerorder.web.people.models import Person  # isort: skip
from peerorder.web.ranking.models import Slot  # isort: skip


def make(students: int, k: int) -> dict[str, Any]:
    """Three assignments: one is ranked, one takes papers, one has all its papers and can be handed out."""
    made = classroom.make(students, k)
    ranked = Assignment.objects.get(pk=made["assignment"])
    course = ranked.course
    for member in course.members.select_related("person"):
        member.person.email = f"{member.student}@example.edu"
        member.person.save(update_fields=["email"])
    instructor = Person.objects.create(name="Instructor", email="instructor@example.edu", makes_courses=True)
    Member.objects.create(course=course, person=instructor, role=Role.INSTRUCTOR)
    later = {"hand_in_by": timezone.now() + timedelta(days=1), "rank_by": timezone.now() + timedelta(days=8)}
    about = {"course": course, "stage": Stage.HANDING_IN, "papers_each": k, "remind_hours": 0, **later}
    taking = Assignment.objects.create(title="Taking papers", takes_pdf=True, takes_images=True, **about)
    waiting = Assignment.objects.create(title="Waiting for the hand-out", **about)
    for member in course.members.filter(role=Role.STUDENT):
        paper = Paper.objects.create(assignment=waiting)
        Authorship.objects.create(assignment=waiting, paper=paper, member=member)
        fields = {"kind": Kind.TEXT, "text": "A paper.", "digest": "0" * 64, "size": 8}
        paper.current = Version.objects.create(paper=paper, handed_in_by=member, **fields)
        paper.save(update_fields=["current"])
    return made | {
        "taking": taking.pk,
        "waiting": waiting.pk,
        "instructor": classroom.session_of(instructor),
    }


def look(assignment: int) -> dict[str, Any]:
    """What became of the hand-out and its e-mails, and how large the database is."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (size,) = cursor.fetchone()
    return {
        "slots": Slot.objects.filter(assignment=assignment).count(),
        "waiting": Job.objects.filter(kind="pages", state=Job.State.WAITING).count(),
        "database": size,
    }


if __name__ == "__main__":
    command, *numbers = sys.argv[1:]
    print(json.dumps({"make": make, "look": look}[command](*map(int, numbers))))
