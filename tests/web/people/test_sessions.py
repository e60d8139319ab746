"""Who is logged in: sessions that are over, made up or of closed accounts let nobody in."""

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

from peerorder.web.people.sessions import SessionStore

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
        cursor.execute("SELECT * FROM django_session")
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
    assert [next(iter(session.get_decoded())) for session in Session.objects.all()] == ["open"]


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


def test_people_stay_logged_in_when_keys_become_digests(client, instructor):
    client.force_login(instructor.person)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    # As older versions kept it.
    Session.objects.update(session_key=key)
    assert status(client) == 302
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    migration = import_module("peerorder.web.people.migrations.0003_session_digests")
    migration.store_digests(None, SimpleNamespace(connection=connection))
    assert status(client) == 200
    assert not Session.objects.filter(session_key=key).exists()
