"""A round in which papers are handed out."""

import pytest
from django.core.cache import cache

from peerorder.web.assignments.models import Stage
from peerorder.web.jobs.models import Job
from peerorder.web.monitor import forecast
from peerorder.web.papers.models import Authorship, Paper, Version
from tests.web.factories import complete_ranking, submit_ranking


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch):
    """Nothing is kept from other tests, nor for a while."""
    cache.clear()
    monkeypatch.setattr(forecast, "SHARE", 0)


def hand_in(assignment, member):
    paper = Paper.objects.create(assignment=assignment)
    paper.current = Version.objects.create(
        paper=paper, kind="text", text="A text.", digest="0" * 64, size=7, handed_in_by=member
    )
    paper.save()
    Authorship.objects.create(assignment=assignment, paper=paper, member=member)
    return paper


def finish(assignment, member, judged=None):
    """Rank one's papers, in the order in which they came."""
    submit_ranking(assignment, member, complete_ranking(assignment, member, judged))


@pytest.fixture
def ranking(assignment, students, work_off):
    """All but the last have handed in, and papers are handed out."""
    from peerorder.web.ranking.handouts import enqueue_first_handout

    for student in students[:-1]:
        hand_in(assignment, student)
    assignment.stage = Stage.RANKING
    assignment.save()
    job = enqueue_first_handout(assignment)
    work_off()
    assert Job.objects.get(pk=job.pk).state == Job.State.DONE, Job.objects.get(pk=job.pk).message
    return assignment
