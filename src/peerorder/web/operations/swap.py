"""Replacing what is there by something new, so that it can be undone from any point in between."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from django.db import connection, transaction

from peerorder.web.operations.archive import SESSIONS
from peerorder.web.operations.postgresql_client import run_client
from peerorder.web.operations.upgrade import LOCK, database_lock


class Swap(Protocol):
    """A replacement. ``undo`` may follow a ``do`` or an ``undo`` that was killed anywhere, and be repeated."""

    def do(self) -> None:
        """Put the new in the place of the old, and keep the old."""

    def undo(self) -> None:
        """Put the old back in its place."""

    def finish(self) -> None:
        """Forget what only ``undo`` needs."""


@dataclass(frozen=True)
class FolderSwap:
    """Replaces entries of a folder, never the folder itself: it may be a mount.

    Parameters
    ----------
    place
        The folder.
    staged
        Has the new entries, on the same file system.
    aside
        Where the old entries go, on the same file system.
    old
        The names of the old entries.
    new
        All names that the new entries may have.
    """

    place: Path
    staged: Path
    aside: Path
    old: list[str]
    new: list[str]

    def do(self) -> None:
        """Move the old entries aside and the new ones in."""
        self.aside.mkdir(mode=0o700, exist_ok=True)
        for name in self.old:
            (self.place / name).rename(self.aside / name)
        for name in self.new:
            if (self.staged / name).exists():
                (self.staged / name).rename(self.place / name)

    def undo(self) -> None:
        """Move the new entries out and the old ones back.

        An entry in place is an old one if it is in ``old`` and not aside.
        """
        for name in sorted({*self.old, *self.new}):
            is_aside = (self.aside / name).exists()
            if (is_aside or name not in self.old) and (self.place / name).exists():
                remove(self.staged / name)
                self.staged.mkdir(mode=0o700, parents=True, exist_ok=True)
                (self.place / name).rename(self.staged / name)
            if is_aside:
                (self.aside / name).rename(self.place / name)

    def finish(self) -> None:
        """Do nothing: what is aside stays there."""


@dataclass(frozen=True)
class PostgresqlSwap:
    """Loads a dump in one transaction, and keeps the tables that were there in a schema of their own until the end."""

    dump: Path
    schema: str

    def do(self) -> None:
        """Move the old tables into the schema and load the dump."""
        script, content = self.dump.with_name("before.sql"), self.dump.with_name("content.sql")
        after = self.dump.with_name("after.sql")
        with connection.cursor() as cursor:
            cursor.execute("SELECT quote_ident(current_schema())")
            own_schema = cursor.fetchone()[0]
            # A server of another machine that still runs would hold us up for ever.
            lines = ["SET lock_timeout = '30s'", f"SELECT pg_advisory_xact_lock({LOCK})"]
            lines += [
                f"CREATE SCHEMA {self.schema}",
                *(f"ALTER {each} SET SCHEMA {self.schema}" for each in _objects(own_schema)),
            ]
        connection.close()
        script.write_text("".join(f"{line};\n" for line in lines), "utf-8")
        run_client("pg_restore", "--no-owner", "--no-privileges", f"--file={content}", str(self.dump))
        # Backups of older versions hold sessions.
        deletes = "".join(
            f"DO $$ BEGIN IF to_regclass('{table}') IS NOT NULL THEN DELETE FROM {table}; END IF; END $$;\n"
            for table in SESSIONS
        )
        after.write_text(f"RESET search_path;\n{deletes}")
        files = (f"--file={each}" for each in (script, content, after))
        run_client(
            "psql",
            "--no-psqlrc",
            "--quiet",
            "--output=/dev/null",
            "--set=ON_ERROR_STOP=1",
            "--single-transaction",
            *files,
        )

    def undo(self) -> None:
        """Drop the new tables and move the old ones back."""
        # Whatever of ours still runs on the server, after it was killed here, is waited for.
        with database_lock(), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT quote_ident(current_schema())")
            own_schema = cursor.fetchone()[0]
            if self._exists():
                for each in _objects(own_schema):
                    kind, _, name = each.partition(" ")
                    cursor.execute(f"DROP {kind} IF EXISTS {name} CASCADE")
                for each in _objects(self.schema):
                    cursor.execute(f"ALTER {each} SET SCHEMA {own_schema}")
                cursor.execute(f"DROP SCHEMA {self.schema}")

    def finish(self) -> None:
        """Drop the old tables, of which a dump is aside."""
        with connection.cursor() as cursor:
            cursor.execute(f"DROP SCHEMA IF EXISTS {self.schema} CASCADE")

    def _exists(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [self.schema])
            return cursor.fetchone() is not None


def _objects(schema: str) -> list[str]:
    """Return the kind and the name of each table, view, sequence and function of a schema, as statements write them."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE'
                   ELSE 'TABLE' END || format(' %%I.%%I', nspname, relname)
            FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE quote_ident(nspname) = %s AND relkind IN ('r', 'p', 'v', 'S')
              AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid
                              AND deptype IN ('a', 'e', 'i'))
            UNION ALL
            SELECT format('ROUTINE %%I.%%I(%%s)', nspname, proname, pg_get_function_identity_arguments(pg_proc.oid))
            FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
            WHERE quote_ident(nspname) = %s
              AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid
                              AND deptype = 'e')
            """,
            [schema, schema],
        )
        return [row[0] for row in cursor.fetchall()]


def remove(path: Path) -> None:
    """Remove a file or a folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
