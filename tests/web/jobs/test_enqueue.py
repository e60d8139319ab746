"""Enqueueing jobs, and what becomes of them, within one process."""

from datetime import timedelta

import pytest
from django.utils import timezone

from peerorder.core.errors import HandoutError
from peerorder.web.errors import Refused
from peerorder.web.jobs import registry, services
from peerorder.web.jobs.models import TITLES, Heartbeat, Job
from peerorder.web.jobs.registry import JOBS, QUEUES, Progress, Superseded, background
from peerorder.web.jobs.worker import Worker

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

    def exits(job, progress):
        seen.append("failed")
        raise SystemExit(1)

    for work in (works, refuses, library, fails, exits):
        monkeypatch.setitem(JOBS, work.__name__, work)


@pytest.fixture
def queues(monkeypatch):
    """Two queues beside the default one, with a kind each that does the same as ``works``."""
    for registered in (JOBS, TITLES):
        for kind in ("express", "freight"):
            monkeypatch.setitem(registered, kind, None)
    monkeypatch.setattr(registry, "QUEUES", {name: set(kinds) for name, kinds in QUEUES.items()})
    for kind in ("express", "freight"):
        background(kind, title=f"The {kind}", queue=f"{kind} queue")(JOBS["works"])


def test_it_is_done(work_off):
    job = services.enqueue("works", what="this")
    assert job.state == Job.State.WAITING
    assert work_off() == 1
    job.refresh_from_db()
    assert (job.state, job.message, job.done, job.total) == (Job.State.DONE, "All of it.", 1, 2)
    assert job.finished_at is not None
    assert (job.tries, job.crashes, job.worker) == (1, 0, "")
    assert seen == ["this"]
    assert work_off() == 0


def test_a_key_is_enqueued_once_until_it_is_finished(work_off):
    first = services.enqueue("works", key="mails", what="one")
    assert services.enqueue("works", key="mails", what="two") == first
    work_off()
    assert seen == ["one"]
    assert services.enqueue("works", key="mails", what="three") != first
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
    job = services.enqueue(kind, key="once")
    work_off()
    job.refresh_from_db()
    assert (job.state, job.message, job.tries, job.key) == (Job.State.FAILED, message, 1, None)


@pytest.mark.parametrize("kind", ["fails", "exits"])
def test_what_fails_is_tried_again_ever_later_and_given_up_at_last(kind, work_off):
    job = services.enqueue(kind, key="once")
    waits = []
    for _ in range(services.MOST_TRIES):
        assert work_off() == 1
        # Not before its time.
        assert work_off() == 0
        waiting = Job.objects.filter(state=Job.State.WAITING).first()
        if waiting is not None:
            waits.append(waiting.run_after - timezone.now())
            Job.objects.filter(pk=waiting.pk).update(run_after=timezone.now())
    job.refresh_from_db()
    assert job.state == Job.State.FAILED
    assert "5 times" in job.message
    assert job.key is None
    assert len(waits) == services.MOST_TRIES - 1
    for wait, at_most in zip(waits, (2, 4, 8, 16), strict=True):
        assert timedelta(seconds=at_most / 2) < wait <= timedelta(seconds=at_most)


def test_a_job_without_code_is_reported_and_the_others_go_on(work_off):
    unknown = services.enqueue("unheard of", key="once")
    other = services.enqueue("works", what="this")
    assert work_off() == 2
    unknown.refresh_from_db()
    other.refresh_from_db()
    assert (unknown.state, unknown.tries, unknown.key) == (Job.State.FAILED, 1, None)
    assert "“unheard of”" in unknown.message
    assert "run the version that created the job" in unknown.message
    assert unknown.title == "Background job"
    assert other.state == Job.State.DONE


# Dead workers.


