"""Asking for work, and what becomes of it, within one process."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from peerorder.core.errors import HandoutError
from peerorder.web.jobs import services
from peerorder.web.jobs.models import Beat, Job
from peerorder.web.jobs.registry import JOBS, Overtaken, Progress, Refused

pytestmark = pytest.mark.django_db
seen: list[str] = []


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    seen.clear()

    def works(job, progress):
        progress(1, 2, "Half of it.")
        seen.append(job.about["what"])
        return "All of it."

    def refuses(job, progress):
        raise Refused("There are too few papers; wait for more.")

    def library(job, progress):
        raise HandoutError("the bundles cannot be handed out")

    def fails(job, progress):
        seen.append("failed")
        raise ZeroDivisionError

    for work in (works, refuses, library, fails):
        monkeypatch.setitem(JOBS, work.__name__, work)


def test_it_is_done(work_off):
    job = services.ask("works", what="this")
    assert job.state == Job.State.WAITING
    assert work_off() == 1
    job.refresh_from_db()
    assert (job.state, job.message, job.done, job.total) == (Job.State.DONE, "All of it.", 1, 2)
    assert job.finished_at is not None
    assert seen == ["this"]
    assert DBTaskResult.objects.get().status == "SUCCESSFUL"


def test_a_key_is_asked_for_once_until_it_is_over(work_off):
    first = services.ask("works", key="mails", what="one")
    assert services.ask("works", key="mails", what="two") == first
    work_off()
    assert seen == ["one"]
    assert services.ask("works", key="mails", what="three") != first
    work_off()
    assert seen == ["one", "three"]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("refuses", "There are too few papers; wait for more."),
        ("library", "the bundles cannot be handed out"),
    ],
)
def test_what_cannot_be_done_is_said_and_not_tried_again(kind, message, work_off):
    job = services.ask(kind, key="once")
    work_off()
    job.refresh_from_db()
    assert (job.state, job.message, job.tries, job.key) == (Job.State.FAILED, message, 1, None)


@pytest.mark.parametrize("kind", ["fails", "unheard of"])
def test_what_fails_is_tried_again_ever_later_and_given_up_at_last(kind, work_off):
    job = services.ask(kind, key="once")
    waits = []
    for _ in range(services.MOST_TRIES):
        work_off()
        waiting = DBTaskResult.objects.filter(status="READY").first()
        if waiting is not None:
            waits.append(waiting.run_after - timezone.now())
            DBTaskResult.objects.filter(pk=waiting.pk).update(run_after=timezone.now())
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "5 times" in job.message
    assert job.key is None
    assert len(waits) == services.MOST_TRIES - 1
    for wait, at_most in zip(waits, (2, 4, 8, 16), strict=True):
        assert timedelta(seconds=at_most / 2) < wait <= timedelta(seconds=at_most)


def claimed(worker):
    """The one task, as a worker has it that died at once."""
    DBTaskResult.objects.get().claim(worker)


def test_what_a_dead_worker_had_goes_to_another(work_off):
    services.ask("works", what="this")
    services.beat("alive")
    claimed("alive")
    assert services.sweep() == 0
    assert work_off() == 0
    later = timezone.now() + services.SILENCE + timedelta(seconds=1)
    assert services.sweep(later) == 1
    assert services.sweep(later) == 0
    assert work_off() == 1
    assert seen == ["this"]


def test_a_worker_that_is_known_to_be_dead_is_not_waited_for(work_off):
    services.ask("works", what="this")
    services.beat("ours")
    claimed("ours")
    services.bury("ours")
    assert services.sweep() == 1
    assert work_off() == 1


def test_a_worker_that_comes_back_from_the_dead_changes_nothing():
    job = services.ask("works", what="this")
    mine = services._begun(str(job.pk), job.tasks)
    other = services._begun(str(job.pk), job.tasks)
    services._finish(other, Job.State.DONE, "By the other.")
    with pytest.raises(Overtaken):
        Progress(mine)(1, 2)
    services._finish(mine, Job.State.FAILED, "By the first.")
    services._try_again(mine)
    job.refresh_from_db()
    assert (job.state, job.message) == (Job.State.DONE, "By the other.")
    assert DBTaskResult.objects.count() == 1


def test_a_task_that_was_left_over_does_nothing(work_off):
    job = services.ask("works", what="this")
    services._enqueue(job)
    assert DBTaskResult.objects.count() == 2
    assert work_off() == 2
    assert seen == ["this"]


@pytest.mark.parametrize("how", ["gone", "failed"])
def test_a_job_whose_task_is_no_more_gets_a_new_one(how, work_off):
    job = services.ask("works", what="this")
    if how == "gone":
        DBTaskResult.objects.all().delete()
    else:
        DBTaskResult.objects.update(status="FAILED", finished_at=timezone.now())
    assert services.sweep() == 1
    assert services.sweep() == 0
    work_off()
    job.refresh_from_db()
    assert job.state == Job.State.DONE
    assert services.sweep() == 0


def test_work_that_kills_its_worker_is_given_up():
    job = services.ask("works", what="this")
    for _ in range(services.MOST_TRIES):
        assert services._begun(str(job.pk), job.tasks) is not None
    assert services._begun(str(job.pk), job.tasks) is None
    job.refresh_from_db()
    assert job.state == Job.State.FAILED


def test_a_job_that_is_gone_is_no_error(work_off):
    services.ask("works", what="this")
    Job.objects.all().delete()
    assert work_off() == 1
    assert DBTaskResult.objects.get().status == "SUCCESSFUL"


def test_what_is_long_over_is_forgotten(work_off):
    services.ask("works", what="this")
    work_off()
    services.beat("old")
    services.tidy()
    assert DBTaskResult.objects.count() == Beat.objects.count() == 1
    services.tidy(timezone.now() + services.KEPT + timedelta(days=1))
    assert DBTaskResult.objects.count() == Beat.objects.count() == 0
    assert Job.objects.count() == 1
