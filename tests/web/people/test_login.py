"""Log in by password, and out again."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from peerorder.web.courses.models import Course
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Attempt, Person
from peerorder.web.people.passwords import set_password

GOOD = "correct horse battery"
# Where the course is.
ATHENS = ZoneInfo("Europe/Athens")


@pytest.fixture
def ida(instructor):
    return with_password(instructor, "ida")


def with_password(member, login):
    Person.objects.filter(pk=member.person_id).update(login=login)
    member.person.refresh_from_db()
    set_password(member.person, GOOD)
    return member.person


def log_in(client, login="ida", password=GOOD, address="10.0.0.1", **more):
    return client.post("/login/", {"login": login, "password": password, **more}, REMOTE_ADDR=address)


def test_it_works(client, ida):
    assert client.get("/login/").status_code == 200
    assert log_in(client).url == "/"
    assert client.get("/").wsgi_request.user == ida


def test_a_wrong_password(client, ida):
    answer = log_in(client, password="wrong")
    assert answer.status_code == 200
    assert "Wrong username or password" in answer.content.decode()
    assert "_auth_user_id" not in client.session
    assert "wrong" not in str(Attempt.objects.values_list())
    assert "10.0.0.1" not in str(Attempt.objects.values_list())


def test_nobody_without_a_password_gets_in(client, students):
    person = students[0].person
    person.login = "bo"
    person.save()
    for password in ("", " ", "!", person.password):
        log_in(client, "bo", password)
        assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    ("wanted", "goes"),
    [("/account/", "/account/"), ("https://evil.example/", "/"), ("//evil.example", "/"), ("javascript:alert(1)", "/")],
)
def test_where_one_wanted_to_go(client, ida, wanted, goes):
    assert log_in(client, next=wanted).url == goes


def test_log_out(client, ida):
    log_in(client)
    assert client.get("/logout/").status_code == 405
    assert client.post("/logout/").url == "/login/"
    assert client.get("/").status_code == 302


def test_students_log_in_until_their_course_ends(client, students):
    with_password(students[0], "bo")
    for days, goes in ((0, True), (-1, False)):
        Course.objects.update(ends_on=timezone.localdate(timezone=ATHENS) + timedelta(days=days))
        assert (log_in(client, "bo").status_code == 302) is goes
        assert (client.get("/account/").status_code == 200) is goes
        client.logout()


def test_nobody_has_no_account(client, db):
    assert client.get("/account/").status_code == 302
    assert client.post("/account/").status_code == 403


def test_somebody_inactive(client, ida):
    ida.is_active = False
    ida.save()
    log_in(client)
    assert "_auth_user_id" not in client.session
    assert client.post(make_link(ida).removeprefix("http://127.0.0.1:8000")).status_code == 404
