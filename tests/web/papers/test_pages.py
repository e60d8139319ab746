"""Pages of PDFs, drawn in the background."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from peerorder.web.jobs.models import Job
from peerorder.web.jobs.registry import Progress
from peerorder.web.jobs.services import MOST_CRASHES, MOST_TRIES, claim, sweep
from peerorder.web.papers import background, services
from peerorder.web.papers.models import Page, PendingSubmission, State, Version
from peerorder.web.papers.submissions import check_file, check_text
from tests.web.factories import run_job
from tests.web.papers.conftest import address, forever, make_pdf, upload, work

pytestmark = pytest.mark.usefixtures("real_sandbox")


@pytest.fixture
def version(assignment, students):
    return services.hand_in(assignment, students[0], check_file(upload(make_pdf(pages=3)), assignment))


def test_pages_are_drawn(version, files):
    job = Job.objects.get(kind="pages")
    work()
    version.refresh_from_db()
    job.refresh_from_db()
    assert (version.state, job.state) == (State.READY, Job.State.DONE)
    assert [(page.number, page.width, page.height) for page in version.pages.all()] == [
        (n, 1600, 2264) for n in (1, 2, 3)
    ]
    assert version.pages.get(number=2).text == "A paper about trees 2"
    assert len(files()) == 5


def test_a_second_time_does_nothing(version, files):
    job = Job.objects.get(kind="pages")
    before = [background.draw(job, Progress(job)) and files() for _ in range(2)]
    assert before[0] == before[1]
    assert Page.objects.count() == 3


def test_another_worker_was_faster(version, files, monkeypatch):
    job = Job.objects.get(kind="pages")
    real = background.run_sandboxed

    def slow(*args, **kwargs):
        done = real(*args, **kwargs)
        Version.objects.update(state=State.READY)
        return done

    monkeypatch.setattr(background, "run_sandboxed", slow)
    background.draw(job, Progress(job))
    assert not Page.objects.exists()
    assert len(files()) == 2


def test_a_worker_that_dies_leaves_nothing_half_done(version, files, monkeypatch):
    def dies(*args, **kwargs):
        raise KeyboardInterrupt

    job = Job.objects.get(kind="pages")
    with monkeypatch.context() as patch:
        patch.setattr(background.Page.objects, "bulk_create", dies)
        with pytest.raises(KeyboardInterrupt):
            run_job(job.pk)
    assert not Page.objects.exists()
    assert len(files()) == 2
    run_job(job.pk)
    assert Page.objects.count() == 3


def test_a_pdf_that_takes_forever_is_broken_and_its_author_told(enter, assignment, students, version, monkeypatch):
    monkeypatch.setattr(background, "SECONDS", 2)
    Path(version.file.path).write_bytes(make_pdf(change=forever))
    work()
    version = Version.objects.get()
    assert (version.state, Job.objects.get().state) == (State.BROKEN, Job.State.DONE)
    client = enter(students[0])
    page = client.get(address(assignment, "my-paper/")).content.decode()
    assert "too long" in version.problem
    assert f'<p class="message error">{version.problem}</p>' in page
    assert f'<a class="button" href="{address(assignment)}">' in page
    assert client.get(address(assignment, "my-paper/pages/1/")).status_code == 404


def test_a_failure_of_ours_is_tried_again_and_in_the_end_told(version, monkeypatch):
    def full(*args, **kwargs):
        raise OSError("no space left")

    monkeypatch.setattr(background, "run_sandboxed", full)
    job = Job.objects.get(kind="pages")
    for tries in range(1, MOST_TRIES + 1):
        version.refresh_from_db()
        assert version.state == State.PREPARING
        run_job(job.pk)
        job.refresh_from_db()
        assert job.tries == tries
    background.break_failed()
    version.refresh_from_db()
    assert (version.state, job.state) == (State.BROKEN, Job.State.FAILED)
    assert "The server had a problem" in version.problem


def test_a_paper_that_kills_its_worker_is_told_too(version):
    background.break_failed()
    version.refresh_from_db()
    assert version.state == State.PREPARING
    for crashes in range(MOST_CRASHES):
        assert Job.objects.get(kind="pages").crashes == crashes
        claim("dead")
        sweep()
    assert Job.objects.get(kind="pages").state == Job.State.FAILED
    background.break_failed()
    version.refresh_from_db()
    assert version.state == State.BROKEN


def test_what_was_forgotten_is_cleared_away(assignment, students, media, files, django_capture_on_commit_callbacks):
    old = services.hold_for_confirmation(assignment, students[0], check_file(upload(make_pdf()), assignment), ["Bo"])
    services.hold_for_confirmation(assignment, students[1], check_text("words"), ["Cy"])
    PendingSubmission.objects.filter(pk=old.pk).update(at=timezone.now() - timedelta(days=2))
    (media / "incoming" / "left").mkdir()
    with django_capture_on_commit_callbacks(execute=True):
        background.clear_away()
    assert PendingSubmission.objects.get().member == students[1]
    assert not files()
    assert (media / "incoming" / "left").is_dir()


def test_half_done_work_is_cleared_away_after_a_day(media, monkeypatch):
    (media / "incoming" / "left").mkdir(parents=True)
    monkeypatch.setattr(background, "FORGOTTEN", timedelta(seconds=-1))
    monkeypatch.setattr(background.PendingSubmission.objects, "filter", lambda **_: PendingSubmission.objects.none())
    background.clear_away()
    assert not (media / "incoming" / "left").exists()
