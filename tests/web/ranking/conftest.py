"""A round that people rank, with papers handed out."""

import hashlib
import json

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member
from peerorder.web.jobs.models import Job
from peerorder.web.papers.models import Authorship, Paper, Version
from peerorder.web.ranking import handouts
from peerorder.web.ranking.models import Slot
from tests.web.factories import run_job


def hand_in_paper(assignment: Assignment, *authors: Member, **fields) -> Paper:
    """A text by somebody, or by a team."""
    paper = Paper.objects.create(assignment=assignment, **fields)
    text = f"A text by nobody in particular, number {paper.pk}."
    paper.current = Version.objects.create(
        paper=paper,
        kind="text",
        text=text,
        digest=hashlib.sha256(text.encode()).hexdigest(),
        size=len(text),
        handed_in_by=authors[0],
    )
    paper.save()
    for author in authors:
        Authorship.objects.create(assignment=assignment, paper=paper, member=author)
    return paper


def do(job: Job) -> Job:
    """What the worker would do."""
    run_job(job.pk)
    job.refresh_from_db()
    return job


def at_ranking(assignment: Assignment) -> Assignment:
    assignment.stage = Stage.RANKING
    assignment.hand_in_by = timezone.now()
    assignment.save()
    return assignment


@pytest.fixture
def papers(assignment, students) -> list[Paper]:
    return [hand_in_paper(assignment, student) for student in students]


@pytest.fixture
def round_(assignment, papers) -> Assignment:
    """An assignment at ranking, 8 students with 3 papers each."""
    at_ranking(assignment)
    job = do(handouts.enqueue_first_handout(assignment))
    assert job.state == Job.State.DONE, job.message
    return assignment


@pytest.fixture
def grader(round_, students) -> Member:
    return students[0]


@pytest.fixture
def tokens(round_, grader) -> list[str]:
    """The papers of the grader, A first."""
    return list(Slot.objects.filter(grader=grader).values_list("token", flat=True))


def content(order, unjudged=(), comments=None, part="0"):
    """What a page sends; tokens that stand alone need no list around."""
    groups = [[each] if isinstance(each, str) else list(each) for each in order]
    return {"orders": {part: groups}, "unjudged": list(unjudged), "comments": comments or {}}


@pytest.fixture
def send(client, round_, grader):
    """Save as the page does: ``send(content, revision)``; gives the answer."""
    client.force_login(grader.person)

    def sent(body, revision=0, page="page", number=1, raw=None):
        what = {"revision": revision, "client": page, "number": number, "content": body}
        return client.post(
            f"/assignments/{round_.pk}/ranking/save/",
            json.dumps(what) if raw is None else raw,
            content_type="application/json",
        )

    return sent