def test_what_a_dead_worker_had_goes_to_another(work_off):
    job = services.enqueue("works", what="this")
    services.heartbeat("alive")
    services.claim("alive")
    assert services.sweep() == 0
    assert work_off() == 0
    later = timezone.now() + services.SILENCE + timedelta(seconds=1)
    assert services.sweep(later) == 1
    assert services.sweep(later) == 0
    assert work_off() == 1
    assert seen == ["this"]
    job.refresh_from_db()
    assert (job.tries, job.crashes) == (2, 1)


def test_a_worker_that_is_known_to_be_dead_is_not_waited_for(work_off):
    services.enqueue("works", what="this")
    services.heartbeat("ours")
    services.claim("ours")
    services.forget_worker("ours")
    assert services.sweep() == 1
    assert work_off() == 1


def test_heartbeats_keep_a_job(work_off):
    services.enqueue("works", what="this")
    services.heartbeat("ours")
    services.claim("ours")
    Heartbeat.objects.update(at=timezone.now() - services.SILENCE)
    services.heartbeat("ours")
    assert services.sweep() == 0
    assert Heartbeat.objects.count() == 1


@pytest.mark.parametrize("claimed", [True, False])
def test_a_worker_that_comes_back_from_the_dead_changes_nothing(claimed):
    job = services.enqueue("works", what="this")
    mine = services.claim("mine")
    assert services.sweep() == 1
    if claimed:
        other = services.claim("other")
        services._finish(other, Job.State.DONE, "By the other.")
    before = Job.objects.values().get()
    with pytest.raises(Superseded):
        Progress(mine)(1, 2, "By the first.")
    services._finish(mine, Job.State.FAILED, "By the first.")
    services._retry(mine)
    services.put_back(mine)
    assert Job.objects.values().get() == before
    job.refresh_from_db()
    if claimed:
        assert (job.state, job.message) == (Job.State.DONE, "By the other.")
    else:
        assert (job.state, job.worker) == (Job.State.WAITING, "")


def test_superseded_work_ends_without_a_word(monkeypatch):
    def overtaken(job, progress):
        services.sweep()
        progress(1, 2)
        raise AssertionError("it went on")

    monkeypatch.setitem(JOBS, "overtaken", overtaken)
    job = services.enqueue("overtaken")
    services.run(services.claim("slow"))
    job.refresh_from_db()
    assert (job.state, job.done, job.crashes, job.message) == (Job.State.WAITING, 0, 1, "")


def test_work_that_kills_its_worker_is_given_up_and_the_others_go_on(work_off):
    job = services.enqueue("works", key="once", what="this")
    for count in range(1, services.MOST_CRASHES + 1):
        assert services.claim("killed") == job
        assert services.sweep() == 1
        job.refresh_from_db()
        assert job.crashes == count
    assert (job.state, job.tries, job.key, job.worker) == (Job.State.FAILED, 3, None, "")
    assert "stopped 3 times" in job.message
    assert job.finished_at is not None
    assert services.sweep() == 0
    services.enqueue("works", what="other")
    assert work_off() == 1
    assert seen == ["other"]


def test_a_job_that_ran_before_workers_were_written_down_is_put_back_without_blame(work_off):
    job = services.enqueue("works", what="this")
    Job.objects.update(state=Job.State.RUNNING, tries=1)
    assert services.sweep() == 1
    assert work_off() == 1
    job.refresh_from_db()
    assert (job.state, job.tries, job.crashes) == (Job.State.DONE, 2, 0)


def test_a_job_that_is_deleted_while_it_runs_is_no_error(monkeypatch, work_off):
    monkeypatch.setitem(JOBS, "vanishes", lambda job, progress: str(Job.objects.all().delete()))
    services.enqueue("vanishes")
    assert work_off() == 1
    assert not Job.objects.exists()


def test_jobs_of_deleted_assignments_are_forgotten():
    for assignment_id in (1, 2, 3, None):
        services.enqueue("works", assignment_id=assignment_id)
    services.forget([1, 3])
    assert set(Job.objects.values_list("assignment_id", flat=True)) == {2, None}


