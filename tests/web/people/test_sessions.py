"""Who is logged in: sessions that are over, made up or of closed accounts let nobody in."""

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
from asgiref.sync import async_to_sync
from django.apps import apps as django_apps
from django.conf import settings
from django.contrib.sessions.models import Session as OldSession
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from peerorder.web.courses.models import Course
from peerorder.web.people.background import tidy
from peerorder.web.people.links import make_link
from peerorder.web.people.models import Session
from peerorder.web.people.sessions import SessionStore
from tests.web.factories import enter_by

pytestmark = pytest.mark.django_db


def status(client):
    return client.get("/account/").status_code


def test_who_logged_in_is_in(client, instructor):
    assert status(client) == 302
    client.force_login(instructor.person)
    assert status(client) == 200


def test_a_session_ends(client, instructor):
    client.force_login(instructor.person)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert status(client) == 302


def test_a_closed_account_is_out(client, instructor):
    client.force_login(instructor.person)
    instructor.person.is_active = False
    instructor.person.save()
    assert status(client) == 302


def test_a_key_that_somebody_thought_up_is_never_taken(client, instructor):
    client.cookies[settings.SESSION_COOKIE_NAME] = "a" * 32
    assert status(client) == 302
    assert not Session.objects.exists()
    client.force_login(instructor.person)
    assert status(client) == 200
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != "a" * 32
    assert not SessionStore().exists("a" * 32)


def test_a_changed_password_ends_sessions_elsewhere(client, instructor):
    client.force_login(instructor.person)
    instructor.person.set_password("another password")
    instructor.person.save()
    assert status(client) == 302


def test_what_the_database_keeps_of_a_session_lets_nobody_in(client, instructor):
    client.force_login(instructor.person)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM people_session")
        (row,) = cursor.fetchall()
    assert key not in map(str, row)
    for value in map(str, row):
        client.cookies[settings.SESSION_COOKIE_NAME] = value
        assert status(client) == 302
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    assert status(client) == 200


def test_who_logs_out_leaves_nothing_behind(client, instructor):
    client.force_login(instructor.person)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post("/logout/")
    assert not Session.objects.exists()
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    assert status(client) == 302


def test_a_new_key_takes_the_place_of_the_old_one():
    store = SessionStore()
    store["x"] = 1
    store.save()
    old = store.session_key
    store.cycle_key()
    store.save()
    assert not store.exists(old)
    assert store.exists(store.session_key)
    assert SessionStore(store.session_key)["x"] == 1
    assert Session.objects.count() == 1
    store.delete()
    assert not Session.objects.exists()
    # Nothing to delete is no error.
    store.delete()
    SessionStore().delete()


def test_sessions_that_are_over_are_cleared():
    for key, days in (("over", -1), ("open", 1)):
        store = SessionStore()
        store[key] = True
        store.set_expiry(timezone.now() + timedelta(days=days))
        store.save()
    SessionStore.clear_expired()
    assert [next(iter(SessionStore().decode(row.session_data))) for row in Session.objects.all()] == ["open"]


def test_it_is_the_same_for_code_that_does_not_wait():
    async def story():
        store = SessionStore()
        await store.aset("x", 1)
        await store.asave()
        old = store.session_key
        found = [await store.aexists(old), await SessionStore(old).aget("x")]
        await store.acycle_key()
        found += [await store.aexists(old), await SessionStore(store.session_key).aget("x")]
        await store.aflush()
        return [*found, await SessionStore(old).aget("x")]

    assert async_to_sync(story)() == [True, 1, False, 1, None]
    assert not Session.objects.exists()


def test_people_stay_logged_in_over_an_upgrade(client, instructor, students):
    """From sessions under their keys to digests, and from Django's table to ours."""
    for person in (students[0].person, instructor.person):
        client.force_login(person)
        key = client.cookies[settings.SESSION_COOKIE_NAME].value
        now = timezone.now()
        # As older versions kept it.
        (row,) = Session.objects.all()
        OldSession.objects.create(session_key=key, session_data=row.session_data, expire_date=now + timedelta(days=80))
        OldSession.objects.create(session_key="x" * 32, session_data="nonsense", expire_date=now + timedelta(days=80))
        row.delete()
        assert status(client) == 302
        client.cookies[settings.SESSION_COOKIE_NAME] = key
        digests = import_module("peerorder.web.people.migrations.0003_session_digests")
        digests.store_digests(None, SimpleNamespace(connection=connection))
        moves = import_module("peerorder.web.people.migrations.0005_move_sessions")
        moves.move_sessions(django_apps, None)
        (row,) = Session.objects.all()
        assert row.person_id == person.pk
        assert row.expire_date - now < timedelta(hours=13), "an old one of staff must not wait for weeks"
        assert status(client) == 200
        assert not Session.objects.filter(session_key=key).exists()
        assert not OldSession.objects.exists()
        # Its next use decided anew how long it lasts.
        row.refresh_from_db()
        assert (row.expire_date - now > timedelta(days=80)) is (person == students[0].person)
        Session.objects.all().delete()


