"""A round whose ranking is over, with a result."""

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.jobs.models import Job
from peerorder.web.ranking import handouts
from peerorder.web.results import releases, services
from peerorder.web.results.models import Basis, Release, Result
from peerorder.web.results.release_audience import draft_release, fingerprint
from tests.web.factories import run_waiting, submit_ranking
from tests.web.ranking.conftest import at_ranking, do, hand_in_paper


@pytest.fixture
def papers(assignment, students):
    return [hand_in_paper(assignment, student) for student in students]


@pytest.fixture
def ranked(assignment, papers, students) -> Assignment:
    """Everybody but the last has ranked 3 papers, with a comment on each; staff review."""
    assignment.comments = True
    at_ranking(assignment)
    job = do(handouts.enqueue_first_handout(assignment))
    assert job.state == Job.State.DONE, job.message
    for student in students[:-1]:
        submit_ranking(assignment, student, ranking_of(assignment, student, papers))
    assignment.stage = Stage.REVIEW
    assignment.rank_by = assignment.rank_ended_at = timezone.now()
    assignment.save()
    return assignment


def ranking_of(assignment, grader, papers) -> dict:
    """The papers of a grader, those that were handed in first are best; with a comment on each."""
    slots = sorted(
        assignment.slots.filter(grader=grader), key=lambda slot: [paper.pk for paper in papers].index(slot.paper_id)
    )
    return {
        "orders": {"0": [[slot.token] for slot in slots]},
        "unjudged": [],
        "comments": {slot.token: f"A remark of {grader.pk} on {slot.paper_id}." for slot in slots},
    }


def compute(assignment, by=None, rule="borda", **settings) -> Result:
    """A finished result."""
    result = services.request_result(assignment, by, rule, **settings)
    run_waiting()
    result.refresh_from_db()
    return result


def set_scale(assignment, by, **settings) -> None:
    services.set_scale(assignment, settings, by, Basis.objects.get(assignment=assignment).revision)


@pytest.fixture
def result(ranked, instructor) -> Result:
    """By Borda, which is quick."""
    return compute(ranked, instructor.person)


@pytest.fixture
def marked(result, ranked, instructor) -> Assignment:
    """With marks."""
    set_scale(ranked, instructor.person, marks="percentile")
    return ranked


def sign_off(assignment, by, *, marks=True, comments=True, tells=True, at=None, now=None, meanwhile=lambda: None):
    """Sign off what a page shows, with what happens while it is open."""
    seen = fingerprint(draft_release(assignment))
    meanwhile()
    choice = releases.ReleaseChoice(marks, comments, tells, seen)
    return releases.sign_off(assignment, by, choice, at, now or timezone.now())


def release_now(assignment, by, **choice) -> Release:
    """What is published."""
    release = sign_off(assignment, by, **choice)
    assert releases.publish_due(release.due_at) == 1
    release.refresh_from_db()
    return release
