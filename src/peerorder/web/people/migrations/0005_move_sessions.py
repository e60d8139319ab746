"""Sessions move to a table of our own, which knows whose they are; everybody who comes back today stays logged in.

Until when a session lasts is decided anew at its next use, by who it is; staff's must not wait for that for weeks.
"""

from contextlib import suppress
from datetime import timedelta

from django.apps.registry import Apps
from django.core import signing
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.utils import timezone

SALT = "django.contrib.sessions.SessionStore"


def move_sessions(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    old_sessions = apps.get_model("sessions", "Session").objects
    sessions = apps.get_model("people", "Session").objects
    people = set(apps.get_model("people", "Person").objects.values_list("pk", flat=True))
    now = timezone.now()
    for old in old_sessions.filter(expire_date__gt=now).iterator():
        with suppress(signing.BadSignature, ValueError, KeyError, TypeError):
            person = int(signing.loads(old.session_data, salt=SALT)["_auth_user_id"])
            if person in people:
                sessions.create(
                    session_key=old.session_key,
                    session_data=old.session_data,
                    person_id=person,
                    made_at=now,
                    last_seen_at=now - timedelta(hours=1),
                    expire_date=min(old.expire_date, now + timedelta(hours=12)),
                )
    old_sessions.all().delete()


def end_sessions(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("people", "Session").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0004_links_and_sessions"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunPython(move_sessions, end_sessions)]
