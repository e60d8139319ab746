"""SQL that is written out says the same as Django's own."""

import pytest
from django.utils import timezone

from peerorder.web.assignments.models import Assignment
from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Member
from peerorder.web.database.sql import columns, fetch_all, fetch_joined, fetch_one, insert, update
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot

pytestmark = pytest.mark.django_db


def test_what_is_added_is_there_as_django_would_have_it(assignment, students):
    now = timezone.now()
    said = {"orders": {"0": [["a", "b"], ["ä"]]}, "unjudged": [], "comments": {"a": 'a "quote"\n%s'}}
    insert(Ballot(assignment=assignment, grader=students[0], started_at=now, updated_at=now, content=said))
    ballot = Ballot.objects.get()
    assert (ballot.content, ballot.started_at, ballot.submission, ballot.revision) == (said, now, None, 0)
    found = fetch_one(Ballot, f"SELECT {columns(Ballot)} FROM ranking_ballot WHERE id = %s", ballot.pk)
    assert found == ballot
    assert found.content == said
    assert found.started_at == now


def test_what_is_there_already_stays(assignment, students):
    for revision in (3, 4):
        insert(Ballot(assignment=assignment, grader=students[0], revision=revision), unless_there=True)
    assert Ballot.objects.get().revision == 3


def test_only_what_is_named_changes(assignment, students):
    ballot = Ballot.objects.create(assignment=assignment, grader=students[0])
    ballot.content, ballot.revision, ballot.client = {"orders": {}}, 7, "c"
    # In another order than the fields of the model.
    update(ballot, "revision", "content")
    found = Ballot.objects.get()
    assert (found.content, found.revision, found.client) == ({"orders": {}}, 7, "")


def test_what_is_new_knows_its_number(assignment, students):
    ballots = [Ballot(assignment=assignment, grader=student) for student in students[:2]]
    for ballot in ballots:
        insert(ballot)
    assert [ballot.pk for ballot in ballots] == list(Ballot.objects.order_by("pk").values_list("pk", flat=True))


def test_everything_is_read_as_django_would_read_it(assignment, course, students):
    for model in (Assignment, Course, Member, Person):
        for wanted in model.objects.all():
            found = fetch_one(model, f"SELECT {columns(model)} FROM {model._meta.db_table} WHERE id = %s", wanted.pk)
            names = [field.attname for field in model._meta.concrete_fields]
            assert [getattr(found, name) for name in names] == [getattr(wanted, name) for name in names]
            assert not found._state.adding
            assert not found.get_deferred_fields()


def test_two_at_once_and_what_follows_them(course, students):
    both = f"{columns(Member, 'member')}, {columns(Course, 'course')}"
    sql = f"SELECT {both}, 7, 8 FROM courses_member member, courses_course course WHERE member.id = %s"
    assert fetch_joined((Member, Course), sql, students[2].pk) == [students[2], course, 7, 8]
    assert fetch_joined((Member, Course), sql, -1) == []


def test_nothing_is_found_where_nothing_is():
    assert fetch_one(Person, f"SELECT {columns(Person)} FROM people_person WHERE id = %s", 2**63 - 1) is None
    assert fetch_all("SELECT id FROM people_person WHERE id = %s", -1) == []


def test_the_record_is_written_so(assignment, instructor):
    from peerorder.web.audit.services import record

    record("tried", instructor.person, assignment=assignment, many=3)
    event = Event.objects.get(verb="tried")
    about = (instructor.person.pk, assignment.course.pk, assignment.pk)
    assert (event.person_id, event.course_id, event.assignment_id) == about
    assert event.details == {"many": 3}
    assert abs((timezone.now() - event.at).total_seconds()) < 60
