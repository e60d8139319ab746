"""Tables that are only ever added to: the database itself refuses to change or delete a row."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def append_only(table: str) -> migrations.RunPython:
    """The step of a migration that makes a table so.

    SQLite makes a table anew for most changes of its columns, and drops the triggers with the old one: a migration that
    changes such a table undoes this step before and does it again afterwards.
    """

    def forwards(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "sqlite":
            for action in ("update", "delete"):
                editor.execute(
                    f"CREATE TRIGGER {table}_no_{action} BEFORE {action.upper()} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{table} is only added to'); END"
                )
        else:
            editor.execute(
                f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION '{table} is only added to'; END $$"
            )
            editor.execute(
                f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION {table}_refuse()"
            )

    def backwards(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "sqlite":
            for action in ("update", "delete"):
                editor.execute(f"DROP TRIGGER {table}_no_{action}")
        else:
            editor.execute(f"DROP TRIGGER {table}_append_only ON {table}")
            editor.execute(f"DROP FUNCTION {table}_refuse()")

    return migrations.RunPython(forwards, backwards)