def test_workers_that_are_long_dead_are_forgotten_and_jobs_are_kept(work_off):
    services.enqueue("works", what="this")
    work_off()
    services.heartbeat("old")
    services.purge()
    assert Heartbeat.objects.count() == 1
    services.purge(timezone.now() + timedelta(days=2))
    assert Heartbeat.objects.count() == 0
    assert Job.objects.count() == 1


# Queues.


def test_a_queue_has_its_own_kinds_and_the_default_one_all_others(queues):
    for kind in ("express", "works", "freight", "unheard of"):
        services.enqueue(kind, what=kind)
    assert services.claim("one", "express queue").kind == "express"
    assert services.claim("one", "express queue") is None
    assert [services.claim("one", "default").kind for _ in range(2)] == ["works", "unheard of"]
    assert services.claim("one", "default") is None
    assert services.claim("one", "freight queue").kind == "freight"


def test_titles_are_those_that_were_registered(queues):
    assert services.enqueue("express").title == "The express"
    assert services.enqueue("unheard of").title == "Background job"
    assert {"hand-out", "reminders", "offers", "letters", "pages", "mails"} <= TITLES.keys()


def test_what_is_slow_does_not_wait_in_the_queue_of_mails():
    assert QUEUES["mail"] == {"mails", "mail requests"}
    assert "hand-out" in QUEUES["default"]
    assert "pages" not in QUEUES["default"]


def test_the_oldest_is_first(queues):
    jobs = [services.enqueue("works", what=str(number)) for number in range(3)]
    Job.objects.filter(pk=jobs[2].pk).update(run_after=timezone.now() - timedelta(minutes=1))
    assert [services.claim("one") for _ in range(3)] == [jobs[2], jobs[0], jobs[1]]


@pytest.fixture
def worker(queues, monkeypatch):
    """One that is not started: ``step(queue)`` does what the thread of a queue does next."""
    monkeypatch.setattr("peerorder.web.jobs.worker.QUEUES", registry.QUEUES)
    monkeypatch.setattr("peerorder.web.jobs.worker.close_old_connections", lambda: None)
    return Worker("ours", interval=0)


def test_a_job_under_suspicion_runs_alone(worker, monkeypatch):
    """A worker that dies takes down the jobs of all its queues, and only one of them is to blame."""
    suspect = services.enqueue("works", what="suspect")
    services.enqueue("express", what="express")
    tried = []

    def express(job, progress):
        Job.objects.filter(pk=suspect.pk).update(crashes=services.MOST_CRASHES - 1)
        tried.append(worker._run_next("default"))
        return "Done."

    def nested(job, progress):
        tried.append((job.kind, worker._run_next("freight queue")))
        return "Done."

    monkeypatch.setitem(JOBS, "works", nested)
    monkeypatch.setitem(JOBS, "express", express)
    services.enqueue("freight", what="freight")
    # While another job runs, it has to wait ...
    assert worker._run_next("express queue")
    assert tried == [False]
    # ... and the others wait for it, before it runs and while it runs.
    assert not worker._run_next("freight queue")
    assert worker._run_next("default")
    assert tried == [False, ("works", False)]
    assert worker._run_next("freight queue")
    suspect.refresh_from_db()
    assert suspect.state == Job.State.DONE
    assert not Job.objects.exclude(state=Job.State.DONE).exists()


def test_a_job_whose_end_could_not_be_written_down_is_run_again(worker, monkeypatch):
    job = services.enqueue("works", what="this")

    def gone(*_args):
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(services, "_finish", gone)
        patch.setattr(services, "_retry", gone)
        with pytest.raises(ConnectionError):
            worker._run_next("default")
    job.refresh_from_db()
    assert (job.state, job.worker) == (Job.State.RUNNING, "ours")
    assert worker._run_next("default")
    job.refresh_from_db()
    assert (job.state, job.tries, job.crashes) == (Job.State.DONE, 2, 1)
    assert seen == ["this", "this"]
