"""Everything in one file, and back: the database and the uploads.

The database comes first and the uploads after it. A file is written before the row that names it, so every row of the
copy finds its file, however busy the app is meanwhile. Two things are left out: the key that cookies are signed with,
and the sessions. A stolen backup logs nobody in, and people log in again after a restore.
"""

import io
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from peerorder._version import __version__
from peerorder.core.errors import InputError
from peerorder.web.operations.folder import file_lock, make_home
from peerorder.web.operations.upgrade import unknown_migrations

ABOUT, DATABASE, UPLOADS = "peerorder.json", "database", "uploads"
FORMAT = 1
SESSIONS = "django_session"
POSTGRESQL = "it comes with PostgreSQL's client: apt-get install postgresql-client"


@dataclass(frozen=True)
class Summary:
    """What was written or read: how many uploads, and the size of the archive in bytes."""

    uploads: int
    size: int


# Out.


def backup(file: Path, *, force: bool = False) -> Summary:
    """Write everything into an archive, which appears whole or not at all."""
    if file.exists() and not force:
        raise InputError(f"{file} is there already; give another name, or --force to replace it")
    if not file.parent.is_dir():
        raise InputError(f"{file.parent} is no folder; make it first")
    if "django_migrations" not in connection.introspection.table_names():
        raise InputError(f"there is nothing in {settings.ENVIRONMENT.home} yet; is PEERORDER_HOME right?")
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".peerorder-") as folder:
        copy, whole = Path(folder) / DATABASE, Path(folder) / "archive"
        _dump_sqlite(copy) if connection.vendor == "sqlite" else _dump_postgresql(copy)
        whole.touch(mode=0o600)
        with tarfile.open(whole, "w:gz", compresslevel=4) as archive:
            _add_bytes(archive, ABOUT, json.dumps(_about(), indent=2).encode())
            archive.add(copy, DATABASE, filter=_without_owner)
            uploads = _add_uploads(archive)
        with whole.open("rb") as stream:
            os.fsync(stream.fileno())
        size = whole.stat().st_size
        whole.replace(file)
    return Summary(uploads, size)


def _about() -> dict[str, Any]:
    applied = sorted(f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations())
    return {
        "format": FORMAT,
        "version": __version__,
        "made_at": timezone.now().isoformat(),
        "database": connection.vendor,
        "migrations": applied,
    }


def _dump_sqlite(copy: Path) -> None:
    """Copy the database as it is at one moment, however much is written meanwhile, without its sessions."""
    with (
        closing(sqlite3.connect(settings.DATABASES["default"]["NAME"], timeout=30)) as live,
        closing(sqlite3.connect(copy, isolation_level=None)) as dumped,
    ):
        live.backup(dumped)
        dumped.execute("PRAGMA journal_mode=DELETE")
        dumped.execute(f"DELETE FROM {SESSIONS}")
        # What was deleted, here or before, may still stand in free pages; this leaves them behind.
        dumped.execute("VACUUM")


def _dump_postgresql(copy: Path) -> None:
    without = f"--exclude-table-data=*.{SESSIONS}"
    _postgresql("pg_dump", "--format=custom", "--no-owner", "--no-privileges", without, f"--file={copy}")


