"""Who is logged in: sessions that are over, made up or of closed accounts let nobody in."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone

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


def test_a_key_that_somebody_thought_up_is_never_taken(client):
    client.cookies[settings.SESSION_COOKIE_NAME] = "a" * 32
    assert status(client) == 302
    assert not Session.objects.filter(session_key="a" * 32).exists()


def test_a_changed_password_ends_sessions_elsewhere(client, instructor):
    client.force_login(instructor.person)
    instructor.person.set_password("another password")
    instructor.person.save()
    assert status(client) == 302
