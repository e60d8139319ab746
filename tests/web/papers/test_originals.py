"""Originals: kept for disputes, for instructors alone, and gone with whatever they belong to."""

import hashlib
import os
import re
import time
import zipfile

import pytest
from django.core.files.storage import default_storage

from peerorder.cli import run
from peerorder.web.audit.models import Event
from peerorder.web.home.erasure import erase_member
from peerorder.web.lifecycle.export import export_of
from peerorder.web.papers import services
from peerorder.web.papers.background import clear_away, sweep_folder
from peerorder.web.papers.models import PendingSubmission, Version
from peerorder.web.papers.originals import Check, open_original, verify_receipt
from peerorder.web.papers.submissions import check_file, check_link
from tests.web.papers.conftest import address, make_image, make_pdf, send, take, upload, work

HIDDEN = b"hidden: by Bo Bobson"


@pytest.fixture
def sent() -> bytes:
    """A PDF with something that the clean one does not have."""
    return make_pdf() + b"\n%" + HIDDEN + b"\n"


@pytest.fixture
def version(enter, students, assignment, sent) -> Version:
    """One that a student handed in by the page."""
    assert send(enter(students[0]), assignment, "file", upload(sent)).status_code == 302
    work()
    return Version.objects.get()


def original_at(version, assignment) -> str:
    return address(assignment, f"papers/{version.paper_id}/versions/{version.pk}/original/")


@pytest.fixture
def verify(monkeypatch, capsys):
    """The command, without starting the app anew: gives the exit code and what it prints."""
    monkeypatch.setattr("peerorder.web.operations.serving.prepare", lambda **_options: None)
    monkeypatch.setattr("peerorder.web.operations.startup.start", lambda *_where, **_how: None)

    def verified(*words):
        code = run(["verify-receipt", *map(str, words)])
        seen = capsys.readouterr()
        return code, seen.out + seen.err

    return verified


def test_it_is_kept_as_it_was_sent(version, sent):
    with default_storage.open(version.original.name) as stream:
        assert stream.read() == sent
    assert version.digest == hashlib.sha256(sent).hexdigest()
    with default_storage.open(version.file.name) as stream:
        assert HIDDEN not in stream.read()


def test_an_image_is_kept_too(enter, students, assignment):
    content = make_image("PNG") + HIDDEN
    send(enter(students[0]), assignment, "file", upload(content, "a.png", "image/png"))
    with Version.objects.get().original.open("rb") as stream:
        assert stream.read() == content


def test_an_instructor_downloads_it_and_that_is_recorded(enter, instructor, version, assignment, sent):
    page = enter(instructor).get(address(assignment, f"papers/{version.paper_id}/")).content.decode()
    # A time is an element, and cannot stand in an attribute.
    assert f'href="{original_at(version, assignment)}">Download<span' in page
    assert not re.search(r'="[^"<>]*<time', page)
    Version.objects.update(original_name='"><script>.html')
    answer = enter(instructor).get(original_at(version, assignment))
    assert b"".join(answer.streaming_content) == sent
    assert answer.headers["Content-Type"] == "application/octet-stream"
    name = f"original-{version.paper.code}-{version.pk}.pdf"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer.headers["Cache-Control"]
    event = Event.objects.get(verb="original downloaded")
    assert (event.person_id, event.assignment_id) == (instructor.person_id, assignment.pk)
    assert event.details == {"paper": version.paper_id, "version": version.pk}


def test_nobody_else_does(enter, client, assistant, students, outsider, version, assignment):
    for member, code in ((assistant, 403), (students[0], 403), (students[1], 403), (outsider, 404)):
        assert enter(member).get(original_at(version, assignment)).status_code == code
    assert (
        original_at(version, assignment)
        not in enter(assistant).get(address(assignment, f"papers/{version.paper_id}/")).content.decode()
    )
    assert not Event.objects.filter(verb="original downloaded").exists()


def test_of_another_paper_or_where_there_is_none(enter, instructor, students, version, assignment):
    other = take(assignment, students[1])
    crossed = address(assignment, f"papers/{version.paper_id}/versions/{other.pk}/original/")
    assert enter(instructor).get(crossed).status_code == 404
    assert enter(instructor).get(original_at(other, assignment)).status_code == 404
    default_storage.delete(version.original.name)
    assert enter(instructor).get(original_at(version, assignment)).status_code == 404
    assert not Event.objects.filter(verb="original downloaded").exists()


