"""Log in by password, out again, and look after one's account."""

import pytest
from django.core.exceptions import PermissionDenied

from peerorder.web.audit.models import Event
from peerorder.web.people import services
from peerorder.web.people.models import Attempt, Person

GOOD = "correct horse battery"


@pytest.fixture
def ida(instructor):
    services.set_password(instructor.person, "ida", GOOD)
    return instructor.person


def log_in(client, login="ida", password=GOOD, address="10.0.0.1", **more):
    return client.post("/login/", {"login": login, "password": password, **more}, REMOTE_ADDR=address)


def test_it_works(client, ida):
    assert client.get("/login/").status_code == 200
    assert log_in(client).url == "/"
    assert client.get("/").wsgi_request.user == ida


def test_a_wrong_password(client, ida):
    answer = log_in(client, password="wrong")
    assert answer.status_code == 200
    assert "Name and password do not match" in answer.content.decode()
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


def test_set_a_password(client, enter, students):
    enter(students[0])
    assert client.get("/account/").status_code == 200
    answer = client.post("/account/", {"login": "bo", "password": GOOD})
    assert answer.url == "/account/"
    assert client.get("/account/").status_code == 200, "still logged in"
    assert Event.objects.get().verb == "password set"
    client.logout()
    assert log_in(client, "bo").url == "/"


@pytest.mark.parametrize("password", ["short", "password123", "bo@example.edu"])
def test_passwords_that_are_easily_guessed(enter, students, password):
    answer = enter(students[0]).post("/account/", {"login": "bo", "password": password})
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    students[0].person.refresh_from_db()
    assert not students[0].person.has_usable_password()


def test_a_name_that_is_taken(enter, ida, students):
    answer = enter(students[0]).post("/account/", {"login": "ida", "password": GOOD})
    assert "already exists" in answer.content.decode()


def test_a_new_password_ends_other_sessions(client, ida):
    from django.test import Client

    other = Client()
    log_in(client)
    log_in(other)
    client.post("/account/", {"login": "ida", "password": "another horse battery"})
    assert client.get("/").status_code == 200
    assert other.get("/").status_code == 302


def test_nobody_has_no_account(client, db):
    assert client.get("/account/").status_code == 302
    assert client.post("/account/").status_code == 403


def test_somebody_inactive(client, ida):
    ida.is_active = False
    ida.save()
    log_in(client)
    assert "_auth_user_id" not in client.session
    assert client.get(services.make_link(ida).removeprefix("http://127.0.0.1:8000")).status_code == 404


def test_a_password_that_comes_after_access_was_revoked_is_not_set(students):
    """As by somebody who found a link and sends the form again and again."""
    stale = Person.objects.get(pk=students[0].person_id)
    services.revoke_access([students[0].person])
    with pytest.raises(PermissionDenied):
        services.set_password(stale, "bo", "a very long password")
    assert not Person.objects.get(pk=stale.pk).has_usable_password()
    assert Person.objects.get(pk=stale.pk).login is None