# How long they last.


def rewind(**ago):
    """Let every session have been used last this long ago, as if nothing had happened since."""
    by = timedelta(**ago)
    for session in Session.objects.all():
        session.last_seen_at, session.expire_date = session.last_seen_at - by, session.expire_date - by
        session.save()


@pytest.mark.parametrize("who", ["instructor", "assistant"])
def test_sessions_of_staff_end_after_12_idle_hours(client, request, who):
    """L7: they lasted 90 days."""
    client.force_login(request.getfixturevalue(who).person)
    for _ in range(3):
        rewind(hours=11)
        assert status(client) == 200, "each use puts the end off"
    rewind(hours=13)
    assert status(client) == 302


def test_sessions_of_students_last_longer_but_not_beyond_the_course(client, students):
    client.force_login(students[0].person)
    Session.objects.update(last_seen_at=timezone.now() - timedelta(days=30))
    assert status(client) == 200
    Course.objects.update(ends_on=timezone.localdate() - timedelta(days=1))
    Session.objects.update(last_seen_at=timezone.now() - timedelta(days=1))
    assert status(client) == 302, "its course was ended meanwhile"
    client.force_login(students[0].person)
    assert status(client) == 302


def test_a_session_of_a_student_ends_after_90_days_however_much_it_is_used(client, students):
    client.force_login(students[0].person)
    Session.objects.update(
        made_at=timezone.now() - timedelta(days=91), last_seen_at=timezone.now() - timedelta(hours=1)
    )
    assert status(client) == 302


def test_being_seen_is_written_now_and_then(client, students):
    client.force_login(students[0].person)
    client.get("/account/")
    with CaptureQueriesContext(connection) as queries:
        client.get("/account/")
    assert [query["sql"] for query in queries if query["sql"].startswith("UPDATE")] == []
    asks = [
        query["sql"] for query in queries if "people_session" in query["sql"] and "session_data, last" in query["sql"]
    ]
    assert len(asks) == 1
    before = timezone.now() - timedelta(minutes=20)
    Session.objects.update(last_seen_at=before)
    client.get("/account/")
    assert Session.objects.get().last_seen_at > before + timedelta(minutes=19)


def test_sessions_that_are_over_are_purged(client, instructor, students):
    """L7: nothing ever cleared them."""
    client.force_login(instructor.person)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    client.force_login(students[0].person)
    assert Session.objects.count() == 2
    tidy()
    assert Session.objects.get().person == students[0].person


# One's own page.


def test_the_page_lists_ones_sessions(client, students):
    agents = (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 (KHTML) Version/18 Safari/604",
    )
    link = make_link(students[0].person)
    clients = [Client(headers={"User-Agent": agent}) for agent in agents]
    for each in clients:
        enter_by(each, link)
    answer = clients[0].get("/account/")
    assert {session.device for session in answer.context["sessions"]} == {"Firefox, Windows", "Safari, iPhone"}
    here = next(session for session in answer.context["sessions"] if session.pk == answer.context["here"])
    assert here.device == "Firefox, Windows"
    assert all(each.session.session_key not in answer.content.decode() for each in clients)


def test_end_one_session_or_all_others(client, students):
    link = make_link(students[0].person)
    clients = [Client() for _ in range(4)]
    for each in clients:
        enter_by(each, link)
    first, second = clients[0], clients[1]
    key = second.get("/account/").context["here"]
    assert first.post("/account/sessions/end/", {"session": key}).url == "/account/"
    assert [status(each) for each in clients] == [200, 302, 200, 200]
    assert first.post("/account/sessions/end/").url == "/account/"
    assert [status(each) for each in clients] == [200, 302, 302, 302]
    key = first.get("/account/").context["here"]
    assert first.post("/account/sessions/end/", {"session": key}).url == "/login/"
    assert status(first) == 302


@pytest.mark.parametrize("key", ["of another", "nonsense", "\x00"])
def test_nobody_ends_sessions_of_others(client, students, key):
    other = Client()
    other.force_login(students[1].person)
    client.force_login(students[0].person)
    key = other.get("/account/").context["here"] if key == "of another" else key
    assert client.post("/account/sessions/end/", {"session": key}).status_code == (400 if key == "\x00" else 302)
    client.post("/account/sessions/end/")
    assert status(other) == status(client) == 200
