"""Bring the database up to date, all or nothing; refuse one that this version cannot go on with."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.core.management import call_command
from django.db import Error, connection, transaction
from django.db.migrations.exceptions import InconsistentMigrationHistory
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.core.translation import gettext as _

# Apps of older versions that are gone; what they left in the history of a database says nothing about its age.
RETIRED = {"django_tasks_database"}
# A number for PostgreSQL's advisory lock: any will do that nobody else uses.
LOCK = 0x7065657220


def database_name() -> str:
    """Return what people know the database by: its host, or its file."""
    return str(connection.settings_dict["HOST"] or connection.settings_dict["NAME"])


def unknown_migrations(applied: Iterable[tuple[str, str]]) -> list[str]:
    """Return those of some migrations, by app and name, that this version does not have: a newer one made them."""
    ours = MigrationLoader(None).disk_migrations
    known = {*ours, *(replaced for migration in ours.values() for replaced in migration.replaces)}
    return sorted(f"{app}.{name}" for app, name in applied if app not in RETIRED and (app, name) not in known)


@contextmanager
def database_lock() -> Iterator[None]:
    """Keep other machines that share a PostgreSQL from upgrading it at the same time."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def upgrade_database() -> None:
    """Apply all migrations that are missing, or none.

    Raises
    ------
    InputError
        If the database was made by a newer version, or a migration fails. Nothing was changed then.
    django.db.Error
        If the database does not answer.
    """
    if newer := unknown_migrations(MigrationRecorder(connection).applied_migrations()):
        text = _(
            "the database ({database}) was made by a newer version of peerorder; this is {version}, which does not "
            "know {migration}. Nothing was changed; upgrade peerorder"
        )
        raise InputError(text.format(database=database_name(), version=__version__, migration=newer[0]))
    executor = MigrationExecutor(connection)
    try:
        executor.loader.check_consistent_history(connection)
        # Most of the time there is nothing to do, and on SQLite a transaction would hold up everybody who saves.
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            _migrate()
    except (Error, InconsistentMigrationHistory) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        text = _(
            "the database ({database}) could not be upgraded: {reason}. Nothing was changed; if an earlier upgrade was "
            "interrupted, restore the backup that was made before it"
        )
        raise InputError(text.format(database=database_name(), reason=reason)) from None


def _migrate() -> None:
    """Run all migrations in one transaction; Django has one for each, and may stop between two."""
    # SQLite makes tables anew, which it can only do while it does not look at foreign keys, and that cannot be changed
    # within a transaction. Django checks all after each migration.
    with connection.constraint_checks_disabled(), transaction.atomic():
        if connection.vendor == "postgresql":
            # Checks that wait for the end of the transaction would keep the next migration from altering the table.
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        call_command("migrate", verbosity=0, interactive=False)
