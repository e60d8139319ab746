"""Makes a class whose ranking is over inside the app; times its result and the pages of it. Prints one line of JSON.

python -m benchmarks.results.classroom make STUDENTS PAPERS_EACH
python -m benchmarks.results.classroom compute ASSIGNMENT
python -m benchmarks.results.classroom export ASSIGNMENT FILE
python -m benchmarks.results.classroom look ASSIGNMENT TIMES
"""

import json
import os
import shutil
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path
from time import process_time
from typing import Any

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerorder.web.settings")
django.setup()

from django.conf import settings  # noqa: E402
from django.db import transaction  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmarks.rush.classroom import make_class, session_of  # noqa: E402
from peerorder import child  # noqa: E402
from peerorder.web.assignments.models import Assignment, Stage  # noqa: E402
from peerorder.web.courses.models import Member, Role  # noqa: E402
from peerorder.web.jobs.services import claim, run  # noqa: E402
from peerorder.web.lifecycle.export import export_of  # noqa: E402
from peerorder.web.people.models import Person  # noqa: E402
from peerorder.web.ranking.models import Ballot, Save  # noqa: E402
from peerorder.web.results.models import Result, ResultData  # noqa: E402
from peerorder.web.results.services import request_result  # noqa: E402

# How far graders err: a paper is seen with noise of this spread, among qualities with spread 1.
NOISE = 0.5
BATCH = 1000


@transaction.atomic
def make(students: int, k: int) -> int:
    """A class at review, in which everybody has ranked."""
    handout, members, slots = make_class(students, k)
    rng = child(0, "results")
    papers = sorted({slot.paper_id for slot in slots})
    quality = dict(zip(papers, rng.normal(size=len(papers)).tolist(), strict=True))
    seen = np.array([quality[slot.paper_id] for slot in slots]) + NOISE * rng.normal(size=len(slots))
    orders: dict[int, list[tuple[float, str]]] = {}
    for slot, value in zip(slots, seen.tolist(), strict=True):
        orders.setdefault(slot.grader_id, []).append((-value, slot.token))
    contents = [
        {"orders": {"0": [[token] for _, token in sorted(orders[member.pk])]}, "unjudged": [], "comments": {}}
        for member in members
    ]
    ballots = Ballot.objects.bulk_create(
        [Ballot(assignment_id=handout.assignment_id, grader=member, revision=1) for member in members], BATCH
    )
    saves = Save.objects.bulk_create(
        [
            Save(ballot=ballot, revision=1, content=content, hands_in=True)
            for ballot, content in zip(ballots, contents, strict=True)
        ],
        BATCH,
    )
    for ballot, save in zip(ballots, saves, strict=True):
        ballot.submission = save
    Ballot.objects.bulk_update(ballots, ["submission"], BATCH)
    person = Person.objects.create(name="Ida", password="!")
    Member.objects.create(course=members[0].course, person=person, role=Role.INSTRUCTOR)
    now = timezone.now()
    Assignment.objects.filter(pk=handout.assignment_id).update(stage=Stage.REVIEW, rank_by=now, rank_ended_at=now)
    return handout.assignment_id


def compute(assignment: int) -> int:
    """Compute a result by the default rule, as the worker does; return how many bytes are kept of it."""
    result = request_result(Assignment.objects.get(pk=assignment), None)
    job = claim("benchmark")
    if job is None:
        raise RuntimeError("no job is due")
    run(job)
    result.refresh_from_db()
    if not result.is_ready:
        raise RuntimeError(result.problem)
    return sum(len(each.content) for each in ResultData.objects.filter(result=result))


def export(assignment: int, file: str) -> None:
    """Write the export into a file."""
    with Path(file).open("wb") as out:
        shutil.copyfileobj(export_of(Assignment.objects.get(pk=assignment)), out)


class WithoutPandas(MetaPathFinder):
    """As for users: it is no dependency of ours, but pyarrow loads it where it is installed."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Refuse it."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname)


def look(assignment: int, times: int) -> dict[str, Any]:
    """Open pages of the last result: processor seconds, the first in a process apart from later ones, and bytes."""
    sys.meta_path.insert(0, WithoutPandas())
    there = Assignment.objects.get(pk=assignment)
    instructor = Member.objects.select_related("person").get(course=there.course_id, role=Role.INSTRUCTOR)
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = session_of(instructor.person)
    # Whatever page is the first of a process loads the app.
    client.get(reverse("lifecycle:assignment", args=[assignment]))
    number = Result.objects.filter(assignment=assignment).latest("number").number
    order = reverse("results:result", args=[assignment, number])
    addresses = {
        "one result": order,
        "one result, sorted by paper, the 50th page": f"{order}?sort=paper&page=50",
        "one result, searched": f"{order}?q=student+77",
        "results": reverse("results:results", args=[assignment]),
        "graders": reverse("results:graders", args=[assignment, number]),
        "coverage": reverse("results:coverage", args=[assignment, number]),
        "beside Borda": reverse("results:contrast", args=[assignment, number]),
        "two results": reverse("results:comparison", args=[assignment, number, 1]),
    }
    return {name: _looked(client, address, times) for name, address in addresses.items()}


def _looked(client: Client, address: str, times: int) -> dict[str, Any]:
    seconds, size = [], 0
    for _ in range(times + 1):
        begin = process_time()
        answer = client.get(address)
        seconds.append(process_time() - begin)
        if answer.status_code != 200:
            raise RuntimeError(f"{address}: {answer.status_code}")
        size = len(answer.content)
    return {"first": seconds[0], "later": seconds[1:], "bytes": size}


if __name__ == "__main__":
    command, *words = sys.argv[1:]
    given: list[Any] = [int(word) if word.isdigit() else word for word in words]
    commands: dict[str, Any] = {"make": make, "compute": compute, "export": export, "look": look}
    print(json.dumps(commands[command](*given)))
