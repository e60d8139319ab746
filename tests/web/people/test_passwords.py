"""Set, change and lose a password."""

from datetime import timedelta

import pytest
from django.contrib.auth import authenticate
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.mail.models import Mail
from peerorder.web.people import passwords, throttling
from peerorder.web.people.links import make_link, revoke_access
from peerorder.web.people.models import Link, Person, Session
from peerorder.web.people.sessions import ENTERED_AT
from tests.web.factories import enter_by

GOOD, BETTER = "correct horse battery", "another horse battery"


@pytest.fixture
def ida(instructor):
    passwords.set_password(instructor.person, GOOD)
    return instructor.person


def change(client, password=BETTER, current=GOOD):
    return client.post("/account/", {"password": password, "current": current}).status_code


def has(person, password):
    return Person.objects.get(pk=person.pk).check_password(password)


def let_time_pass(client, minutes=16):
    session = client.session
    session[ENTERED_AT] = (timezone.now() - timedelta(minutes=minutes)).isoformat()
    session.save()


def test_set_a_first_password(client, students):
    person = students[0].person
    enter_by(client, make_link(person))
    assert change(client, GOOD) == 302
    assert client.get("/account/").status_code == 200, "still logged in"
    assert Event.objects.get(verb="password set").person_id == person.pk
    person.refresh_from_db()
    client.logout()
    assert client.post("/login/", {"login": person.login, "password": GOOD}).url == "/"


def test_a_password_is_not_changed_without_the_old_one(client, ida):
    """M7: whoever found a computer logged in set a password, and with it another address."""
    client.force_login(ida)
    assert client.get("/account/").context["form"].fields["current"].required
    for current in ("", "wrong", BETTER):
        assert change(client, BETTER, current) == 422
    assert client.post("/account/", {"login": "ida", "password": BETTER}).status_code == 422, "as it was sent before"
    assert has(ida, GOOD)
    assert change(client) == 302
    assert has(ida, BETTER)


def test_nor_by_somebody_with_a_link(client, ida):
    enter_by(client, make_link(ida))
    assert change(client, BETTER, "") == 422
    assert has(ida, GOOD)


def test_guesses_at_the_old_password_are_throttled(client, ida):
    client.force_login(ida)
    for _ in range(throttling.MOST_BY_NETWORK):
        assert change(client, BETTER, "wrong") == 422
    assert change(client) == 429
    assert has(ida, GOOD)


def test_a_first_password_needs_a_fresh_entry(client, students):
    """M7: a session without a password that somebody left open must not be enough."""
    person, link = students[0].person, make_link(students[0].person)
    enter_by(client, link)
    let_time_pass(client)
    assert change(client, GOOD) == 422
    assert not Person.objects.get(pk=person.pk).has_usable_password()
    enter_by(client, link)
    assert change(client, GOOD) == 302


def test_a_new_password_ends_older_links_and_other_sessions(client, ida):
    """H4: the link that the first start printed stayed good for ever."""
    link, other = make_link(ida), Client()
    enter_by(other, link)
    enter_by(client, link)
    assert change(client) == 302
    assert client.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302
    assert Client().get(link.removeprefix("http://127.0.0.1:8000")).status_code == 404
    assert Session.objects.count() == 1


def test_people_are_told(client, ida, mailoutbox, work_off):
    client.force_login(ida)
    change(client)
    work_off()
    assert [mail.to for mail in mailoutbox] == [["ida@example.edu"]] * 2, "of the first one, and of the second"
    assert "/in/" not in mailoutbox[-1].body
    assert BETTER not in str(Mail.objects.values_list())


@pytest.mark.parametrize("password", ["short", "password123", "bo@example.edu"])
def test_passwords_that_are_easily_guessed(enter, students, password):
    answer = enter(students[0]).post("/account/", {"password": password})
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()
    students[0].person.refresh_from_db()
    assert not students[0].person.has_usable_password()


def test_a_password_that_comes_after_access_was_revoked_is_not_set(students):
    """As by somebody who found a link and sends the form again and again."""
    stale = Person.objects.get(pk=students[0].person_id)
    revoke_access([students[0].person])
    with pytest.raises(PermissionDenied):
        passwords.set_password(stale, "a very long password")
    assert not Person.objects.get(pk=stale.pk).has_usable_password()
    assert Person.objects.get(pk=stale.pk).login is None


# Usernames.


def test_log_in_names_tell_nothing_and_cannot_be_taken(client, ida, students):
    """L2: the page told whether a name was taken, and a student took that of a future professor."""
    person = students[0].person
    Person.objects.filter(pk=ida.pk).update(login="ida@example.edu")
    answers = set()
    for wanted in ("ida@example.edu", "newprof@example.edu", "admin"):
        enter_by(client, make_link(person))
        answer = client.post("/account/", {"login": wanted, "password": GOOD, "current": GOOD})
        answers.add(answer.status_code)
        person.refresh_from_db()
        assert person.login.startswith("bo-")
    assert answers == {302}
    assert authenticate(username="newprof@example.edu", password=GOOD) is None


def test_students_do_not_get_their_address_as_a_name(client, students):
    """An address on a roster is an instructor's word; several accounts may have it."""
    for member in students[:2]:
        Person.objects.filter(pk=member.person_id).update(
            name="Newprof", email="newprof@example.edu", email_verified_at=timezone.now()
        )
        member.person.refresh_from_db()
        passwords.set_password(member.person, GOOD)
    names = {Person.objects.get(pk=member.person_id).login for member in students[:2]}
    assert len(names) == 2
    assert not any("@" in name for name in names)


def test_staff_log_in_by_their_verified_address(instructor, assistant):
    Person.objects.filter(pk=assistant.person_id).update(email_verified_at=timezone.now())
    for member, name in ((instructor, "ida-"), (assistant, "asa@example.edu")):
        member.person.refresh_from_db()
        passwords.set_password(member.person, GOOD)
        assert Person.objects.get(pk=member.person_id).login.startswith(name)


def test_links_ended_by_a_password_are_revoked(ida):
    make_link(ida)
    passwords.make_password(ida)
    assert Link.objects.get().revoked_at is not None
