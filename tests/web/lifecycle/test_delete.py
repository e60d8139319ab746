"""Delete a draft."""

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment, Extension, Stage
from peerorder.web.audit.models import Event
from peerorder.web.mail.messages import Message
from peerorder.web.mail.models import Mail
from peerorder.web.mail.services import queue
from peerorder.web.papers.models import PendingSubmission
from tests.web.lifecycle.conftest import hand_in


def address(assignment):
    return f"/assignments/{assignment.pk}/delete/"


def test_it_works(assignment, course, students, instructor, enter):
    # What may be left of it where it was open for a while.
    client = enter(students[1])
    client.post(f"/assignments/{assignment.pk}/hand-in/", {"how": "text", "text": "This is by Cy, Cy, cy@example.edu."})
    assert PendingSubmission.objects.exists()
    Assignment.objects.update(stage=Stage.DRAFT)
    Extension.objects.create(assignment=assignment, member=students[0], rank_by=timezone.now())
    queue(students[0].person, "k", Message("s", "b"), course_id=assignment.course_id, assignment_id=assignment.pk)
    client = enter(instructor)
    assert address(assignment) in client.get(f"/assignments/{assignment.pk}/edit/").content.decode()
    assert '<button class="danger">' in client.get(address(assignment)).content.decode()
    assert Assignment.objects.exists()
    assert client.post(address(assignment)).url == f"/courses/{course.pk}/"
    assert not Assignment.objects.exists()
    assert not Mail.objects.exists()
    assert not PendingSubmission.objects.exists()
    event = Event.objects.get(verb="assignment deleted")
    assert (event.person_id, event.assignment_id) == (instructor.person_id, assignment.pk)
    assert client.get(f"/courses/{course.pk}/log/").status_code == 200


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage != Stage.DRAFT])
def test_what_was_opened_stays(stage, assignment, instructor, enter):
    Assignment.objects.update(stage=stage)
    client = enter(instructor)
    assert address(assignment) not in client.get(f"/assignments/{assignment.pk}/").content.decode()
    answer = client.get(address(assignment))
    assert answer.context["why_not"] in answer.content.decode()
    assert "drafts" in answer.context["why_not"]
    assert '<button class="danger">' not in answer.content.decode()
    assert client.post(address(assignment)).status_code == 409
    assert Assignment.objects.exists()


def test_what_was_handed_in_stays(assignment, students, instructor, enter):
    Assignment.objects.update(stage=Stage.DRAFT)
    hand_in(assignment, students[0])
    answer = enter(instructor).post(address(assignment))
    assert answer.status_code == 409
    assert "A paper was handed in" in answer.content.decode()
    assert Assignment.objects.exists()


def test_only_instructors(assignment, students, assistant, outsider, enter, client):
    Assignment.objects.update(stage=Stage.DRAFT)
    assert client.post(address(assignment)).status_code == 403
    for member, status in ((assistant, 403), (students[0], 404), (outsider, 404)):
        assert enter(member).get(address(assignment)).status_code == status
        assert enter(member).post(address(assignment)).status_code == status
    assert Assignment.objects.exists()