def test_it_is_in_no_export(version, assignment):
    with export_of(assignment) as export, zipfile.ZipFile(export) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
        assert f"papers/{version.paper.code}.pdf" in archive.namelist()
    assert HIDDEN not in content
    assert version.original.name.encode() not in content


def test_the_upload_page_says_so(enter, students, assignment):
    page = enter(students[0]).get(address(assignment)).content.decode()
    assert 'id="about-originals"' in page
    assignment.takes_pdf = assignment.takes_images = False
    assignment.save()
    assert 'id="about-originals"' not in enter(students[0]).get(address(assignment)).content.decode()


# Nothing is left behind.


def test_a_pending_file_that_is_discarded_leaves_nothing(
    enter, students, assignment, files, django_capture_on_commit_callbacks
):
    named = make_pdf(words=f"By {students[0].person.email}")
    with django_capture_on_commit_callbacks(execute=True):
        assert send(enter(students[0]), assignment, "file", upload(named)).url.endswith("/anyway/")
    assert len(files()) == 2
    with django_capture_on_commit_callbacks(execute=True):
        services.discard_pending(PendingSubmission.objects.get())
    assert files() == []


def test_a_pending_file_that_is_handed_in_keeps_its_original(
    enter, students, assignment, files, django_capture_on_commit_callbacks
):
    named = make_pdf(words=f"By {students[0].person.email}")
    with django_capture_on_commit_callbacks(execute=True):
        send(enter(students[0]), assignment, "file", upload(named))
        enter(students[0]).post(address(assignment, "hand-in/anyway/"))
    with Version.objects.get().original.open("rb") as stream:
        assert stream.read() == named
    assert len(files()) == 2


def test_what_is_refused_or_sent_twice_leaves_nothing(enter, students, assignment, files, sent):
    send(enter(students[0]), assignment, "file", upload(make_pdf()[:60]))
    assert files() == []
    send(enter(students[0]), assignment, "file", upload(sent))
    before = files()
    assert send(enter(students[0]), assignment, "file", upload(sent)).status_code == 302
    assert files() == before
    assert len(before) == 2


