"""Results of the sample course."""

import pytest

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.courses.models import Member
from peerorder.web.jobs.models import Job
from peerorder.web.mail.models import Mail
from peerorder.web.operations.staff import first_staff
from peerorder.web.results.mark_sheets import draft_sheet, release_in_force, released_sheet
from peerorder.web.results.models import Result
from peerorder.web.sample.course import fill
from tests.web.factories import run_job

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample(monkeypatch):
    """With results by Borda, which is quick."""
    monkeypatch.setattr("peerorder.web.sample.results.RULE", "borda")
    first_staff()
    course = fill()
    run_job(Job.objects.get(kind="sample results").pk)
    return course


def test_one_exercise_is_released_and_one_is_ready_for_it(sample):
    released, ready = Assignment.objects.filter(course=sample).order_by("pk")[:2]
    assert (released.stage, ready.stage) == (Stage.RELEASED, Stage.REVIEW)
    sheet = released_sheet(release_in_force(released))
    marks = [each.mark for each in sheet.students.values()]
    assert sum(mark is not None for mark in marks) == 58
    assert draft_sheet(ready).graded.marking is not None
    assert release_in_force(ready) is None
    assert not Mail.objects.filter(assignment_id__in=(released.pk, ready.pk), key__startswith="release").exists()


def test_run_again_it_changes_nothing(sample):
    job = Job.objects.get(kind="sample results")
    Job.objects.filter(pk=job.pk).update(finished_at=None)
    run_job(job.pk)
    assert Result.objects.count() == 2


def test_students_see_marks_and_comments(sample, client):
    released = Assignment.objects.get(course=sample, stage=Stage.RELEASED)
    client.force_login(Member.objects.get(course=sample, student="s001").person)
    page = client.get(f"/assignments/{released.pk}/my-result/")
    assert page.status_code == 200
    assert page.context["result"].mark
    assert len(page.context["result"].comments) >= 3
