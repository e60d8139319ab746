"""Makes a class whose ranking is over inside the app; times its result and the pages of it. Prints one line of JSON.

python -m benchmarks.results.classroom make STUDENTS PAPERS_EACH
python -m benchmarks.results.classroom compute ASSIGNMENT
python -m benchmarks.results.classroom export ASSIGNMENT FILE
python -m benchmarks.results.classroom scale ASSIGNMENT
python -m benchmarks.results.classroom look ASSIGNMENT TIMES
python -m benchmarks.results.classroom publish ASSIGNMENT TIMES
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
from django.db.models import CharField, Value  # noqa: E402
from django.db.models.functions import Cast, Concat  # noqa: E402
from django.test import Client  # noqa: E402
from django.urls import reverse  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmarks.rush.classroom import make_class, session_of  # noqa: E402
from peerorder import child  # noqa: E402
from peerorder.web.assignments.models import Assignment, Stage  # noqa: E402
from peerorder.web.courses.models import Member, Role  # noqa: E402
from peerorder.web.jobs.services import claim, run  # noqa: E402
from peerorder.web.lifecycle.export import export_of  # noqa: E402
from peerorder.web.mail.models import Mail  # noqa: E402
from peerorder.web.people.models import Person  # noqa: E402
from peerorder.web.ranking.models import Ballot, Comment, Save  # noqa: E402
from peerorder.web.results.models import Basis, Result, ResultData  # noqa: E402
from peerorder.web.results.release_audience import draft_release, fingerprint  # noqa: E402
from peerorder.web.results.releases import ReleaseChoice, publish_due, sign_off  # noqa: E402
from peerorder.web.results.services import request_result, set_scale  # noqa: E402

# How far graders err: a paper is seen with noise of this spread, among qualities with spread 1.
NOISE = 0.5
BATCH = 1000
# Of the papers that each student ranks, and of a comment.
COMMENTS, WORDS = 5, 30
REMARK = "the argument of this paper is clear but its example does not show what it says and could be shorter"


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
    ballots, comments, contents = [], [], []
    for member in members:
        tokens = [token for _, token in sorted(orders[member.pk])]
        keys = {token: token for token in tokens[:COMMENTS]}
        ballots.append(Ballot(assignment_id=handout.assignment_id, grader=member, revision=1, comment_keys=keys))
        texts = {token: " ".join(rng.choice(REMARK.split(), WORDS)) for token in keys}
        content = {"orders": {"0": [[token] for token in tokens]}, "unjudged": [], "comments": texts}
        contents.append(ballots[-1].digested(content))
        comments.append(texts)
    ballots = Ballot.objects.bulk_create(ballots, BATCH)
    saves = Save.objects.bulk_create(
        [
            Save(ballot=ballot, revision=1, content=content, hands_in=True)
            for ballot, content in zip(ballots, contents, strict=True)
        ],
        BATCH,
    )
    Comment.objects.bulk_create(
        [
            Comment(digest=content["comments"][token], ballot=ballot, token=token, text=text)
            for ballot, content, texts in zip(ballots, contents, comments, strict=True)
            for token, text in texts.items()
        ],
        BATCH,
    )
    for ballot, save in zip(ballots, saves, strict=True):
        ballot.submission = save
    Ballot.objects.bulk_update(ballots, ["submission"], BATCH)
    Person.objects.update(email=Concat(Cast("pk", CharField()), Value("@example.org")))
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
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = session_of(_instructor(there))
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
        "marks": reverse("results:marks", args=[assignment]),
        "comments": reverse("results:comments", args=[assignment]),
        "release": reverse("results:release", args=[assignment]),
        "students to view as": reverse("results:choose-student", args=[assignment]),
    }
    return {name: _looked(client, address, times) for name, address in addresses.items()}


def publish(assignment: int, times: int) -> list[float]:
    """Publish marks and comments to the whole class, with an e-mail each: processor seconds of every time."""
    there = Assignment.objects.select_related("course").get(pk=assignment)
    choice = ReleaseChoice(marks=True, comments=True, tells=True, seen=fingerprint(draft_release(there)))
    seconds = []
    for _ in range(times):
        with transaction.atomic():
            release = sign_off(there, _instructor(there), choice, None, timezone.now())
            begin = process_time()
            published = publish_due(release.due_at)
            seconds.append(process_time() - begin)
            if published != 1 or Mail.objects.count() < Person.objects.count() - 1:
                raise RuntimeError("not everybody was told")
            transaction.set_rollback(True)
    return seconds


def scale(assignment: int) -> None:
    """Make marks of the first result."""
    there = Assignment.objects.get(pk=assignment)
    set_scale(there, {"marks": "percentile"}, _instructor(there), Basis.objects.get(assignment=there).revision)


def _instructor(assignment: Assignment) -> Person:
    return Person.objects.get(memberships__course=assignment.course_id, memberships__role=Role.INSTRUCTOR)


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
    commands: dict[str, Any] = {"make": make, "compute": compute, "export": export, "scale": scale}
    commands |= {"look": look, "publish": publish}
    print(json.dumps(commands[command](*given)))
