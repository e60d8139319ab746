"""Sessions are kept under digests of their keys, as ``people.sessions`` looks for them; everybody stays logged in."""

import hashlib

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def store_digests(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT session_key FROM django_session")
        keys = [key for (key,) in cursor.fetchall()]
        cursor.executemany(
            "UPDATE django_session SET session_key = %s WHERE session_key = %s",
            [(hashlib.sha256(key.encode()).hexdigest()[:40], key) for key in keys],
        )


def end_sessions(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    # A key cannot be had back from its digest: everybody logs in again.
    editor.execute("DELETE FROM django_session")


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0002_printed"),
        ("sessions", "0001_initial"),
    ]

    operations = [migrations.RunPython(store_digests, end_sessions)]
