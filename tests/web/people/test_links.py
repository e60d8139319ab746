"""Links by e-mail replace each other, and all can be revoked."""

from datetime import timedelta

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import timezone

from peerorder.web.audit.models import Event
from peerorder.web.mail.background import send_waiting
from peerorder.web.mail.messages import Message
from peerorder.web.mail.models import Mail
from peerorder.web.mail.services import queue
from peerorder.web.people.links import live_links, make_link, make_links
from peerorder.web.people.models import Link, Session
from tests.web.factories import enter_by


@pytest.fixture
def mailed(mailoutbox):
    """Send somebody a message: ``mailed(person)`` gives the path of the link in it."""

    def sent(person):
        queue(person, f"message {Mail.objects.count()}", Message("Come in", "{link}"))
        send_waiting(None, lambda *_: None)
        return mailoutbox[-1].body.removeprefix("http://127.0.0.1:8000")

    return sent


def status(path):
    return Client().get(path).status_code


def test_at_most_two_links_by_e_mail_are_live(students, mailed):
    """M8: one reminder took the live links from 121 to 147."""
    person = students[0].person
    paths = [mailed(person) for _ in range(5)]
    assert [status(path) for path in paths] == [404, 404, 404, 200, 200]
    previous, last = Link.objects.order_by("pk")[3:]
    assert last.ends_at is None
    assert timedelta(days=6) < previous.ends_at - timezone.now() <= timedelta(days=7)
    Link.objects.filter(pk=previous.pk).update(ends_at=timezone.now())
    assert [status(path) for path in paths] == [404, 404, 404, 404, 200]


def test_the_end_of_a_replaced_link_is_never_put_off(students, mailed):
    first, _second = mailed(students[0].person), mailed(students[0].person)
    end = Link.objects.order_by("pk")[0].ends_at
    mailed(students[0].person)
    assert status(first) == 404
    assert Link.objects.order_by("pk")[0].ends_at <= end


def test_a_message_that_does_not_go_out_replaces_nothing(students, mailed, monkeypatch):
    path, second = mailed(students[0].person), mailed(students[0].person)
    original = EmailBackend.send_messages

    def fails(*_):
        raise OSError("gone")

    monkeypatch.setattr(EmailBackend, "send_messages", fails)
    queue(students[0].person, "fails", Message("Come in", "{link}"))
    send_waiting(None, lambda *_: None)
    monkeypatch.setattr(EmailBackend, "send_messages", original)
    assert (status(path), status(second)) == (200, 200)
    assert Link.objects.count() == 2


def test_links_of_others_stay(students, mailed):
    path = mailed(students[1].person)
    for _ in range(3):
        mailed(students[0].person)
    assert status(path) == 200


def test_links_that_staff_make_are_a_kind_of_their_own(students, mailed):
    person = students[0].person
    by_mail = mailed(person)
    shown = [link.removeprefix("http://127.0.0.1:8000") for link in (make_link(person) for _ in range(3))]
    assert [status(path) for path in (by_mail, *shown)] == [200, 404, 200, 200]


def test_many_at_once_replace_as_one_does(students):
    people = [member.person for member in students]
    for _ in range(3):
        links = make_links(people)
    assert len(links) == 8
    assert [len(live_links(person)) for person in people] == [2] * 8


def test_revoke_one_link(client, students, mailed):
    """Whoever entered by it is out as well; other links and sessions go on."""
    person, thief, other = students[0].person, Client(), Client()
    stolen, good = mailed(person), make_link(person)
    enter_by(thief, stolen)
    enter_by(other, good)
    enter_by(client, good)
    number = Link.objects.get(kind=Link.Kind.MAILED).pk
    assert f'value="{number}"' in client.get("/account/").content.decode()
    assert client.post("/account/links/revoke/", {"link": number}).url == "/account/"
    assert status(stolen) == 404
    assert thief.get("/account/").status_code == 302
    assert other.get("/account/").status_code == client.get("/account/").status_code == 200
    event = Event.objects.get(verb="link revoked")
    assert (event.person_id, event.details) == (person.pk, {"person": person.pk, "link": number})


def test_revoke_all_links(client, students, mailed):
    person, other = students[0].person, Client()
    paths = [mailed(person), make_link(person).removeprefix("http://127.0.0.1:8000")]
    enter_by(other, paths[0])
    enter_by(client, paths[1])
    assert client.post("/account/links/revoke/").url == "/account/"
    assert [status(path) for path in paths] == [404, 404]
    assert other.get("/account/").status_code == 302
    assert client.get("/account/").status_code == 200, "this session goes on"


@pytest.mark.parametrize("number", ["of another", "0", "-1", "nonsense", "9" * 30, "\x00"])
def test_nobody_revokes_links_of_others(client, students, number):
    make_link(students[1].person)
    client.force_login(students[0].person)
    said = {"link": Link.objects.get().pk if number == "of another" else number}
    assert client.post("/account/links/revoke/", said).status_code == (400 if number == "\x00" else 302)
    assert Link.objects.get().revoked_at is None


def test_a_password_that_somebody_else_set_can_be_removed(client, students, mailed):
    """M7: the stranger logged in again at once."""
    person, stranger = students[0].person, Client()
    enter_by(stranger, mailed(person))
    assert stranger.post("/account/", {"password": "not by its owner"}).status_code == 302
    person.refresh_from_db()
    said = {"login": person.login, "password": "not by its owner"}
    assert "/login/password/" in Mail.objects.get(subject="Your password was changed").body
    enter_by(client, mailed(person))
    page = client.get("/account/").content.decode()
    assert 'name="password" value="yes"' in page
    session = client.session
    session["entered_at"] = (timezone.now() - timedelta(hours=1)).isoformat()
    session.save()
    assert client.post("/account/end/", {"password": "yes"}).url == "/account/"
    enter_by(client, mailed(person))
    assert client.post("/account/end/", {"password": "yes"}).url == "/login/"
    assert stranger.get("/account/").status_code == 302
    assert Client().post("/login/", said).status_code == 200, "nobody is let in"
    assert Event.objects.filter(verb="password removed", person_id=person.pk).count() == 1
    assert Mail.objects.filter(subject="Your password was removed").exists()
    enter_by(client, mailed(person))


def test_end_everything(client, students, mailed):
    person, other = students[0].person, Client()
    path = mailed(person)
    enter_by(client, path)
    enter_by(other, path)
    assert client.post("/account/end/").url == "/login/"
    assert status(path) == 404
    assert client.get("/account/").status_code == other.get("/account/").status_code == 302
    assert not Session.objects.exists()
    assert Event.objects.get(verb="access ended").details["links"] == 1
