"""Change one's own name and address."""

import pytest

from peerorder.web.audit.models import Event
from peerorder.web.courses.models import Course, Member, Role
from peerorder.web.people import services, throttling
from peerorder.web.people.models import Attempt, Person

GOOD = "correct horse battery"


@pytest.fixture
def ida(instructor, client):
    services.set_password(instructor.person, "ida", GOOD)
    client.force_login(instructor.person)
    return instructor.person


def send(client, name="Ida", email="ida@example.edu", password=""):
    data = {"details-name": name, "details-email": email, "details-password": password}
    answer = client.post("/account/details/", data)
    return answer, answer.content.decode()


def test_it_works(client, ida):
    assert 'value="ida@example.edu"' in client.get("/account/").content.decode()
    answer, _page = send(client, "Ida Berg")
    assert answer.url == "/account/"
    ida.refresh_from_db()
    assert (ida.name, ida.email, ida.login) == ("Ida Berg", "ida@example.edu", "ida")
    event = Event.objects.get(verb="account changed")
    assert (event.person_id, event.details) == (ida.pk, {"fields": ["name"]})


def test_another_address_needs_the_password(client, ida):
    for password in ("", "wrong"):
        answer, page = send(client, email="berg@example.edu", password=password)
        assert answer.status_code == 422
        assert "give the password that you have now" in page
        assert 'value="berg@example.edu"' in page
    ida.refresh_from_db()
    assert ida.email == "ida@example.edu"
    assert "wrong" not in str(Attempt.objects.values_list())
    assert send(client, email="berg@example.edu", password=GOOD)[0].url == "/account/"
    ida.refresh_from_db()
    assert ida.email == "berg@example.edu"
    assert client.get("/").status_code == 200, "still logged in"


def test_guessing_is_braked(client, ida):
    for _ in range(throttling.MOST_BY_NETWORK):
        assert send(client, email="berg@example.edu", password="wrong")[0].status_code == 422
    assert send(client, email="berg@example.edu", password=GOOD)[0].status_code == 429
    assert send(client, "Ida Berg")[0].status_code == 302, "the name needs no password"


def test_without_a_password_the_address_stays(enter, assistant):
    answer, page = send(enter(assistant), "Asa", "new@example.edu")
    assert answer.status_code == 422
    assert "Set one below first" in page
    assert send(enter(assistant), "Asa Ek", "asa@example.edu")[0].status_code == 302


def test_nobody_takes_the_address_of_another_who_makes_courses(client, ida):
    other = Person.objects.create_user("eva", GOOD, name="Eva", email="eva@example.edu", makes_courses=True)
    Member.objects.create(course=Course.objects.create(name="Botany"), person=other, role=Role.INSTRUCTOR)
    answer, page = send(client, email="Eva@example.edu", password=GOOD)
    assert answer.status_code == 422
    assert "Somebody else here has this address" in page


@pytest.mark.parametrize(("name", "email"), [("", "ida@example.edu"), ("Ida", ""), ("Ida", "nonsense")])
def test_both_are_needed(client, ida, name, email):
    assert send(client, name, email, GOOD)[0].status_code == 422
    ida.refresh_from_db()
    assert (ida.name, ida.email) == ("Ida", "ida@example.edu")


def test_who_has_no_address_need_not_have_one(client, ida):
    Person.objects.filter(pk=ida.pk).update(email="")
    assert send(client, "Ida Berg", "")[0].status_code == 302
    assert send(client, "Ida Berg", "ida@example.edu")[0].status_code == 422
    assert send(client, "Ida Berg", "ida@example.edu", GOOD)[0].status_code == 302


def test_what_was_typed_wrongly_is_not_shown_as_ones_name(client, ida):
    _answer, page = send(client, "Nobody At All", "nonsense")
    assert page.count("Nobody At All") == 1, "in the box alone"


def test_students_are_told_where_theirs_come_from(enter, students):
    client = enter(students[0])
    page = client.get("/account/").content.decode()
    assert "come from the roster of your course" in page
    assert "details-name" not in page
    assert send(client, "Somebody", "some@example.edu")[0].status_code == 403


def test_nobody(client, db):
    assert send(client)[0].status_code == 403
