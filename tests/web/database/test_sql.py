"""SQL that is written out says the same as Django's own."""

import pytest
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.database.sql import fetch_all, fetch_one, insert, update
from peerorder.web.people.models import Person
from peerorder.web.ranking.models import Ballot

pytestmark = pytest.mark.django_db


def test_what_is_added_is_there_as_django_would_have_it(assignment, students):
    now = timezone.now()
    said = {"orders": {"0": [["a", "b"], ["ä"]]}, "unjudged": [], "comments": {"a": 'a "quote"\n%s'}}
    insert(Ballot(assignment=assignment, grader=students[0], started_at=now, updated_at=now, content=said))
    ballot = Ballot.objects.get()
    assert (ballot.content, ballot.started_at, ballot.submission, ballot.revision) == (said, now, None, 0)
    found = fetch_one(Ballot, "SELECT * FROM ranking_ballot WHERE id = %s", ballot.pk)
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


def test_nothing_is_found_where_nothing_is():
    assert fetch_one(Person, "SELECT * FROM people_person WHERE id = %s", 2**63 - 1) is None
    assert fetch_all("SELECT id FROM people_person WHERE id = %s", -1) == []


def test_the_record_is_written_so(assignment, instructor):
    from peerorder.web.audit.services import record

    record("tried", instructor.person, assignment=assignment, many=3)
    event = Event.objects.get(verb="tried")
    about = (instructor.person.pk, assignment.course.pk, assignment.pk)
    assert (event.person_id, event.course_id, event.assignment_id) == about
    assert event.details == {"many": 3}
    assert abs((timezone.now() - event.at).total_seconds()) < 60
