"""Log-ins, failures and log-outs are in the audit log, without names and within bounds."""

import pytest
from django.contrib.auth.hashers import make_password

from peerorder.web.audit.models import Event
from peerorder.web.courses.services.links import link_for
from peerorder.web.people import login_events
from peerorder.web.people.links import link_number, make_link
from peerorder.web.people.login_events import Budget, name_digest
from peerorder.web.people.models import Person
from tests.web.factories import enter_by

PASSWORD = "a very long password 17"


@pytest.fixture(autouse=True)
def budget(monkeypatch):
    """Failures of other tests are none of ours."""
    monkeypatch.setattr(login_events, "FAILURES", Budget(20))


@pytest.fixture
def bo(students):
    Person.objects.filter(pk=students[0].person_id).update(login="bo.berg", password=make_password(PASSWORD))
    return students[0]


def log_in(client, name="bo.berg", password=PASSWORD):
    return client.post("/login/", {"login": name, "password": password})


def events() -> list[tuple]:
    return list(Event.objects.order_by("pk").values_list("verb", "person_id", "about_id", "course_id"))


def test_by_password_and_out_again(client, bo, course):
    log_in(client)
    client.post("/logout/")
    assert events() == [
        ("logged in", bo.person_id, None, course.pk),
        ("logged out", bo.person_id, None, course.pk),
    ]


def test_by_link_with_the_link(client, bo, course):
    link = make_link(bo.person)
    client.get(link.removeprefix("http://127.0.0.1:8000"))
    assert events() == []
    enter_by(client, link)
    (event,) = Event.objects.all()
    assert (event.verb, event.person_id, event.course_id) == ("logged in by link", bo.person_id, course.pk)
    assert event.details == {"link": link_number(link), "way": "shown"}


def test_a_log_in_by_a_link_that_an_instructor_made_is_marked(client, bo, course, instructor, enter):
    """The attack: an instructor makes a link for a student and acts as the student, and nothing tells."""
    link = link_for(bo, instructor.person)
    enter_by(client, link)
    made, entered = Event.objects.order_by("pk")
    assert (made.verb, made.person_id, made.about_id) == ("link made", instructor.person_id, bo.person_id)
    assert (entered.verb, entered.person_id) == ("logged in by link", bo.person_id)
    assert made.details["link"] == entered.details["link"]
    page = client.get("/account/log/").content.decode()
    assert f"a link created by staff (link {made.details['link']})" in page


def test_a_failure_has_a_digest_and_no_name(client, bo, course):
    log_in(client, password="wrong")
    (event,) = Event.objects.all()
    assert (event.verb, event.person_id, event.about_id) == ("log-in failed", None, bo.person_id)
    assert event.course_id == course.pk
    assert event.details["name"] == name_digest("bo.berg")
    assert "bo" not in str({**event.details, "name": ""})


def test_a_password_typed_as_the_name_is_in_no_row(client, bo):
    log_in(client, name="my secret passphrase", password="x")
    (event,) = Event.objects.all()
    assert event.verb == "unknown log-in failed"
    assert "secret" not in str(event.details)


def test_the_digest_needs_the_secret_key(settings):
    one = name_digest("Bo.Berg")
    assert one == name_digest("bo.berg")
    assert one != name_digest("bo.bergs")
    settings.SECRET_KEY = "another " * 8
    assert one != name_digest("bo.berg")


def test_staff_are_of_no_course(client, instructor):
    Person.objects.filter(pk=instructor.person_id).update(login="ida", password=make_password(PASSWORD))
    log_in(client, "ida")
    assert events() == [("logged in", instructor.person_id, None, None)]


def test_failures_do_not_fill_the_table(client, db, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(login_events.time, "monotonic", lambda: now[0])
    for number in range(500):
        login_events.record_failure(f"name {number}")
    assert Event.objects.count() == 20
    now[0] += 60
    login_events.record_failure("one more")
    assert Event.objects.count() == 22
    assert Event.objects.get(verb="log-ins failed").details == {"attempts": 480}


def test_instructors_read_it_on_the_page_of_the_course(client, bo, course, instructor, enter):
    log_in(client, password="wrong")
    log_in(client)
    page = enter(instructor).get(f"/courses/{course.pk}/log/").content.decode()
    assert "failed to log in as Bo" in page
    assert "logged in with a password" in page
