"""Files attached to tasks and sample solutions: who may attach what, who sees it when, and when it goes."""

import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from peerorder.web.assignments.attachments import MOST_ATTACHMENTS, attach, visible_attachments
from peerorder.web.assignments.models import Attachment, Stage
from peerorder.web.audit.models import Event
from peerorder.web.errors import Refused
from peerorder.web.home.retention import erase_course
from peerorder.web.lifecycle.export import export_of
from peerorder.web.lifecycle.services import delete
from peerorder.web.papers.queries import stored_files

TASK, SOLUTION = Attachment.Audience


def upload(name="sheet.pdf", content=b"%PDF-1.7 sheet"):
    return SimpleUploadedFile(name, content)


def path_of(attachment):
    return Path(settings.MEDIA_ROOT) / attachment.file.name


def address(assignment, attachment=None):
    return f"/assignments/{assignment.pk}/attachments/" + (f"{attachment.pk}/" if attachment else "")


def get(client, path):
    """Return the answer with its content, after which its file is closed."""
    answer = client.get(path)
    answer.read = answer.getvalue()
    answer.close()
    return answer


def test_an_instructor_attaches_a_file_and_a_student_downloads_it(enter, assignment, instructor, students):
    assert enter(instructor).post(address(assignment), {"file": upload(), "audience": "task"}).status_code == 302
    attached = Attachment.objects.get()
    assert attached.name not in attached.file.name
    page = enter(students[0]).get(f"/assignments/{assignment.pk}/").content.decode()
    assert address(assignment, attached) in page
    answer = get(enter(students[0]), address(assignment, attached))
    assert answer.read == b"%PDF-1.7 sheet"
    assert answer["Content-Disposition"] == 'attachment; filename="sheet.pdf"'
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert enter(instructor).post(address(assignment, attached) + "remove/").status_code == 302
    assert get(enter(students[0]), address(assignment, attached)).status_code == 404
    verbs = Event.objects.filter(assignment_id=assignment.pk, verb__startswith="attachment").values_list(
        "verb", flat=True
    )
    assert list(verbs.order_by("pk")) == ["attachment added", "attachment removed"]


@pytest.mark.parametrize(
    ("stage", "sees"), [(Stage.HANDING_IN, False), (Stage.RANKING, False), (Stage.REVIEW, True), (Stage.RELEASED, True)]
)
def test_a_student_gets_the_file_of_the_solution_when_the_solution_is_shown(
    enter, assignment, instructor, students, stage, sees
):
    """In the stage of ranking nobody has papers here: only students who rank see the solution then."""
    attached = attach(assignment, upload(), SOLUTION, instructor.person)
    assignment.stage = stage
    assignment.save()
    page = enter(students[0]).get(f"/assignments/{assignment.pk}/").content.decode()
    assert (address(assignment, attached) in page) == sees
    assert get(enter(students[0]), address(assignment, attached)).status_code == (200 if sees else 404)
    assert get(enter(instructor), address(assignment, attached)).status_code == 200


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.html", b"<html>"),
        ("drawing.svg", b"<svg>"),
        ("program.exe", b"MZ"),
        ("sheet", b"%PDF-"),
        (".pdf", b"%PDF-"),
        ("sheet.pdf", b"<html>"),
        ("data.csv", b"a\0b"),
        ("empty.txt", b""),
    ],
)
def test_other_files_are_refused(enter, assignment, instructor, name, content):
    answer = enter(instructor).post(address(assignment), {"file": upload(name, content), "audience": "task"})
    assert answer.status_code == 422
    assert not Attachment.objects.exists()


def test_there_are_not_too_many(assignment, instructor):
    for _ in range(MOST_ATTACHMENTS):
        last = attach(assignment, upload(), TASK, instructor.person)
    files = len(list(path_of(last).parent.parent.glob("*/*.pdf")))
    with pytest.raises(Refused):
        attach(assignment, upload(), TASK, instructor.person)
    assert len(list(path_of(last).parent.parent.glob("*/*.pdf"))) == files


def test_a_name_does_no_harm(enter, assignment, instructor):
    attached = attach(assignment, upload('../../a"b\r\nX: y\x00.pdf'), TASK, instructor.person)
    disposition = get(enter(instructor), address(assignment, attached))["Content-Disposition"]
    assert "\n" not in disposition
    assert "/" not in attached.name


def test_the_sweep_knows_attachments_and_the_export_has_them(assignment, instructor):
    attached = attach(assignment, upload(), SOLUTION, instructor.person)
    assert stored_files([attached.file.name]) == {attached.file.name}
    with export_of(assignment) as stream, zipfile.ZipFile(stream) as archive:
        assert archive.read(f"attachments/solution/{attached.pk}-sheet.pdf") == b"%PDF-1.7 sheet"


def test_a_file_goes_with_its_draft_and_with_its_course(assignment, instructor, django_capture_on_commit_callbacks):
    first = attach(assignment, upload(), TASK, instructor.person)
    with django_capture_on_commit_callbacks(execute=True):
        erase_course(assignment.course, by=instructor.person)
    assert not path_of(first).exists()
    assignment.stage = Stage.DRAFT
    assignment.save()
    second = attach(assignment, upload(), TASK, instructor.person)
    assert path_of(second).exists()
    with django_capture_on_commit_callbacks(execute=True):
        delete(assignment, instructor.person)
    assert not path_of(second).exists()


def test_before_ranking_the_file_of_a_solution_costs_no_queries(
    enter, assignment, instructor, students, django_assert_num_queries
):
    attached = attach(assignment, upload(), SOLUTION, instructor.person)
    assert attached.assignment.attached == [attached]
    with django_assert_num_queries(0):
        assert visible_attachments(attached.assignment, students[0], timezone.now()) == []
