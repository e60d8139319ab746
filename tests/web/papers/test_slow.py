"""Papers that are still on their way, or looked at, when something changes."""

import pytest
from django.test import Client
from django.utils import timezone

from peerorder.web.assignments.models import Assignment
from peerorder.web.courses.models import Member
from peerorder.web.courses.services.courses import archive
from peerorder.web.courses.services.members import remove_member
from peerorder.web.papers import submissions
from peerorder.web.papers.models import Paper, PendingSubmission, Version
from peerorder.web.people.links import revoke_access
from tests.web.papers.conftest import address, make_image, take, upload
from tests.web.slow_body import SlowBody

pytestmark = pytest.mark.usefixtures("real_sandbox")

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def post(enter, assignment, students):
    """Send a text; ``happens`` happens while it is sent."""

    def sent(happens, text="My answer, which is long enough.", where="hand-in/", by=students[0], **more):
        body = "&".join(f"{name}={value}" for name, value in {"how": "text", "text": text, **more}.items()).encode()
        slowly = {"wsgi.input": SlowBody(body, happens)}
        return enter(by).post(address(assignment, where), body, content_type=FORM, **slowly)

    return sent


@pytest.fixture
def step(assignment, students, instructor):
    """End handing in by hand, by the page of an instructor; there must be papers to rank."""
    for student in students[1:]:
        take(assignment, student)
    staff = Client()
    staff.force_login(instructor.person)

    def made():
        assert staff.post(address(assignment, "move/ranking/")).status_code == 302

    return made


def test_what_is_still_sent_when_staff_end_handing_in_is_not_taken(post, step, students):
    answer = post(step)
    assert answer.status_code == 409
    assert not answer.context["window"].is_open
    page = answer.content.decode()
    assert answer.context["window"].why in page
    assert "over" in answer.context["window"].why
    assert "My answer, which is long enough." in page
    assert not Paper.objects.filter(authorships__member=students[0]).exists()


SHUT_OUT = {
    "archived": lambda member, by: archive(member.course, by),
    "removed": lambda member, by: remove_member(member, by),
    "revoked": lambda member, by: revoke_access([member.person]),
}


@pytest.mark.parametrize("name", SHUT_OUT)
@pytest.mark.parametrize("text", ["My answer, which is long enough.", "My answer. Bo"])
def test_what_is_still_sent_when_somebody_is_shut_out_is_refused(post, students, instructor, name, text):
    assert post(lambda: SHUT_OUT[name](students[0], instructor.person), text).status_code in (403, 404)
    assert not Paper.objects.exists()
    assert not PendingSubmission.objects.exists()


@pytest.mark.parametrize("name", SHUT_OUT)
def test_staff_who_are_shut_out_hand_in_for_nobody(post, students, instructor, assistant, name):
    def happens():
        SHUT_OUT[name](assistant, instructor.person)

    answer = post(happens, where="papers/hand-in/", by=assistant, student=students[0].student)
    assert answer.status_code in (403, 404)
    assert not Paper.objects.exists()


def test_staff_hand_in_for_a_student_without_access(post, students, instructor):
    def happens():
        revoke_access([students[0].person])

    assert post(happens, where="papers/hand-in/", by=instructor, student=students[0].student).status_code == 302
    assert Version.objects.get().handed_in_by == instructor


@pytest.fixture
def looked_at(monkeypatch):
    """Something happens while a file is looked at."""
    real = submissions.run_sandboxed

    def set_up(happens):
        def slow(*args, **options):
            happens()
            return real(*args, **options)

        monkeypatch.setattr(submissions, "run_sandboxed", slow)

    return set_up


def send_image(client, assignment):
    return client.post(address(assignment), {"how": "file", "file": upload(make_image(), "a.jpg", "image/jpeg")})


def test_looking_at_a_file_does_not_make_it_late(enter, assignment, students, looked_at):
    looked_at(lambda: Assignment.objects.update(hand_in_by=timezone.now()))
    assert send_image(enter(students[0]), assignment).status_code == 302
    assert not Version.objects.get().late


def test_but_a_step_by_hand_counts(enter, assignment, students, looked_at, step, files):
    looked_at(step)
    before = files()
    assert send_image(enter(students[0]), assignment).status_code == 409
    assert files() == before
    assert not Paper.objects.filter(authorships__member=students[0]).exists()


@pytest.mark.parametrize("name", SHUT_OUT)
def test_so_does_being_shut_out(enter, assignment, students, instructor, looked_at, files, name):
    looked_at(lambda: SHUT_OUT[name](Member.objects.get(pk=students[0].pk), instructor.person))
    assert send_image(enter(students[0]), assignment).status_code == 403
    assert files() == []
    assert not Paper.objects.exists()
