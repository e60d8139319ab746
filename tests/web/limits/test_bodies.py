"""What may be sent: little by strangers, files only where they are asked for (L4)."""

import io

import pytest
from django.core.files import uploadedfile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory

from peerorder.web.papers.models import Version
from peerorder.web.people.models import Person

MEGABYTE = 2**20


@pytest.fixture
def no_spool(monkeypatch):
    """Nothing may be written to the disk."""

    def refuse(*_arguments, **_options):
        raise AssertionError("a file was spooled")

    monkeypatch.setattr(uploadedfile, "TemporaryUploadedFile", refuse)
    monkeypatch.setattr("django.core.files.uploadhandler.TemporaryUploadedFile", refuse)


def files(count=8, size=3 * MEGABYTE):
    return {f"file{number}": SimpleUploadedFile(f"{number}.pdf", b"x" * size) for number in range(count)}


@pytest.mark.parametrize("address", ["/login/", "/", "/in/nonsense/", "/assignments/1/hand-in/", "/nowhere/"])
def test_strangers_cannot_spool_files(db, no_spool, address):
    """POST /login/ with 8 files of 19 MB used to write 151 MB to /tmp."""
    for client in (Client(), Client(enforce_csrf_checks=True)):
        answer = client.post(address, {"login": "x", "password": "y", **files()})
        assert answer.status_code in (413, 404), answer.status_code
        assert (answer.status_code == 404) == (address == "/nowhere/")


def test_a_session_that_nobody_has_is_a_stranger(db, no_spool):
    client = Client()
    client.cookies["peerorder"] = "a" * 32
    assert client.post("/login/", files()).status_code == 413


def test_strangers_send_what_a_form_holds(db, client):
    assert client.post("/login/", {"login": "x", "password": "y" * 60_000}).status_code == 200
    assert client.post("/login/", {"login": "x", "password": "y" * 70_000}).status_code == 413


def test_small_files_of_strangers_are_passed_over(db, no_spool, settings):
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    answer = Client().post("/login/", {"login": "x", "password": "y", "file": SimpleUploadedFile("a.pdf", b"x" * 1000)})
    assert answer.status_code == 200


def test_a_body_that_does_not_say_its_size_is_not_read(db):
    """Django reads as many bytes as the header says; without one, none."""
    body = io.BytesIO(b"x" * MEGABYTE)
    request = RequestFactory().post("/login/", content_type="application/octet-stream")
    del request.META["CONTENT_LENGTH"]
    wsgi = type(request)({**request.META, "wsgi.input": body, "HTTP_TRANSFER_ENCODING": "chunked"})
    assert wsgi.body == b""
    assert body.tell() == 0


def test_people_send_files_only_where_they_are_asked_for(enter, students, no_spool):
    client = enter(students[0])
    assert client.post("/account/", {"login": "bo", "password": "short", **files(2, 1000)}).status_code < 500
    assert client.post("/account/", files(1, 4 * MEGABYTE)).status_code == 413
    assert client.post("/logout/", files(3, 4 * MEGABYTE)).status_code == 413
    assert client.post("/logout/", files(2, 1000)).status_code == 302


def test_not_many_files_at_once(enter, students, assignment):
    client = enter(students[0])
    assert client.post(f"/assignments/{assignment.pk}/hand-in/", {"how": "file", **files(9, 10)}).status_code == 400
    assert not Version.objects.exists()
    assert Person.objects.filter(pk=students[0].person_id).exists()
