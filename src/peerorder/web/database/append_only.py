"""Tables that are only ever added to: triggers in the database refuse to change, replace or delete a row.

They guard against mistakes, and against SQL that runs through the app. The owner of the database can drop them;
that is what seals are for (``peerorder.web.audit.seals``).
"""

from collections.abc import Callable

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

Step = Callable[[Apps, BaseDatabaseSchemaEditor], None]


def append_only(table: str) -> migrations.RunPython:
    """Return the step of a migration that makes a table so; done again, it brings the triggers up to date.

    SQLite makes a table anew for most changes of its columns, and drops the triggers with the old one: a migration that
    changes such a table, or rows of it, begins with ``changeable`` and ends with this.
    """
    return migrations.RunPython(_add_triggers(table), _drop_triggers(table))


def changeable(table: str) -> migrations.RunPython:
    """Return the step of a migration that undoes ``append_only``, until that is done again."""
    return migrations.RunPython(_drop_triggers(table), _add_triggers(table))


def _add_triggers(table: str) -> Step:
    def add(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        _drop_triggers(table)(apps, editor)
        if editor.connection.vendor == "sqlite":
            refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is only added to'); END"
            editor.execute(f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}")
            editor.execute(f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}")
            # REPLACE deletes without a call of the trigger above, unless a connection asks for it.
            exists = f"EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)"
            editor.execute(f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {exists} {refuse}")
        else:
            editor.execute(
                f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION '{table} is only added to'; END $$"
            )
            refuse = f"EXECUTE FUNCTION {table}_refuse()"
            rows, all_rows = f"{table}_append_only", f"{table}_no_truncate"
            editor.execute(f"CREATE TRIGGER {rows} BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {refuse}")
            editor.execute(f"CREATE TRIGGER {all_rows} BEFORE TRUNCATE ON {table} FOR EACH STATEMENT {refuse}")

    return add


def _drop_triggers(table: str) -> Step:
    def drop(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor == "sqlite":
            for action in ("update", "delete", "replace"):
                editor.execute(f"DROP TRIGGER IF EXISTS {table}_no_{action}")
        else:
            # With the triggers that call it.
            editor.execute(f"DROP FUNCTION IF EXISTS {table}_refuse() CASCADE")

    return drop
