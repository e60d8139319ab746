"""Archive a course, bring it back, delete it."""

from datetime import timedelta

import pytest

from peerorder.web.assignments.models import Assignment, Stage
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Member, Role, RosterUpload, Section
from peerorder.web.courses.services import courses
from peerorder.web.errors import Refused
from peerorder.web.home.course_deletion import delete_course
from peerorder.web.lifecycle.background import advance
from peerorder.web.mail.messages import Message
from peerorder.web.mail.services import queue
from peerorder.web.monitor.services import remind_automatically
from peerorder.web.papers.models import Paper
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Link, Person
from tests.web.home.test_pages import hand_in


@pytest.fixture
def archived(course, instructor):
    courses.archive(course, instructor.person)
    course.refresh_from_db()
    return course


def test_it_works(enter, course, instructor, students, assignment):
    client = enter(instructor)
    assert f"/courses/{course.pk}/archive/" in client.get(f"/courses/{course.pk}/settings/").content.decode()
    page = client.post(f"/courses/{course.pk}/archive/", follow=True).content.decode()
    assert "Archived courses" in page
    assert "Essay" not in page
    page = client.get(f"/courses/{course.pk}/").content.decode()
    assert "is archived" in page
    assert "Essay" in page
    assert f"/courses/{course.pk}/bring-back/" in client.get(f"/courses/{course.pk}/settings/").content.decode()
    assert "Essay" not in enter(students[0]).get("/").content.decode()
    page = enter(instructor).post(f"/courses/{course.pk}/bring-back/", follow=True).content.decode()
    assert "is archived" not in page
    assert "Essay" in enter(students[0]).get("/").content.decode()
    verbs = list(Event.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["course archived", "course brought back"]


def test_it_is_asked_first_and_says_what_stops(enter, course, instructor, assignment):
    Assignment.objects.create(course=course, title="Sonnet", stage=Stage.RANKING)
    Assignment.objects.create(course=course, title="Elegy", stage=Stage.RELEASED)
    client, path = enter(instructor), f"/courses/{course.pk}/archive/"
    answer = client.get(path)
    listed = [("Essay", "handing in", assignment.hand_in_by), ("Sonnet", "ranking", None)]
    assert answer.context["running"] == listed
    assert all(title in answer.content.decode() for title, *_ in listed)
    course.refresh_from_db()
    assert course.archived_at is None
    assert client.post(path).url == "/"
    assert client.get(path).url == f"/courses/{course.pk}/settings/"


def test_an_archived_course_is_read_and_not_changed(enter, archived, instructor, students, assignment):
    client = enter(students[0])
    page = client.get(f"/assignments/{assignment.pk}/").content.decode()
    assert "/hand-in/" not in page
    answer = client.post(f"/assignments/{assignment.pk}/hand-in/", {"how": "text", "text": "My answer."})
    assert answer.status_code == 403
    assert "is archived" in answer.content.decode()
    assert not Paper.objects.exists()
    client = enter(instructor)
    for path in (
        f"/courses/{archived.pk}/settings/",
        f"/courses/{archived.pk}/people/new/",
        f"/assignments/{assignment.pk}/edit/",
        f"/assignments/{assignment.pk}/move/draft/",
    ):
        assert client.get(path).status_code == 200
        assert client.post(path, {"name": "Other", "time_zone": "UTC", "student": "x", "title": "x"}).status_code == 403
    archived.refresh_from_db()
    assert archived.name == "Algorithms"
    answer = client.get(f"/assignments/{assignment.pk}/export/everything.zip")
    assert answer.status_code == 200
    answer.close()


def test_the_clock_leaves_an_archived_course_alone(archived, instructor, students, assignment):
    for student in students:
        hand_in(assignment, student)
    assert remind_automatically(assignment.hand_in_by - timedelta(hours=1)) == 0
    assert advance(assignment.hand_in_by + timedelta(hours=1)) == 0
    courses.bring_back(archived, instructor.person)
    assert remind_automatically(assignment.hand_in_by - timedelta(hours=1)) == 1
    assert advance(assignment.hand_in_by + timedelta(hours=1)) == 1


def test_delete_a_course_in_which_nothing_happened(enter, course, instructor, assistant, students, outsider):
    section = Section.objects.create(course=course, name="Monday")
    draft = Assignment.objects.create(course=course, title="Poem", stage=Stage.HANDING_IN)
    draft.sections.add(section)
    RosterUpload.objects.create(course=course, by=instructor.person, name="r.csv", content=b"student\n")
    queue(students[0].person, "k", Message("s", "b"), course_id=draft.course_id, assignment_id=draft.pk)
    make_link(students[0].person)
    both = Person.objects.create_user(None, name="Both", email="both@example.edu")
    for where in (course, outsider.course):
        Member.objects.create(course=where, person=both, role=Role.ASSISTANT)
    client, path = enter(instructor), f"/courses/{course.pk}/delete/"
    page = client.get(path).content.decode()
    assert f"/assignments/{draft.pk}/export/" in page
    answer = client.post(path, {"typed": "algorithm"})
    assert answer.status_code == 422
    assert "not the name of the course" in answer.content.decode()
    assert Course.objects.filter(pk=course.pk).exists()
    assert client.post(path, {"typed": "Algorithms"}).url == "/"
    assert not Course.objects.filter(pk=course.pk).exists()
    assert set(Person.objects.values_list("name", flat=True)) == {"Ida", "Oz", "Both"}
    assert not Link.objects.exists()
    event = Event.objects.get(verb="course deleted")
    assert (event.course_id, event.details) == (
        course.pk,
        {"assignments": 1, "people": 9, "since": course.created_at.isoformat()},
    )
    assert client.get("/").status_code == 200


def test_a_course_with_papers_cannot_be_deleted(enter, course, instructor, students, assignment):
    hand_in(assignment, students[0])
    client, path = enter(instructor), f"/courses/{course.pk}/delete/"
    page = client.get(path)
    assert page.context["must_stay"]
    assert "typed" not in page.content.decode()
    assert client.post(path, {"typed": "Algorithms"}).status_code == 409
    with pytest.raises(Refused):
        delete_course(course, instructor.person)
    assert Course.objects.filter(pk=course.pk).exists()
    assert Member.objects.filter(course=course).count() == 9


def test_whoever_deletes_it_keeps_the_account(course, assistant):
    Member.objects.filter(pk=assistant.pk).update(role=Role.INSTRUCTOR)
    delete_course(course, assistant.person)
    assert Person.objects.filter(pk=assistant.person_id).exists()


def test_twice_is_once(course, instructor):
    for _ in range(2):
        courses.archive(course, instructor.person)
    for _ in range(2):
        courses.bring_back(course, instructor.person)
    assert Event.objects.count() == 2


def test_outsiders(enter, course, students, assistant, outsider):
    for action in ("archive", "bring-back", "delete"):
        for member, status in ((students[0], 403), (assistant, 403), (outsider, 404)):
            answer = enter(member).post(f"/courses/{course.pk}/{action}/", {"typed": "Algorithms"})
            assert answer.status_code == status, (action, member)
    course.refresh_from_db()
    assert course.archived_at is None