def _postgresql(program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs on our database; the password goes by the environment, for nobody to see."""
    path = shutil.which(program)
    if path is None:
        raise InputError(f"{program} is not on the path; {POSTGRESQL}")
    database = settings.DATABASES["default"]
    names = {"PGHOST": "HOST", "PGPORT": "PORT", "PGUSER": "USER", "PGPASSWORD": "PASSWORD", "PGDATABASE": "NAME"}
    given = {name: str(database[key]) for name, key in names.items() if database.get(key)}
    options: Mapping[str, Any] = database.get("OPTIONS", {})
    given |= {f"PG{key.upper()}": str(value) for key, value in options.items() if key in ("sslmode", "sslrootcert")}
    if "host" in options:
        given["PGHOST"] = str(options["host"])
    result = subprocess.run([path, *arguments], env=os.environ | given, capture_output=True, text=True, check=False)
    if result.returncode:
        reason = (result.stderr.strip().splitlines() or ["no reason given"])[0]
        raise InputError(f"{program} did not work: {reason}")


def _add_bytes(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o600
    archive.addfile(member, io.BytesIO(content))


def _add_uploads(archive: tarfile.TarFile) -> int:
    root = Path(settings.MEDIA_ROOT)
    count = 0
    for path in sorted(root.rglob("*")):
        # A file may go while we look: somebody was erased.
        with suppress(FileNotFoundError):
            if path.is_file() and not path.is_symlink():
                archive.add(path, f"{UPLOADS}/{path.relative_to(root).as_posix()}", filter=_without_owner)
                count += 1
    return count


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a member without the names of this machine's accounts."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o600
    return member


# Back.


def restore(file: Path, *, force: bool = False) -> Summary:
    """Bring everything back from an archive, into an empty place unless told otherwise."""
    home = make_home()
    try:
        with (
            file_lock(home / "running.lock", wait=False),
            tempfile.TemporaryDirectory(dir=home, prefix=".restore-") as name,
        ):
            folder = Path(name)
            count = _unpack(file, folder)
            _check(file, folder)
            if not force:
                _check_empty()
            _load_sqlite(folder) if connection.vendor == "sqlite" else _load_postgresql(folder)
            _put_uploads(folder)
    except BlockingIOError:
        raise InputError("the app runs; stop it first") from None
    finally:
        connection.close()
    return Summary(count, file.stat().st_size)


def _unpack(file: Path, folder: Path) -> int:
    """Extract plain files alone, and nowhere but into the folder; return how many uploads there are."""
    count = 0
    try:
        with tarfile.open(file, "r:gz") as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                plain = member.isfile() and not path.is_absolute() and ".." not in path.parts
                if not plain or path.parts[0] not in (ABOUT, DATABASE, UPLOADS):
                    raise InputError(f"{file}: {member.name!r} does not belong into a backup; nothing was changed")
                content = archive.extractfile(member)
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                target.touch(mode=0o600)
                with target.open("wb") as stream:
                    if content is not None:
                        shutil.copyfileobj(content, stream)
                count += path.parts[0] == UPLOADS
    except FileNotFoundError:
        raise InputError(f"{file}: there is no such file") from None
    except (tarfile.TarError, EOFError, OSError) as error:
        raise InputError(f"{file} is no whole backup ({error}); nothing was changed") from None
    return count


def _check(file: Path, folder: Path) -> None:
    """Raise InputError if this version cannot go on with it, here."""
    try:
        about = json.loads((folder / ABOUT).read_text())
        vendor, migrations, version = about["database"], about["migrations"], about["version"]
        (folder / DATABASE).stat()
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{file} is no backup of peerorder; nothing was changed") from None
    if vendor != connection.vendor:
        cure = "set PEERORDER_DATABASE" if vendor == "postgresql" else "leave PEERORDER_DATABASE away"
        raise InputError(f"{file} is of a {vendor} database, and the settings say {connection.vendor}; {cure}")
    if newer := unknown_migrations((app, name) for app, _, name in (each.partition(".") for each in migrations)):
        raise InputError(
            f"{file} is of peerorder {version}, newer than this one ({__version__}; it has {newer[0]}); upgrade first"
        )


def _check_empty() -> None:
    """Raise InputError if a restore would replace something."""
    what = []
    if connection.vendor == "sqlite":
        if Path(settings.DATABASES["default"]["NAME"]).exists():
            what.append("a database")
    elif connection.introspection.table_names():
        what.append("a database with tables")
    if any(path.is_file() for path in Path(settings.MEDIA_ROOT).rglob("*")):
        what.append("uploads")
    if what:
        raise InputError(
            f"there is {' and '.join(what)} already ({settings.ENVIRONMENT.home}); restore into an empty place, or "
            f"with --force, which loses what is there"
        )


def _load_sqlite(folder: Path) -> None:
    try:
        with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as copy:
            state = copy.execute("PRAGMA integrity_check").fetchone()[0]
            # Backups of older versions hold sessions.
            copy.execute(f"DELETE FROM {SESSIONS}")
    except sqlite3.DatabaseError as error:
        state = str(error)
    if state != "ok":
        raise InputError(f"the database in the backup is damaged ({state}); nothing was changed")
    path = Path(settings.DATABASES["default"]["NAME"])
    # What is left of the old one must not be taken for a part of the new one.
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    (folder / DATABASE).replace(path)


def _load_postgresql(folder: Path) -> None:
    """Replace all tables in one transaction, also those of another version, which are not in the backup."""
    tables = connection.introspection.table_names()
    connection.close()
    before, content, after = (folder / name for name in ("before.sql", "content.sql", "after.sql"))
    before.write_text("".join(f"DROP TABLE {connection.ops.quote_name(name)} CASCADE;\n" for name in tables))
    without = ("--no-owner", "--no-privileges", "--clean", "--if-exists")
    _postgresql("pg_restore", *without, f"--file={content}", str(folder / DATABASE))
    # Backups of older versions hold sessions.
    after.write_text(f"RESET search_path;\nDELETE FROM {SESSIONS};\n")
    files = (f"--file={each}" for each in (before, content, after))
    _postgresql("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", *files)


def _put_uploads(folder: Path) -> None:
    root = Path(settings.MEDIA_ROOT)
    if root.exists():
        root.rename(folder / "uploads before")
    (folder / UPLOADS).mkdir(exist_ok=True, mode=0o700)
    (folder / UPLOADS).rename(root)
