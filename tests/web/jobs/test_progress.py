"""The page that says how far a job is."""

import pytest

from peerorder.web.jobs.models import Job


@pytest.fixture
def job(assignment):
    return Job.objects.create(kind="hand-out", assignment_id=assignment.pk, done=3, total=10, message="Writing")


def address(assignment, job):
    return f"/assignments/{assignment.pk}/jobs/{job.pk}/"


def test_it_shows_how_far_it_is(enter, instructor, assignment, job):
    answer = enter(instructor).get(address(assignment, job))
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "3 of 10" in text
    assert "every 1s" in text


@pytest.mark.parametrize("state", [Job.State.DONE, Job.State.FAILED])
def test_when_it_is_over_the_page_around_is_renewed(state, enter, instructor, assignment, job):
    Job.objects.update(state=state)
    answer = enter(instructor).get(address(assignment, job), headers={"HX-Request": "true"})
    assert answer.headers["HX-Refresh"] == "true"
    assert "every 1s" not in answer.content.decode()


def test_it_says_what_it_is_and_why_it_failed(enter, instructor, assignment, job):
    Job.objects.update(state=Job.State.FAILED, message="The worker stopped 3 times while it ran this.")
    text = enter(instructor).get(address(assignment, job)).content.decode()
    assert f"{job.title}:" in text
    assert "failed" in text
    assert "The worker stopped 3 times while it ran this." in text


def test_nobody_else_sees_it(enter, students, outsider, assignment, job, client):
    assert client.get(address(assignment, job)).status_code == 302
    assert enter(students[0]).get(address(assignment, job)).status_code == 403
    assert enter(outsider).get(address(assignment, job)).status_code == 404
    assert enter(students[0]).post(address(assignment, job)).status_code in (403, 405)