def test_it_is_erased_with_its_author(instructor, students, version, files, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        erase_member(students[0], instructor.person)
    version.refresh_from_db()
    assert (version.original.name, version.digest) == ("", "")
    assert files() == []


def test_of_a_team_that_of_the_erased_one_goes_and_the_paper_stays(
    instructor, students, assignment, files, enter, sent, django_capture_on_commit_callbacks
):
    assignment.in_teams = True
    assignment.save()
    for each in students[:2]:
        each.team = "crew"
        each.save()
    send(enter(students[1]), assignment, "file", upload(make_pdf(words="Earlier")))
    send(enter(students[0]), assignment, "file", upload(sent))
    earlier, last = Version.objects.order_by("pk")
    with django_capture_on_commit_callbacks(execute=True):
        erase_member(students[0], instructor.person)
    last.refresh_from_db()
    assert (last.original.name, bool(last.file)) == ("", True)
    assert default_storage.exists(earlier.original.name)
    assert len(files()) == 3


def test_a_paper_that_its_author_left_is_erased_too(
    instructor, students, assignment, files, enter, sent, django_capture_on_commit_callbacks
):
    """Somebody who joined a team left their own paper behind, without authors."""
    send(enter(students[0]), assignment, "file", upload(sent))
    left = Version.objects.get(handed_in_by=students[0])
    team = take(assignment, students[1], "The paper of the team.")
    left.paper.authorships.update(paper=team.paper)
    with django_capture_on_commit_callbacks(execute=True):
        erase_member(students[0], instructor.person)
    left.refresh_from_db()
    assert (left.original.name, left.file.name, left.text) == ("", "", "")
    assert files() == []


def test_a_file_that_no_row_names_is_swept_after_a_day(version, media, files, tmp_path, students, assignment, sent):
    """As after a kill between the file and its row."""
    kept = check_file(upload(sent), assignment)
    services.hold_for_confirmation(assignment, students[1], check_file(upload(sent), assignment), ["Bo"])
    orphans = {media / kept.file, media / kept.original}
    before = set(files())
    sweep = lambda: [sweep_folder(folder) for folder in media.iterdir() if len(folder.name) == 2]  # noqa: E731
    sweep()
    assert set(files()) == before
    for path in before:
        os.utime(path, (time.time() - 90_000,) * 2)
    sweep()
    assert set(files()) == before - orphans
    clear_away()
    assert set(files()) == before - orphans


# Receipts.


def test_a_receipt_is_verified(verify, version, sent, tmp_path):
    (tmp_path / "mine.pdf").write_bytes(sent)
    for words in (
        [version.digest.upper()],
        ["--file", tmp_path / "mine.pdf"],
        [version.digest, "--file", tmp_path / "mine.pdf"],
    ):
        code, seen = verify(*words)
        assert code == 0
        for what in (version.digest, "Essay (Algorithms)", "Bo (bo)", version.paper.code, f"version {version.pk}"):
            assert what in seen
        assert "counts      yes" in seen
    assert Event.objects.filter(verb="receipt verified", details__version=version.pk).count() == 3


def test_a_version_that_was_replaced(verify, enter, students, version, assignment):
    send(enter(students[0]), assignment, "file", upload(make_pdf(words="Better")))
    later = Version.objects.latest("pk")
    code, seen = verify(version.digest)
    assert (code, f"no, version {later.pk} replaced it" in seen) == (0, True)
    assert [each.counts for each in verify_receipt(version.digest)] == [False]
    assert [each.counts for each in verify_receipt(later.digest)] == [True]


def test_a_paper_that_was_withdrawn(verify, version, instructor):
    services.withdraw(version.paper, instructor.person, "A copy.")
    assert "withdrawn on" in verify(version.digest)[1]


def test_an_upload_from_before_has_none(verify, version):
    Version.objects.update(original="")
    code, seen = verify(version.digest)
    assert code == 3
    assert "before originals were kept" in seen


def test_an_original_that_is_not_what_was_sent(verify, version, media):
    (media / version.original.name).write_bytes(b"something else")
    code, seen = verify(version.digest)
    assert (code, Check.DIFFERENT.value in seen) == (2, True)
    default_storage.delete(version.original.name)
    code, seen = verify(version.digest)
    assert (code, Check.LOST.value in seen) == (2, True)


def test_texts_and_links_verify_by_themselves(verify, students, assignment):
    text = take(assignment, students[0], "Grüße,\r\nin two lines")
    assert text.digest == hashlib.sha256("Grüße,\nin two lines".encode()).hexdigest()
    link = services.hand_in(assignment, students[1], check_link("https://example.org/a"))
    for version in (text, link):
        assert verify(version.digest)[0] == 0
    Version.objects.filter(pk=text.pk).update(text="Changed behind the app's back")
    assert verify(text.digest)[0] == 2


def test_the_same_file_of_two_students(verify, enter, students, version, assignment, sent):
    send(enter(students[1]), assignment, "file", upload(sent))
    code, seen = verify(version.digest)
    assert code == 0
    assert "Bo (bo)" in seen
    assert "Cy (cy)" in seen


@pytest.mark.django_db
def test_what_is_no_receipt(verify, tmp_path):
    (tmp_path / "a").write_bytes(b"a")
    for words in (
        [],
        ["abc"],
        ["x" * 64],
        ["0" * 64],
        ["--file", tmp_path / "none"],
        ["0" * 64, "--file", tmp_path / "a"],
    ):
        code, seen = verify(*words)
        assert (code, len(seen.strip().splitlines())) == (2, 1), words


def test_opening_it_needs_no_name_from_outside(version, instructor, settings, tmp_path):
    """A row that names a file outside of the uploads folder opens nothing."""
    (tmp_path / "secret").write_bytes(b"secret")
    Version.objects.update(original="../secret")
    version.refresh_from_db()
    with pytest.raises(Exception, match="located outside"):
        open_original(version, instructor.person)


def test_a_file_is_on_the_disk_before_its_row(monkeypatch, assignment, sent):
    """What was taken survives a power cut: every kept file is synchronised."""
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    check_file(upload(sent), assignment)
    assert len(synced) >= 2


def test_originals_count_in_the_quota(enter, students, version, assignment, settings, sent):
    """Of two kept files each counts, so five uploads fill what would hold ten cleaned ones."""
    settings.LARGEST_UPLOAD = len(sent)
    Version.objects.update(size=5 * len(sent), original="")
    assert send(enter(students[0]), assignment, "text", "Another version.").status_code == 302
    Version.objects.filter(pk=version.pk).update(original="ab/kept.original")
    assert send(enter(students[0]), assignment, "text", "One more version.").status_code == 429
